import HeraldCore
import HeraldTestSupport
import Testing

struct RuleReferenceTests {
    @Test func `the reference says what the rules say`() throws {
        #expect(try Golden("../../../../docs/reference/rules.md").text(recording: reference) == reference)
    }

    @Test(arguments: Rule.allCases)
    func `every rule is shown with an example`(_ rule: Rule) {
        #expect(section(rule).contains("```yaml"))
    }

    @Test(arguments: RuleCase.all)
    func `a rule's diagnostics are of its severity`(_ mistake: RuleCase) throws {
        let folder = try TemporaryFolder(
            ["herald.yaml": settingsText].merging(MarkedFiles(mistake.wrong).files) { _, given in given })
        try mistake.prepare(folder)
        let found = try WorkspaceLoader.load(folder, lists: mistake.lists, keepsLists: mistake.keepsLists).diagnostics
            .filter {
                $0.rule == mistake.rule
            }
        #expect(found.allSatisfy { $0.severity == mistake.rule.severity })
    }

    @Test func `the campaigns of the repository have no errors`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").path
        let folder = try #require(WorkspaceFolder(at: "\(root)/campaigns"))
        #expect(WorkspaceLoader.load(folder, environment: [:]).diagnostics.filter { $0.severity == .error } == [])
    }

    private var reference: String {
        """
        # Rules

        Everything herald says about the files of a workspace. An error keeps `plan` and `apply` from doing anything; a \
        warning does not. A comment on the line of a warning, or above it, silences it and says why:

        ```yaml
        # herald: allow image-http the museum's server has nothing else
        image: http://museum.example/a.png
        ```

        This page is generated from the rules and from the examples that test them (`RECORD=1`).

        """
            + Rule.allCases.map(section).joined()
    }

    private func section(_ rule: Rule) -> String {
        var text = "\n## \(rule.rawValue)\n\n\(rule.severity.rawValue.capitalized). \(rule.meaning)\n"
        let cases = RuleCase.all.filter { $0.rule == rule }
        if let example = cases.lazy.compactMap(\.example).first {
            text += "\n```yaml\n# wrong\n\(example.wrong)\n# right\n\(example.right)\n```\n"
        } else if let first = cases.first {
            let files = first.exampleFiles
            text += "\nWrong (\(first.name)):\n\n\(files.wrong)\n\nRight:\n\n\(files.right)\n"
        }
        return text
    }
}

extension RuleCase {
    /// All files of the two workspaces, without trivial settings and with long lines shortened.
    fileprivate var exampleFiles: (wrong: String, right: String) {
        (Self.shown(wrong.mapValues { MarkedText($0).text }), Self.shown(right))
    }

    private static func shown(_ files: [String: String]) -> String {
        files.filter { $0.value != settingsText }.sorted { $0.key < $1.key }.map { name, text in
            let lines = text.lines.map { $0.count <= 160 ? String($0) : "\($0.prefix(70))…\($0.suffix(20))" }
            return "```yaml\n# \(name)\n\(lines.joined(separator: "\n"))\n```"
        }.joined(separator: "\n\n")
    }

    /// The lines in which the two workspaces differ, if there is exactly one difference and it says enough.
    fileprivate var example: (wrong: String, right: String)? {
        let files = Set(wrong.keys).union(right.keys)
        let changed = files.filter { wrong[$0].map { MarkedText($0).text } != right[$0] }
        guard changed.count == 1, let file = changed.first, let wrong = wrong[file], let right = right[file] else {
            return nil
        }
        var (before, after) = (MarkedText(wrong).text.lines, right.lines)
        while let one = before.first, one == after.first {
            before.removeFirst()
            after.removeFirst()
        }
        while let one = before.last, one == after.last {
            before.removeLast()
            after.removeLast()
        }
        let isShown = { (lines: [Substring]) in (1...4).contains(lines.count) && lines.allSatisfy { $0.count <= 160 } }
        guard isShown(before), isShown(after) else { return nil }
        return (before.joined(separator: "\n"), after.joined(separator: "\n"))
    }
}

extension String {
    fileprivate var lines: [Substring] { split(separator: "\n", omittingEmptySubsequences: true) }
}
