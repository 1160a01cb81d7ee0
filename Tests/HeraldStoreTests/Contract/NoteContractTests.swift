import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store keeps as notes.
struct NoteContractTests {
    private static let run = RecordedRun(
        run: "20261125T090000Z-ab12", started: Date(timeIntervalSince1970: 1_795_000_000),
        finished: Date(timeIntervalSince1970: 1_795_000_060), result: "failed",
        figures: ["accepted": 12, "rejected": 1, "unknown": 0],
        refusals: [RunRefusal(kind: "foreign_group", step: "group_create:chris", finding: "it exists")])

    @Test(arguments: StoreKind.allCases)
    func `the last run is kept, and takes the place of the one before`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        #expect(try await open.store.snapshot().lastRun == nil)
        var before = Self.run
        before.result = "ok"
        try await open.commit(.lastRun(before))
        try await open.commit(.lastRun(Self.run))
        let state = try await open.reopened()
        #expect(state.lastRun == Self.run)
        #expect(state.lastRun?.figures == ["accepted": 12, "rejected": 1])
        // No saved plan becomes stale because a run ended.
        #expect(state.serial == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a run that began is known until one ends`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        #expect(try await open.store.snapshot().begunRun == nil)
        for run in ["20261125T085900Z-aa11", Self.run.run] {
            try await open.commit(.begunRun(BegunRun(run: run, started: Self.run.started)))
        }
        let begun = try await open.store.snapshot().begunRun
        #expect(begun == BegunRun(run: Self.run.run, started: Self.run.started))
        for change in StateChange.end(of: Self.run) { try await open.commit(change) }
        let state = try await open.reopened()
        #expect(state.begunRun == nil && state.lastRun == Self.run)
        #expect(state.serial == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a note that somebody else makes is seen at once`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        #expect(try await open.store.notes().isEmpty)
        try await open.other().commit([.note(.told, "old"), .note(.told, "new"), .note(.delivered, "[]")])
        #expect(try await open.store.notes() == [.told: "new", .delivered: "[]"])
        #expect(try await open.store.snapshot().notes == open.store.notes())
    }

    @Test(arguments: StoreKind.allCases)
    func `what somebody else approves is seen at once`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        #expect(try await open.store.approvals().isEmpty)
        let approvals = [
            "campaign:tide": RecordedApproval(digest: "sha256:12", size: 3, by: "Anna", at: Self.run.started),
            "settings:": RecordedApproval(digest: "sha256:13", size: nil, by: "Anna", at: Self.run.started),
        ]
        try await open.other().commit([.approve(approvals)])
        #expect(try await open.store.approvals() == approvals)
        #expect(try await open.store.snapshot().approvals == approvals)
    }

    @Test(arguments: StoreKind.allCases)
    func `that people were tried again is kept, and forgotten with the occurrence`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.open(.tide, .sample()), .open(.wind, .sample("wind")))
        try await open.commit(open.store.snapshot().tryingAgain([.tide], after: 7))
        try await open.commit(open.store.snapshot().tryingAgain([.tide, .wind], after: 5))
        #expect(try await open.reopened().triedAgain == [.tide: 7, .wind: 5])
        try await open.commit(.drop(.occurrence(.tide)))
        try await open.commit(open.store.snapshot().tryingAgain([.wind], after: 9))
        #expect(try await open.reopened().triedAgain == [.wind: 9])
    }

    @Test(arguments: [(-1.0, false), (0, true), (1, true)])
    func `a run is not the last one if an older herald ended a later one`(_ after: Double, _ isShown: Bool) {
        var state = RecordedState(identity: OpenStore.identity)
        let begun = BegunRun(run: "20261125T085900Z-aa11", started: Self.run.finished + after)
        // An older herald knows no other note.
        state.apply([.begunRun(begun), .lastRun(Self.run)])
        #expect(state.begunRun == (isShown ? begun : nil))
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"run": 1}"#, #"{"run":"r","started":"x","finished":"y","result":"ok","figures":{}}"#,
    ])
    func `a note that makes no sense is none`(_ text: String) {
        var state = RecordedState(identity: OpenStore.identity)
        state.apply([.note(.lastRun, text), .note(.begunRun, text), .note(.triedAgain, text)])
        #expect(state.lastRun == nil && state.begunRun == nil && state.triedAgain[.tide] == nil)
    }
}
