import ArgumentParser
import HeraldCore
import HeraldStore

struct StateExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "List the state's registrations, one JSON object a line.",
        discussion: """
            With their topics and groups. They appear as fingerprints unless --reveal-registrations stands beside it; \
            an app's server needs them in clear to delete what is dead.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Flag(help: "Only registrations that FCM declared dead, also where their owner has a living one.")
    var dead = false

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let store = try await context.state.open(for: .inspecting)
        let names = Fingerprinter(key: store.fingerprintKey, reveals: context.common.revealsRegistrations)
        let export = StateExportLines(try await store.snapshot(), names)
        if dead {
            try await store.eachTombstone { context.console.result(export.line(of: $0)) }
            return
        }
        for part in export.parts {
            context.console.result(export.text(of: try await store.registrations(of: part)))
        }
    }
}
