import ArgumentParser
import Foundation
import HeraldCore

struct StatePrune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Keep only counts of what was sent long ago.",
        discussion: """
            The outcomes of finished occurrences become counts: 'state show' is the same, but for locales and variants. \
            'state find' and 'state resolve' no longer know who got them. They are not sent again. An occurrence with unknown outcomes stays \
            as it is until 'state resolve' settles it. The state's files are written anew, so that nothing of what was \
            removed stays in them.
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
            let old = try await store.snapshot().occurrences.filter { $0.value.isPrunable(before: limit) }
            if !old.isEmpty {
                try context.confirm(
                    "Keep only counts of \(count(old.count, "occurrence")) finished before \(limit.rfc3339)?",
                    isApproved: autoApprove)
                try await store.commit([.prune(Set(old.keys))])
            }
            // This also frees what an earlier command could not free.
            try await context.compact(store)
            return old.count
        }
        context.console.info("herald: the state has only counts of \(count(pruned, "old occurrence"))\n")
    }
}
