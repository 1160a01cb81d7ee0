import FCM
import Testing

/// Whether a device that follows the topics `a`, `b` … follows a given one.
private func following(_ names: String) -> (TopicName) -> Bool {
    { names.split(separator: " ").map(String.init).contains($0.rawValue) }
}

/// The devices that match, of the eight that follow some of a, b and c.
private func matched(by condition: Condition) -> [String] {
    ["", "a", "b", "c", "a b", "a c", "b c", "a b c"].filter { condition.matches(following($0)) }
}

struct ConditionTests {
    /// Texts with the canonical form and meaning that FCM's topic page gives them: no precedence, parentheses first.
    static let readings: [(text: String, canonical: String, matches: [String])] = [
        ("'a' in topics", "'a' in topics", ["a", "a b", "a c", "a b c"]),
        (
            "'a' in topics && ('b' in topics || 'c' in topics)", "'a' in topics && ('b' in topics || 'c' in topics)",
            ["a b", "a c", "a b c"]
        ),
        (
            "('b' in topics || 'c' in topics) && 'a' in topics", "('b' in topics || 'c' in topics) && 'a' in topics",
            ["a b", "a c", "a b c"]
        ),
        ("!('a' in topics)", "!('a' in topics)", ["", "b", "c", "b c"]),
        ("!'a' in topics", "!('a' in topics)", ["", "b", "c", "b c"]),
        ("! ! 'a' in topics", "'a' in topics", ["a", "a b", "a c", "a b c"]),
        ("!(!(!('a' in topics)))", "!('a' in topics)", ["", "b", "c", "b c"]),
        ("  ((('a' in topics)))\n", "'a' in topics", ["a", "a b", "a c", "a b c"]),
        ("'a'in topics&&'b'\tin\ntopics", "'a' in topics && 'b' in topics", ["a b", "a b c"]),
        (
            "'a' in topics && ('b' in topics && 'c' in topics)", "'a' in topics && 'b' in topics && 'c' in topics",
            ["a b c"]
        ),
        (
            "!('a' in topics || 'b' in topics) && 'c' in topics",
            "!('a' in topics || 'b' in topics) && 'c' in topics", ["c"]
        ),
        (
            "'a' in topics || !('a' in topics)", "'a' in topics || !('a' in topics)",
            [
                "", "a", "b", "c", "a b", "a c", "b c", "a b c",
            ]
        ),
    ]

    @Test(arguments: readings)
    func `a condition is read, and written in one way`(_ text: String, _ canonical: String, _ matches: [String]) throws
    {
        for condition in [try Condition(parsing: text), try Condition(asFCM: text)] {
            #expect(condition.description == canonical)
            #expect(matched(by: condition) == matches)
        }
        #expect(try Condition(parsing: canonical) == Condition(parsing: text))
    }

    @Test func `whatever is read is written so that it means the same to FCM and to an author`() throws {
        let pieces = ["'a' in topics", "'b' in topics", "&&", "||", "!", "(", ")"]
        var texts = [""]
        var accepted = 0
        for _ in 1...5 {
            texts = texts.flatMap { text in pieces.map { text + $0 } }
            for condition in texts.compactMap({ try? Condition(asFCM: $0) }) {
                accepted += 1
                let text = condition.description
                #expect(try Condition(parsing: text) == condition)
                #expect(try Condition(asFCM: text).description == text)
            }
        }
        // Without parentheses there are 2 texts of one piece, 2·2·2 of three and 2·2·2·2·2 of five.
        #expect(accepted > 2 + 8 + 32)
    }

    @Test func `an author may write double quotes, FCM may not`() throws {
        let text = #""a" in topics || 'b' in topics"#
        #expect(try Condition(parsing: text).description == "'a' in topics || 'b' in topics")
        let error = #expect(throws: ConditionError.self) { try Condition(asFCM: text) }
        #expect(error?.message == "FCM takes topics in single quotes, not in double ones")
        #expect(error?.offset == 0)
    }

