import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The pages: whole samples in `Golden/`, and that no text in them is more than text.
@Suite struct PageTests {
    /// U+111C2 makes one character of itself and the `<` after it, and an accent does so with the quotation mark before
    /// it. Escaping must not be misled by either.
    private static let hostile = [
        "<script>window.ran = 1</script>", "\"><img src=x onerror=\"window.ran = 1\">", "' onmouseover='window.ran = 1",
        "\u{111C2}<script>window.ran = 1</script>", "\"\u{301} onmouseover=\"window.ran = 1", "&lt;b&gt; &amp;",
        "</style></title></pre><!--", "{{title}}{{{title}}}{{>head}}", "\u{202E}gnp\u{2066}.\u{2028}\u{0}\u{7F}",
        String(repeating: "W", count: 300),
    ]

    private static func preview(_ text: String) throws -> String {
        let message: [String: JSONValue] = [
            "notification": ["title": .string(text), "body": .string(text), "image": .string(text)],
            "data": ["key": .string(text)],
            "webpush": ["notification": ["actions": [["title": .string(text)], ["title": .string(text)]]]],
            "apns": ["payload": ["aps": ["mutable-content": 1, "category": .string(text)]]],
        ]
        let send = DesiredSend(
            campaign: PreviewSamples.campaign(.audience("anglers"), message: message), members: RecipientSet(1...2))
        var preview = try Preview(
            of: send, in: PreviewSamples.surroundings((1...2).map { Registration.fid($0) }), at: PreviewSamples.now)
        preview.campaign = text
        preview.warnings = [text]
        return PreviewsDocument([preview]).page(mistakes: text)
    }

    private static func plan(_ text: String) -> String {
        var proposal = DocumentSamples.planDocument.proposal
        proposal.overview.warnings = [text]
        for index in proposal.overview.upcoming.indices {
            proposal.overview.upcoming[index].occurring.campaign = text
            proposal.overview.upcoming[index].occurring.note = text
        }
        for index in proposal.plan.steps.indices { proposal.plan.steps[index].reason = text }
        var document = PlanDocument(proposal, id: "i", created: proposal.plan.at, campaigns: [text])
        let field = WorkspaceChange.Field(path: text, before: .json(.string("old")), after: .json(.string(text)))
        let change = WorkspaceChange(kind: .campaign, name: text, action: .changed, fields: [field])
        document.comparison = .init(base: text, changes: [change], warnings: [text])
        let message: [String: JSONValue] = ["notification": ["title": .string(text), "body": .string(text)]]
        var campaign = PreviewSamples.campaign(.audience("anglers"), message: message)
        campaign.name = Located(text, at: SourceRange(file: "tide.yaml"))
        document.declared = [campaign]
        return document.html
    }

    private static func report(_ text: String) -> String {
        var report = DocumentSamples.report
        report.run = text
        report.notes = [text]
        for index in report.steps.indices { report.steps[index].note = text }
        return ReportDocument(report).html
    }

    private static func pages(_ text: String) throws -> [String] { [try preview(text), plan(text), report(text)] }

    /// All tags, without the values of their attributes. A browser reads scalars, so this does, too.
    private static func tags(_ page: String) -> [String] {
        page.matches(of: #/<[^<>]*>/#.matchingSemantics(.unicodeScalar)).map {
            String($0.output).replacing(#/"[^"]*"/#.matchingSemantics(.unicodeScalar), with: "")
        }
    }

    @Test(arguments: hostile)
    func `no text is markup`(_ text: String) throws {
        for (found, tame) in zip(try Self.pages(text), try Self.pages("plain")) {
            // Cut lines differ in number.
            let isLine = { (tag: String) in ["<span>", "</span>", "<small>", "</small>"].contains(tag) }
            #expect(Self.tags(found).filter { !isLine($0) } == Self.tags(tame).filter { !isLine($0) })
            let brackets = { (page: String) in page.unicodeScalars.count { $0 == "<" } }
            #expect(brackets(found) == Self.tags(found).count)
            #expect(
                !found.unicodeScalars.contains {
                    $0.value < 32 && $0 != "\n" || "\u{202E}\u{2066}\u{2028}\u{7F}".unicodeScalars.contains($0)
                })
        }
    }

