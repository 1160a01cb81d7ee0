import Testing

@testable import HeraldCore

@Suite struct TextTemplateTests {
    private typealias Part = TextTemplate.Part

    private static let readable: [(String, [Part])] = [
        ("", []),
        ("Hello", [.literal("Hello")]),
        ("{ {a} } }}", [.literal("{ {a} } }}")]),
        ("{{a}}", [slot("a")]),
        ("Hi {{ first_name }}!", [.literal("Hi "), slot("first_name"), .literal("!")]),
        ("{{ a }}{{\t_b2\u{A0}}}", [slot("a"), slot("_b2")]),
        ("{{ a }}}", [slot("a"), .literal("}")]),
        ("{{a|default:'x'}}", [slot("a", "x")]),
        ("{{ a | default: '' }}", [slot("a", "")]),
        ("{{ a | default: 'it''s }} {it}' }}.", [slot("a", "it's }} {it}"), .literal(".")]),
        ("{{ a | default: '''' }}", [slot("a", "'")]),
        ("{{'{{'}}", [.literal("{{")]),
        ("{{ '{{' }} a }}", [.literal("{{ a }}")]),
        ("1{{'{{'}} a }}{{ a }}", [.literal("1{{ a }}"), slot("a")]),
        // The brace before is a character of its own, however they join.
        ("\u{1F600}{{a}}\u{301}", [.literal("\u{1F600}"), slot("a"), .literal("\u{301}")]),
    ]

    private static func slot(_ field: String, _ fallback: String? = nil) -> Part {
        .placeholder(.init(field: field, fallback: fallback))
    }

    @Test(arguments: readable)
    private func `is read`(_ text: String, _ parts: [Part]) throws {
        #expect(try TextTemplate(parsing: text).parts == parts)
    }

    @Test(arguments: [
        ("{{{ a }}}", PlaceholderMistake.threeBraces), ("x {{{", .threeBraces),
        ("{{", .notClosed), ("{{ a", .notClosed), ("{{ a | default: 'x'", .notClosed),
        ("{{ a | default: 'x' } }", .notClosed), ("{{ a | default: 'x' 'y' }}", .notClosed),
        ("{{ }}", .noField), ("{{ 1a }}", .noField), ("{{ ä }}", .noField), ("{{ a b }}", .noField),
        ("{{ a.b }}", .noField), ("{{ a-b }}", .noField), ("{{ '{{' a }}", .noField), ("{{ '{' }}", .noField),
        ("{{ a }", .noField),
        ("{{ a | upper }}", .noDefault), ("{{ a | default 'x' }}", .noDefault), ("{{ a | default: x }}", .noDefault),
        ("{{ a | default: \"x\" }}", .noDefault), ("{{ a | }}", .noDefault),
        ("{{ a | default: 'x }}", .defaultNotClosed), ("{{ a | default: 'x'' }}", .defaultNotClosed),
        ("{{ a | default: '{{ b }}' }}", .placeholderInDefault),
    ])
    func `a mistake is found`(_ text: String, _ mistake: PlaceholderMistake) {
        #expect(throws: mistake) { try TextTemplate(parsing: text) }
    }

    @Test(arguments: [("{{", true), ("a{{{", true), ("{ {", false), ("}}", false), ("", false)])
    func `two braces make a template`(_ text: String, _ isTemplate: Bool) {
        #expect(TextTemplate.isTemplate(text) == isTemplate)
    }
}
