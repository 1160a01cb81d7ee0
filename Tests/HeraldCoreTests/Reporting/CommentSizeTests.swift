import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Comments on pull requests have at most 60,000 bytes, and leave nothing out without a word.
@Suite struct CommentSizeTests {
    private static func change(_ kind: Definition.Kind, _ name: String, length: Int = 200) -> WorkspaceChange {
        let field = WorkspaceChange.Field(
            path: "message.data.x", before: .json("a"), after: .json(.string(String(repeating: "b", count: length))))
        return WorkspaceChange(kind: kind, name: name, action: .changed, fields: [field])
    }

    private static func comment(_ changes: [WorkspaceChange], _ change: (inout Proposal) -> Void = { _ in }) -> String {
        var proposal = DocumentSamples.planDocument.proposal
        change(&proposal)
        var document = PlanDocument(proposal, id: "i", created: proposal.plan.at)
        document.comparison = .init(base: "1234567", changes: changes, warnings: ["look at the base"])
        return document.markdown
    }

    @Test(arguments: [1, 90, 400]) func `whatever changed is named`(_ number: Int) {
        let settings = Self.change(.settings, "")
        let changes =
            [settings] + (1...number).map { Self.change(.campaign, "c\($0)") } + [Self.change(.audience, "last")]
        let comment = Self.comment(changes)
        #expect(comment.utf8.count <= 60_000)
        for change in changes { #expect(comment.contains("- **\(change.title)**"), "\(change.title)") }
        #expect(comment.contains("- **settings**\n  - message.data.x changed"))
        #expect(comment.contains("- look at the base\n"))
        let cut = comment.matches(of: #/'\*\*: …\n/#).count
        #expect(comment.contains("\nDetails of \(cut) do not fit here: plan.json has all of them.\n") == (cut > 0))
        // Nothing is cut while there is room.
        #expect((cut == 0) == (number < 400) && (cut == 0 || comment.utf8.count > 59_000))
    }

    @Test(arguments: [10, 5000]) func `what is not even named is counted`(_ number: Int) throws {
        let changes = [Self.change(.settings, "")] + (1...number).map { Self.change(.topic, "t\($0)") }
        let comment = Self.comment(changes) { proposal in
            proposal.overview.warnings = (1...99).map { String(repeating: "\($0) ", count: 300) }
            proposal.plan.steps = (1...999).map { number in
                var step = proposal.plan.steps[0]
                step.reason = "number \(number)"
                return step
            }
        }
        #expect(comment.utf8.count <= 60_000)
        #expect(comment.contains("### What is done now") && comment.contains("### Coming up"))
        #expect(comment.contains("- **settings**\n  - message.data.x changed"))
        let named = comment.matches(of: #/- \*\*topic/#).count
        let rest = "\n… and \((number - named).grouped) more that do not fit here.\n"
        #expect(comment.contains(rest) == (named < number))
        #expect((named < number) == (number == 5000))
    }

    @Test(arguments: [3, 60]) func `mistakes are counted where they do not fit`(_ number: Int) throws {
        let text = String(repeating: "\u{202E}x ", count: 900)
        let mistake = Diagnostic.error(.unknownKey, text, at: SourceRange(file: "a.yaml"))
        let mistakes = (1...number).map { _ in mistake }
        let comment = DiagnosticsDocument(mistakes, sources: [:])
            .markdown(named: "w", in: RepositoryPaths(root: "/r", workspace: "/r"))
        #expect(comment.utf8.count <= 60_000)
        let shown = comment.matches(of: #/- a\.yaml: /#).count
        let rest = "\n… and \(number - shown) more; 'herald validate' shows them all.\n"
        #expect(comment.hasSuffix(rest) == (shown < number))
        #expect((shown < number) == (number == 60) && shown >= 3)
    }
}
