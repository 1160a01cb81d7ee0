import Testing

/// Keeps types small enough to be held in the head, or has them say why they are not.
@Suite struct WideTypeTests {
    @Test func `a type with more than 14 stored properties says why`() throws {
        let types = try SourceFile.all(in: "Sources").flatMap(\.types)
        #expect(types.count > 800)
        let wide = types.filter { $0.stored > 14 }
        #expect(wide.count > 10, "the count works")
        let silent = wide.filter { !$0.comment.contains("It has many parts, because") }
        #expect(silent.map { "\($0.name) has \($0.stored) (\($0.path))" } == [])
    }

    @Test func `stored properties are told from computed ones`() {
        let file = SourceFile(
            path: "x.swift",
            text: """
                /// A thing.
                package struct Thing: Sendable {
                    let one: Int
                    private(set) var two = [3, 4]
                    var (five, six) = (5, 6)
                    static let none = Thing()
                    var seven: Int { 7 }
                    var eight: Int {
                        let inner = 8
                        return inner
                    }
                    struct Inner {
                        var nine: String?
                    }
                }

                """)
        #expect(file.types.map(\.name) == ["Thing", "Inner"])
        #expect(file.types.map(\.stored) == [4, 1])
        #expect(file.types.map(\.comment) == ["/// A thing.", ""])
    }
}

/// A struct, a class or an actor of a source file.
private struct SourceType {
    var path: String
    var name: String
    var comment: String
    var stored = 0
}

extension SourceFile {
    /// Relies on the indentation that the format check enforces.
    fileprivate var types: [SourceType] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.compactMap { index in
            guard lines[index].hasSuffix("{"),
                let match = lines[index].firstMatch(
                    of: /^( *)(?:(?:package|private|fileprivate|final) )*(?:struct|class|actor) (\w+).*{$/)
            else { return nil }
            var comment: [Substring] = []
            for line in lines[..<index].reversed() {
                let line = line.drop { $0 == " " }
                guard line.hasPrefix("///") || line.hasPrefix("@") else { break }
                comment.insert(line, at: 0)
            }
            var type = SourceType(
                path: path, name: String(match.2), comment: comment.joined(separator: " ").replacing(" ///", with: ""))
            for line in lines[(index + 1)...] {
                if line == "\(match.1)}" { break }
                type.stored += line.dropFirst(match.1.count).storedProperties
            }
            return type
        }
    }
}

extension Substring {
    /// How many a line of a type's body declares.
    fileprivate var storedProperties: Int {
        guard hasPrefix("    "), !hasPrefix("     "),
            let match = firstMatch(
                of: /^    (?:(?:package|private|fileprivate|weak|lazy)(?:\(set\))? )*(?:var|let) (\(.*?\)|\w+)/),
            !hasSuffix("{"), !contains(/^[^=]*\{.*\}$/)
        else { return 0 }
        return match.1.count { $0 == "," } + 1
    }
}
