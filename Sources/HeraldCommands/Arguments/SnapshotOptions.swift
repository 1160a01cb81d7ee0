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
        if maxSnapshotAge != nil, snapshot == nil {
            throw ValidationError("--max-snapshot-age has no snapshot", help: "add --snapshot FILE")
        }
    }

    /// `nil` if the state itself is to be used.
    ///
    /// - Parameters:
    ///   - owner: What it must belong to.
    ///   - now: What its age is judged by.
    func read(of owner: StateOwner, at now: Date = Date()) throws -> (snapshot: StateSnapshot, remarks: [String])? {
        guard let path = snapshot else { return nil }
        do {
            let snapshot = try SnapshotFile.read(path)
            try snapshot.check(owner.project, owner.endpoint, workspace: owner.workspace)
            let limit = maxSnapshotAge?.duration ?? .seconds(24 * 3600)
            return (snapshot, snapshot.remarks(olderThan: limit, at: now))
        } catch let problem as SnapshotProblem {
            throw CommandFailure(.wrong, "the snapshot \(path) cannot be used: \(problem)", help: problem.help)
        }
    }
}
