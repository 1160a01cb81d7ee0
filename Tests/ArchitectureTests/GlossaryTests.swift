import Testing

/// The words of the project fit on one screen; a longer list is a sign that too many were invented.
@Suite struct GlossaryTests {
    @Test func `the glossary has at most thirty words`() throws {
        let lines = try SourceFolder.text(of: "docs/reference/words.md").split(
            separator: "\n", omittingEmptySubsequences: false)
        let head = try #require(lines.firstIndex { $0.hasPrefix("| word |") }, "words.md has no table")
        let words = lines[head...].dropFirst(2).prefix { $0.hasPrefix("|") }
        #expect(!words.isEmpty)
        #expect(words.count <= 30)
    }
}