    @Test func `what is hostile is shown, too`() throws {
        for page in try Self.pages("a\u{202E}b<i>") { #expect(page.contains("a‹U+202E›b&lt;i&gt;")) }
        for page in try Self.pages("👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 שלום") { #expect(page.contains("👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 שלום")) }
    }

    @Test func `a page loads nothing and runs nothing`() throws {
        for page in try Self.pages("plain") {
            #expect(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\""))
            #expect(page.matches(of: #/<script|\ssrc=|url\(|@import/#).isEmpty)
            let links = page.matches(of: #/\shref="([^"]*)"/#).map { String($0.1) }
            #expect(links.allSatisfy { $0.hasPrefix("#") || $0 == "data:," })
        }
    }

    @Test func `only a served page has a script, and one that knows its version`() {
        let page = PreviewsDocument([]).page(version: "7f")
        #expect(page.contains("<meta name=\"version\" content=\"7f\">"))
        #expect(page.contains("<script src=\"/reload.js\" defer></script>"))
        #expect(page.contains("script-src 'self'"))
        #expect(PreviewsDocument.reloadingScript.contains("/version"))
    }

    /// Escaping is ours only where the template says so, and styles are read as templates.
    @Test func `every template escapes`() {
        for (name, bytes) in Page.files {
            let text = String(decoding: bytes, as: UTF8.self)
            let isStyle = !text.contains("<")
            #expect(isStyle ? !text.contains("{{") : text.hasPrefix("{{% CONTENT_TYPE:MARKUP}}\n"), "\(name)")
            #expect(!text.contains("{{{") && !text.contains("{{&"), "\(name)")
        }
    }

    /// A browser could not show ten thousand of them.
    @Test(
        arguments: [(500, 0, nil), (501, 0, "and 1 more;"), (2000, 3, "and 1,503 more;")] as [(Int, Int, String?)])
    func `a page lists the next 500 sends, and counts the others`(number: Int, omitted: Int, rest: String?) throws {
        var proposal = DocumentSamples.planDocument.proposal
        let first = try #require(proposal.overview.upcoming.first)
        proposal.plan.waiting = []
        proposal.overview.upcomingOmitted = omitted
        proposal.overview.upcoming = (1...number).map { number in
            var upcoming = first
            upcoming.occurring.campaign = "coming-\(number)"
            upcoming.occurring.at = first.occurring.at.adding(.seconds(number))
            return upcoming
        }
        let page = PlanDocument(proposal, id: "i", created: proposal.plan.at).html
        let listed = page.matches(of: #/coming-(\d+)/#).compactMap { Int($0.1) }
        #expect(Set(listed) == Set(1...500) && listed.count == 500)
        let found = page.firstMatch(of: #/and [\d,]+ more;/#).map { String($0.output) }
        #expect(found == rest)
    }

    @Test func `a plan and a preview read as they were reviewed`() throws {
        let plan = DocumentSamples.planDocument.html.withNamedStyles
        #expect(plan == (try Golden("plan.html").text(recording: plan)))
        let preview = PreviewDocument(try PreviewSamples.listed()).rendered(as: .html).withNamedStyles
        #expect(preview == (try Golden("preview.html").text(recording: preview)))
    }
}

extension String {
    /// A page with the names of its style sheets in place of what is in them.
    var withNamedStyles: String {
        Page.files.reduce(self) { page, file in
            let text = String(decoding: file.bytes, as: UTF8.self)
            return text.contains("<") ? page : page.replacing(text, with: "/* \(file.name).css */\n")
        }
    }
}
