import FCM
import Foundation
import HeraldCore

/// A workspace on the way that `plan`, `review`, `preview` and `calendar` take with it, up to what they print.
struct WholeWay {
    let loaded: WorkspaceLoader.Loaded

    init(_ loaded: WorkspaceLoader.Loaded) { self.loaded = loaded }

    /// Whether a command goes on after it has read the files.
    var isOpen: Bool { loaded.workspace != nil && !loaded.diagnostics.hasErrors }

    private static let now = Date(timeIntervalSince1970: 1_796_000_000)

    /// Every document in every form. Those of the diagnostics come first; a plan's follow if there is no error.
    var shown: [String] {
        get throws {
            let paths = RepositoryPaths(root: "/", workspace: "/workspace")
            let document = DiagnosticsDocument(loaded.diagnostics, sources: loaded.sources)
            var shown = [document.codeQuality(in: paths).prettyText, document.markdown(named: "w", in: paths)]
            if !loaded.diagnostics.isEmpty {
                shown += DiagnosticsFormat.allCases.map { document.rendered(as: $0, in: paths) }
            }
            guard isOpen, let workspace = loaded.workspace, let index = try loaded.recipientIndex?.get() else {
                return shown
            }
            let recipients = ListedRecipients(index)
            let desired = try Resolver.desired(of: workspace, recipients)
            let plan = try plan(of: desired, workspace)
            shown += PlanFormat.allCases.map { plan.rendered(as: $0) }
            shown += [plan.json.prettyText, plan.terraform.prettyText]
            let previews = PreviewsDocument(try previews(of: desired, workspace, recipients))
            if !workspace.campaigns.isEmpty { shown += PreviewFormat.allCases.map { previews.rendered(as: $0) } }
            let calendar = CalendarDocument(
                of: workspace.campaigns, after: Self.now, through: Self.now.adding(.seconds(86_400)), limit: 100)
            let stamp = CalendarDocument.Stamp(project: workspace.settings.project, made: Self.now)
            return shown + CalendarFormat.allCases.map { calendar.rendered(as: $0, stamp) }
        }
    }

    private func plan(of desired: Desired, _ workspace: Workspace) throws -> PlanDocument {
        let proposal = Planner.outline(
            of: desired, workspace.settings, workspaceDigest: loaded.digest(), listsSkipped: workspace.listsSkipped,
            at: Self.now)
        var document = PlanDocument(proposal, id: "plan-1", created: Self.now)
        document.approval = Approval(loaded.definitions, suppress: [])
        (document.workspace, document.declared) = ("w", workspace.campaigns)
        document.texts = try workspace.shownTexts()
        return document
    }

    private func previews(
        of desired: Desired, _ workspace: Workspace, _ recipients: ListedRecipients
    ) throws -> [Preview] {
        var surroundings = Preview.Surroundings(
            settings: workspace.settings,
            registrations: try recipients.registrations(of: RecipientSet(desired.sends.flatMap(\.sampled).sorted())),
            endpoint: "http://127.0.0.1:1", signsIn: true)
        surroundings.listsSkipped = workspace.listsSkipped
        return try desired.sends.flatMap { wanted in
            guard wanted.campaign.personal != nil else {
                return [try Preview(of: wanted, in: surroundings, at: Self.now)]
            }
            return try TextChoice().texts(of: wanted, workspace.samples(for: wanted.campaign)).map {
                try Preview(of: wanted, showing: $0, in: surroundings, at: Self.now)
            }
        }
    }
}

extension RuleCase {
    /// The mistake and what is nearly it, with a row in each list that has columns.
    var filled: [[String: String]] {
        [MarkedFiles(wrong).files, right].map { files in
            Dictionary(uniqueKeysWithValues: files.map { ($0.key, Self.filled($0.value, in: $0.key)) })
        }
    }

    private static func filled(_ text: String, in name: String) -> String {
        let rows = text.hasSuffix("\n") || text.isEmpty ? text : "\(text)\n"
        if name.hasSuffix(".csv"), let header = text.split(separator: "\n").first {
            let columns = header.split(separator: ",", omittingEmptySubsequences: false)
            return rows + columns.map { _ in fid }.joined(separator: ",") + "\n"
        }
        return name.hasSuffix(".ndjson") ? rows + "{\"fid\":\"\(fid)\"}\n" : text
    }
}
