import FCM
import Foundation
import HeraldCore
import HeraldStore
import Synchronization

/// The lists of a run. They are read once; what comes due while the run goes on goes by the times of that moment, and by
/// the outcomes until then.
final class RunLists: Sendable {
    private let files: LoadedWorkspace
    private let location: any StateLocation
    private let first: Wanted
    private let rows: [String: PersonalRows]
    private let latest: Mutex<Wanted>

    init(_ lists: Wanted, of files: LoadedWorkspace, at location: any StateLocation) {
        (first, rows, self.files, self.location) = (lists, lists.desired.rows, files, location)
        latest = Mutex(lists)
    }

    /// What the files ask for at an instant. The state learns recipients who pass only since then. It changes no
    /// registration while sends go on: whoever has a newer one gets it with the next run.
    func desired(at now: Date, store: any StateStore) async throws -> Desired {
        guard files.workspace.goesByTime || files.workspace.goesByOutcomes else { return first.desiredOnceRecorded }
        let state = KnownState(store: store, recorded: try await store.snapshot())
        let judged = try await files.wanted(knownTo: state, at: location, judgedAt: now)
        try await judged.recordNew(in: store)
        latest.withLock { $0 = judged }
        var desired = judged.desiredOnceRecorded
        desired.keepWaiting(as: first.desired)
        return desired
    }

    /// The rows for a campaign's messages. Who was sent to by an earlier plan keeps the row.
    func values(of recipients: RecipientSet, for campaign: String) throws -> [RecipientID: FieldValues] {
        var values = try rows[campaign]?.values(of: recipients) ?? [:]
        guard values.count < recipients.count else { return values }
        let added = try latest.withLock(\.desired).rows[campaign]?.values(of: recipients) ?? [:]
        values.merge(added) { known, _ in known }
        return values
    }
}
