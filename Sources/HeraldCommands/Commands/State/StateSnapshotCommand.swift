import ArgumentParser
import Foundation
import HeraldCore
import HeraldStore

struct StateSnapshotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Write what plans need of the state, and no registration.",
        discussion: """
            A JSON document for machines that plan and must not have the state, such as a CI: 'plan --snapshot FILE'. It \
            has campaigns, occurrences with counts, watermarks, pauses, and how many members topics, groups and audiences \
            have; and what 'status' and 'site' show. It has no registrations, no fingerprints, no messages and no names of groups. docs/how-to/snapshot.md says how \
            it gets there. With 'state: {snapshot: FILE}' in herald.yaml every apply and run writes one.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(
        help: ArgumentHelp("Write it to this file, which is replaced if it is a snapshot.", valueName: "file"),
        completion: .file())
    var out: String?

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let snapshot = try await context.snapshot(of: try await context.state.open(for: .inspecting))
        guard let out else { return context.console.result(SnapshotDocument(snapshot).json.prettyText) }
        try SnapshotFile.write(snapshot, to: out)
        context.console.info("herald: wrote a snapshot of the state \(context.state.name) to \(out)\n")
    }
}
