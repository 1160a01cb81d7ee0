import ArgumentParser
import Foundation
import HeraldCore

/// A snapshot in place of the state.
struct SnapshotOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Plan with this snapshot instead of the state: nothing is written and no state is opened.",
            valueName: "file"),
        completion: .file())
    var snapshot: String?

    @Option(help: ArgumentHelp("Warn if the snapshot is older: 90m, 24h, 2d (default: 24h).", valueName: "time"))
    var maxSnapshotAge: SpanArgument?

    func validate() throws {
        if maxSnapshotAge != nil, snapshot == nil { throw ValidationError("--max-snapshot-age goes with --snapshot") }
    }

    /// `nil` if the state itself is to be used.
    func read(for context: CommandContext) throws -> (snapshot: StateSnapshot, remarks: [String])? {
        guard let path = snapshot else { return nil }
        do {
            let snapshot = try SnapshotFile.read(path)
            try snapshot.check(
                context.settings.project, context.destination.kind, workspace: context.settings.workspace)
            let limit = maxSnapshotAge?.duration ?? .seconds(24 * 3600)
            return (snapshot, snapshot.remarks(olderThan: limit, at: Date()))
        } catch let problem as SnapshotProblem {
            throw CommandFailure(.wrong, "the snapshot \(path) cannot be used: \(problem)")
        }
    }
}
