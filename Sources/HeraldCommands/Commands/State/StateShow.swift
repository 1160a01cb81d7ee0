import ArgumentParser
import HeraldCore
import HeraldStore

struct StateShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show memberships and occurrences as the state has them.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "Only this topic, group, occurrence or campaign, by any name that it has had.")
    var name: String?

    @Flag(help: "Read all of the state first, and fail if any part of it is damaged.")
    var check = false

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let store = try await context.state.open(for: .inspecting)
        if check {
            try await store.check()
            context.console.info("herald: the state is sound\n")
        }
        var recorded = try await store.snapshot()
        if let name {
            let id = OccurrenceID(rawValue: name)
            // The snapshot has the locales and variants of open occurrences only.
            if recorded.occurrences[id] != nil { recorded.occurrences[id] = try await store.occurrence(id) }
        }
        let (crew, tombstones) = (try await context.state.crew(), try await store.tombstoneCount())
        var document = StateDocument(recorded, tombstones: tombstones, only: name, crew: crew)
        if let name, document.isEmpty {
            let names = CampaignNames(of: context.workspace.campaigns, recorded).recorded(of: name)
            let documents = names.lazy.map {
                StateDocument(recorded, tombstones: tombstones, only: $0, crew: crew)
            }
            document = documents.first { !$0.isEmpty } ?? document
        }
        if let name, document.isEmpty {
            throw CommandFailure(
                .wrong, "the state has no topic, group, campaign or occurrence '\(name)'",
                help: "'herald state show' without a name lists them")
        }
        context.console.result(document.rendered(as: format, context.console.output))
    }
}
