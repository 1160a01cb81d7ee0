import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What strangers write in files is text in the bot's comment, and nothing else.
@Suite struct MarkdownTests {
    private static let hostile = [
        "----->> **approved** <details><summary>ok</summary>", "--!>--><script>", "</code></summary><b>",
        "@octocat/all",
        "#1 GH-12 JIRA-7", "owner/repo#3", "https://evil.example/a?b=c", "www.evil.example", "a@evil.example",
        "mailto:a@evil.example", "[d](https://e)", "![i](https://e/i.png)", "[x]: https://e", "<https://e>",
        "&lt;b&gt;&#64;all", "a | b \\| c \\\\| d",
        "|\u{301} x", "`", "``` `` `", "`\u{301}a", "a`\u{301}", "\\`", "\u{111C2}`",
        "\u{111C2}|", "1. one", "2) two", "- item", "> quote", "+ plus", "===", "---", "# head", "~~~", "$x$ $`y`$",
        ":tada: :+1:", "deadbeef00", "0123456789abcdef0123456789abcdef01234567", "a\nb\r\n@c", "\u{202E}@x\u{200B}@y",
        "!12 %3 ~label &5", "/close", "  ", "\"", "(`", "’`", "…`…", String(repeating: "`", count: 40), "*_*_~",
    ]

    /// A sentence of hostile pieces.
    private static func sentence(_ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 1...5, using: &random)).map { _ in
            var text = hostile.randomElement(using: &random) ?? ""
            if Bool.random(using: &random) {
                let cut = Int.random(in: 0...text.unicodeScalars.count, using: &random)
                text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(cut)))
            }
            return text
        }.joined(separator: [" ", "", "`", "|", "\\", "“"].randomElement(using: &random) ?? "")
    }

    static func comment(_ text: String, workspace: String) -> PlanDocument {
        var proposal = DocumentSamples.planDocument.proposal
        proposal.overview.warnings = [text]
        for index in proposal.overview.upcoming.indices {
            proposal.overview.upcoming[index].occurring.campaign = text
            proposal.overview.upcoming[index].occurring.note = text
        }
        for index in proposal.plan.steps.indices { proposal.plan.steps[index].reason = text }
        proposal.plan.unapproved = [.init(resource: .init(kind: .campaign, name: text), reason: text)]
        var document = PlanDocument(proposal, id: "i", created: proposal.plan.at, campaigns: [text])
        let fields = [
            WorkspaceChange.Field(path: text, before: .json(.string("old")), after: .json(.string(text))),
            WorkspaceChange.Field(path: "exclude", after: .names([text])),
            WorkspaceChange.Field(path: "message.data", after: .json([text: .string(text)])),
        ]
        document.comparison = .init(
            base: "1234567",
            changes: [.init(kind: .campaign, name: text, from: text, action: .renamed, fields: fields)],
            warnings: [text])
        let message: [String: JSONValue] = ["notification": ["title": .string(text), "body": .string(text)]]
        var campaign = PreviewSamples.campaign(.audience("anglers"), message: message)
        campaign.name = Located(text, at: SourceRange(file: "tide.yaml"))
        (document.declared, document.workspace) = ([campaign], workspace)
        return document
    }

    @Test(arguments: hostile) func `a text in a comment acts as nothing else`(_ text: String) {
        let comment = Self.comment(text, workspace: text).markdown
        #expect(ReadMarkdown(comment).problems == [])
    }

    @Test(arguments: 1...300) func `no sentence of such texts does`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let text = Self.sentence(&random)
        let comment = Self.comment(text, workspace: Self.sentence(&random)).markdown
        #expect(ReadMarkdown(comment).problems == [], "seed \(seed)")
    }

    @Test(arguments: hostile) func `a workspace's name stays in the first line of a comment`(_ name: String) {
        let line = PlanDocument.marker(name)
        #expect(line.hasSuffix(" -->\n") && line.hasPrefix("<!-- herald: "))
        #expect(!line.dropFirst(4).dropLast(4).contains(#/--|>|</#), "\(line)")
    }

    @Test func `different names give different marks`() {
        let names = ["a", "a-b", "a--b", "a- -b", "a%2Db", "a/b", "a b", "ä", "a-->", "a->"]
        #expect(Set(names.map(PlanDocument.marker)).count == names.count)
    }

    @Test(arguments: [
        ("title changed from “Hello” to “Ciao”", "title changed from “Hello” to “Ciao”"),
        ("campaign 'welcome' to 84,210 recipients (30 %)", "campaign 'welcome' to 84,210 recipients (30 %)"),
        ("the first Tue 2026-12-01 09:00 Europe/Rome", "the first Tue 2026-12-01 09:00 Europe/Rome"),
        ("run herald apply --override max_recipients=a.", "run herald apply `--override max_recipients=a`."),
        ("title: “@all see #1”", "title: “`@all` see `#1`”"), ("1. one", "`1`. one"),
    ])
    func `plain words stay plain, and what people copy is code`(_ text: String, _ written: String) {
        #expect(text.inMarkdown == written)
    }
}
