import ArgumentParser
import Foundation
import HeraldCore

struct StatePrune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Keep only counts of what was sent long ago.",
        discussion: """
            The outcomes of finished occurrences become counts: 'state show' is the same, but for locales and variants. \
            'state find' and 'state resolve' no longer know who got them. They are not sent again. An occurrence with unknown outcomes stays \
            as it is until 'state resolve' settles it, and one that an audience with 'outcome' goes by stays, too. The \
            state's files are written anew, so that nothing of what was removed stays in them.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(help: ArgumentHelp("Those that finished longer ago than this: 180d.", valueName: "time"))
    var olderThan: SpanArgument

    @Flag(help: "Do not ask.")
    var autoApprove = false

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let limit = context.machine.now().addingTimeInterval(-olderThan.duration.seconds)
        let pruned = try await context.repairing { store in
            let recorded = try await store.snapshot()
            let followed = try followed(in: recorded, context)
            var old: Set<OccurrenceID> = []
            for (id, known) in recorded.occurrences where known.isPrunable(before: limit) {
                // What was pruned before has no ledger to read.
                if try await store.occurrence(id)?.ledger != nil { old.insert(id) }
            }
            for (id, audience) in followed.sorted(by: { $0.key < $1.key }) where old.remove(id) != nil {
                context.console.info("herald: \(id) stays whole: audience '\(audience)' goes by it\n")
            }
            if !old.isEmpty {
                try context.confirm(
                    "Keep only counts of \(count(old.count, "occurrence")) finished before \(limit.rfc3339)?",
                    isApproved: autoApprove)
                try await store.commit([.prune(old)])
            }
            // This also frees what an earlier command could not free.
            try await context.compact(store)
            return old.count
        }
        context.console.info("herald: the state has only counts of \(count(pruned, "old occurrence"))\n")
    }

    /// What audiences go by. Without it, every plan would fail.
    private func followed(in recorded: RecordedState, _ context: CommandContext) throws -> [OccurrenceID: String] {
        let loaded = WorkspaceLoader.load(
            context.files.folder, environment: context.common.environment, lists: .skip, at: context.machine.now())
        guard let workspace = loaded.workspace, !loaded.diagnostics.hasErrors else {
            throw CommandFailure(
                .wrong, "files of the workspace have mistakes, so nobody knows which occurrences audiences go by",
                help: "correct what 'herald validate' says, then prune again")
        }
        return FollowedOccurrences(of: workspace, in: recorded, at: context.machine.now()).audiences
    }
}
