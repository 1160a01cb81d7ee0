/// A text with placeholders: `{{ field }}` and `{{ field | default: 'text' }}`, and nothing else.
///
/// The leftmost `{{` begins a placeholder. `{{'{{'}}` writes two braces.
struct TextTemplate: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case literal(String)
        case placeholder(Placeholder)
    }

    /// Where a row's value goes.
    struct Placeholder: Hashable, Sendable {
        var field: String
        /// What is written if the row has no value. `nil` if it must have one.
        var fallback: String?
    }

    let parts: [Part]

    var placeholders: [Placeholder] {
        parts.compactMap { if case .placeholder(let placeholder) = $0 { placeholder } else { nil } }
    }

    /// What stands before the first placeholder.
    var literalStart: String { if case .literal(let text)? = parts.first { text } else { "" } }

    init(parsing text: String) throws(PlaceholderMistake) {
        var parser = PlaceholderParser(rest: text.unicodeScalars[...])
        parts = try parser.parts()
    }

    /// Whether a text has to be parsed at all.
    static func isTemplate(_ text: String) -> Bool {
        var last: UInt8 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{"), last == byte { return true }
            last = byte
        }
        return false
    }
}

/// What is wrong with a placeholder.
enum PlaceholderMistake: Error, Hashable, Sendable {
    case threeBraces
    case notClosed
    /// What stands between the braces is no name of a field.
    case noField
    /// What follows the field's name is no default.
    case noDefault
    case defaultNotClosed
    case placeholderInDefault

    var words: String {
        switch self {
        case .threeBraces: "'{{{' does not begin a placeholder; write two braces"
        case .notClosed: "a placeholder is not closed; end it with '}}', or write {{'{{'}} for two braces"
        case .noField: "a placeholder has no field's name; write {{ field }}, or {{'{{'}} for two braces"
        case .noDefault: "only a default can follow a field's name; write {{ field | default: 'text' }}"
        case .defaultNotClosed: "a default is not closed; end it with ', and write '' for a quote inside it"
        case .placeholderInDefault: "a default cannot hold a placeholder"
        }
    }
}

private struct PlaceholderParser {
    var rest: Substring.UnicodeScalarView

    mutating func parts() throws(PlaceholderMistake) -> [TextTemplate.Part] {
        var parts: [TextTemplate.Part] = []
        var literal = String.UnicodeScalarView()
        while let scalar = rest.first {
            guard take("{{") else {
                literal.append(scalar)
                rest.removeFirst()
                continue
            }
            if rest.first == "{" { throw .threeBraces }
            skipSpace()
            if take("'{{'") {
                skipSpace()
                guard take("}}") else { throw .noField }
                literal.append(contentsOf: "{{".unicodeScalars)
                continue
            }
            if !literal.isEmpty { parts.append(.literal(String(literal))) }
            literal = .init()
            parts.append(.placeholder(try placeholder()))
        }
        if !literal.isEmpty { parts.append(.literal(String(literal))) }
        return parts
    }

    /// What follows the opening braces, to the closing ones.
    private mutating func placeholder() throws(PlaceholderMistake) -> TextTemplate.Placeholder {
        guard rest.first.map(\.isFieldStart) == true else { throw rest.isEmpty ? .notClosed : .noField }
        let name = rest.prefix(while: \.isFieldPart)
        rest = rest[name.endIndex...]
        skipSpace()
        if take("}}") { return .init(field: String(name)) }
        guard take("|") else { throw rest.isEmpty ? .notClosed : .noField }
        skipSpace()
        guard take("default:") else { throw .noDefault }
        skipSpace()
        guard take("'") else { throw .noDefault }
        let fallback = try quoted()
        skipSpace()
        guard take("}}") else { throw .notClosed }
        return .init(field: String(name), fallback: fallback)
    }

    private mutating func quoted() throws(PlaceholderMistake) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar != "'" {
                text.append(scalar)
            } else if rest.first == "'" {
                text.append("'")
                rest.removeFirst()
            } else {
                let text = String(text)
                guard !TextTemplate.isTemplate(text) else { throw .placeholderInDefault }
                return text
            }
        }
        throw .defaultNotClosed
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.unicodeScalars) else { return false }
        rest.removeFirst(text.unicodeScalars.count)
        return true
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0.properties.isWhitespace }
    }
}

extension Unicode.Scalar {
    fileprivate var isFieldStart: Bool { isASCII && properties.isAlphabetic || self == "_" }
    fileprivate var isFieldPart: Bool { isFieldStart || ("0"..."9").contains(self) }
}