    @Test func `FCM reads mixed operators from left to right`() throws {
        let condition = try Condition(asFCM: "'a' in topics || 'b' in topics && 'c' in topics")
        #expect(matched(by: condition) == ["a c", "b c", "a b c"])
        #expect(condition.description == "('a' in topics || 'b' in topics) && 'c' in topics")
    }

    @Test func `an author must say how mixed operators group`() throws {
        let text = "'a' in topics || 'b' in topics && 'c' in topics"
        let error = try #require(throws: ConditionError.self) { try Condition(parsing: text) }
        #expect(error.message == "&& and || are mixed without parentheses: FCM reads from left to right")
        #expect(error.offset == 31)
        #expect(error.length == 2)
        #expect(error.fixes.map(\.meaning) == ["as FCM reads it", "&& before ||"])
        #expect(
            error.fixes.map(\.text) == [
                "('a' in topics || 'b' in topics) && 'c' in topics",
                "'a' in topics || ('b' in topics && 'c' in topics)",
            ])
    }

    @Test func `operators mixed inside parentheses are found, and one reading is one way out`() throws {
        let text = "!('a' in topics && 'b' in topics || 'c' in topics)"
        let error = try #require(throws: ConditionError.self) { try Condition(parsing: text) }
        #expect(error.offset == 33)
        #expect(error.fixes.map(\.text) == ["!(('a' in topics && 'b' in topics) || 'c' in topics)"])
    }

    /// The marks ‹ and › enclose the part that the error points at.
    @Test(arguments: [
        ("‹›", "the condition is empty"),
        ("‹›  \n", "the condition is empty"),
        ("‹''› in topics", "there is no topic between the quotes"),
        ("'‹high tide›' in topics", "'high tide' is not a topic name: 1 to 900 characters of a-z A-Z 0-9 - _ . ~ %"),
        ("'‹é›' in topics", "'é' is not a topic name: 1 to 900 characters of a-z A-Z 0-9 - _ . ~ %"),
        ("'‹/topics/a›' in topics", "'/topics/a' begins with '/topics/': a condition holds a topic's bare name"),
        ("‹'›a in topics", "the quote before 'a' is never closed"),
        ("‹'›a in topics && 'b' in topics", "the quote before 'a' is never closed"),
        ("'a' in topics && 'b' in topics‹'›", "there is no && or || before ''"),
        ("'a' in topics && ‹'›", "this quote is never closed"),
        ("‹tide› in topics", "topic 'tide' is not in single quotes"),
        ("‹‘›a’ in topics", "FCM takes topics in single quotes, not in ‘"),
        ("‹'a'›", "'a' is not followed by 'in topics'"),
        ("‹'a'› in topic", "'a' is not followed by 'in topics'"),
        ("‹'a'› && 'b' in topics", "'a' is not followed by 'in topics'"),
        ("‹'a'› IN topics", "'a' is not followed by 'in topics'"),
        ("'a' ‹not in› topics", "'not in' is not FCM's: write !('a' in topics)"),
        ("'a' in topics ‹&&›", "there is no topic after '&&'"),
        ("('a' in topics ‹||› )", "there is no topic after '||'"),
        ("‹!›", "there is no topic after '!'"),
        ("‹&&› 'a' in topics", "there is no topic before '&&'"),
        ("'a' in topics && ‹||› 'b' in topics", "there is no topic before '||'"),
        ("'a' in topics ‹&› 'b' in topics", "'&' is not an operator: write &&"),
        ("'a' in topics ‹|› 'b' in topics", "'|' is not an operator: write ||"),
        ("'a' in topics ‹and› 'b' in topics", "'and' is not an operator: write &&"),
        ("'a' in topics ‹AND› 'b' in topics", "'AND' is not an operator: write &&"),
        ("'a' in topics ‹Or› 'b' in topics", "'Or' is not an operator: write ||"),
        ("‹not› 'a' in topics", "'not' is not an operator: write !"),
        ("'a' in topics ‹'›b' in topics", "there is no && or || before 'b'"),
        ("'a' in topics ‹(›'b' in topics)", "there is no && or || before '('"),
        ("'a' in topics ‹b›", "there is no && or || before 'b'"),
        ("'a' in topics‹,› 'b' in topics", "',' has no place in a condition"),
        ("‹🌊›", "'🌊' has no place in a condition"),
        ("'a' in topics && ‹(›'b' in topics", "this parenthesis is never closed"),
        ("‹(›", "this parenthesis is never closed"),
        ("'a' in topics‹)›", "this parenthesis closes nothing"),
        ("‹)›", "this parenthesis closes nothing"),
        ("‹( )›", "there is no topic between the parentheses"),
    ])
    func `a fault is named where it is`(_ marked: String, _ message: String) throws {
        let text = marked.filter { !"‹›".contains($0) }
        let scalars = Array(marked.unicodeScalars)
        let begin = try #require(scalars.firstIndex(of: "‹"))
        let end = try #require(scalars.firstIndex(of: "›"))
        for read in [{ try Condition(parsing: $0) }, { try Condition(asFCM: $0) }] as [(String) throws -> Condition] {
            let error = try #require(throws: ConditionError.self) { _ = try read(text) }
            #expect(error.message == message)
            #expect(error.offset == begin)
            #expect(error.length == end - begin - 1)
        }
    }

    @Test func `five topics are taken and a sixth is refused, repeated ones too`() throws {
        func text(_ count: Int) -> String {
            Array(repeating: "'a' in topics", count: count).joined(separator: " || ")
        }
        #expect(try Condition(parsing: text(5)).topics.map(\.rawValue) == ["a"])
        for read in [{ try Condition(parsing: $0) }, { try Condition(asFCM: $0) }] as [(String) throws -> Condition] {
            let error = try #require(throws: ConditionError.self) { _ = try read(text(6)) }
            #expect(error.message == "'a' is one topic too many: FCM takes 5 in a condition")
            #expect(error.offset == 85)
            #expect(error.length == 13)
        }
    }

    @Test(arguments: ["(", "!", "!("])
    func `hostile depth is refused, not followed`(_ opening: String) throws {
        let text = String(repeating: opening, count: 100_000)
        let error = try #require(throws: ConditionError.self) { try Condition(asFCM: text) }
        #expect(error.message == "more than 100 parentheses and negations stand inside one another")
        #expect(error.offset == 100)
        let deep = String(repeating: "(", count: 100) + "'a' in topics" + String(repeating: ")", count: 100)
        #expect(try Condition(parsing: deep).description == "'a' in topics")
    }

    @Test func `a long word of the author's is cut in the message`() throws {
        let word = String(repeating: "x", count: 10_000)
        let error = try #require(throws: ConditionError.self) { try Condition(parsing: word) }
        #expect(error.message.count < 120)
        #expect(error.length == 10_000)
    }

    @Test func `a condition is made of three lists`() throws {
        let (a, b, c, d) = (
            try TopicName.sample("a"), try TopicName.sample("b"), try TopicName.sample("c"), try TopicName.sample("d")
        )
        let whole = try #require(Condition(any: [a, b], all: [c], none: [d]))
        #expect(
            whole.description == "('a' in topics || 'b' in topics) && 'c' in topics && !('d' in topics)")
        #expect(Condition(any: [a, b], all: [], none: [])?.description == "'a' in topics || 'b' in topics")
        #expect(Condition(any: [a], all: [b], none: [])?.description == "'a' in topics && 'b' in topics")
        #expect(
            Condition(any: [], all: [], none: [a, b])?.description == "!('a' in topics) && !('b' in topics)")
        #expect(Condition(any: [], all: [], none: []) == nil)
        #expect(Condition(any: [a, b], all: [c, d], none: [a]) != nil)
        #expect(Condition(any: [a, b], all: [c, d], none: [a, b]) == nil)
    }

    @Test func `topics are listed as they occur, and the excluded ones apart`() throws {
        let condition = try Condition(
            parsing: "'c' in topics && !('a' in topics || !('b' in topics)) && ('c' in topics || 'd' in topics)")
        #expect(condition.topics.map(\.rawValue) == ["c", "a", "b", "d"])
        #expect(condition.excluded == [try .sample("a")])
    }
}
