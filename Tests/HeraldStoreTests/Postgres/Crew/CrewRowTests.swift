import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCore
@testable import HeraldStore

/// The rows of a shared personal campaign: who gets them, and when they are gone.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct CrewRowTests {
    /// A run that has shared a personal campaign.
    private struct Shared {
        let scene: CrewScene
        let lease: RunLease
        let conductor: any Crew
        let job: JobID

        /// - Parameter rows: what the lists have.
        init(
            _ scene: CrewScene, to members: RecipientSet,
            rows: @escaping @Sendable (RecipientSet) throws -> [RecipientID: FieldValues]
        ) async throws {
            self.scene = scene
            lease = try await RunLease.take(scene.server, run: "run", CrewScene.times)
            conductor = try #require(try await lease.gather(rate: .unlimited))
            guard case .send(let send) = scene.plan(RecordedState(identity: OpenStore.identity)).steps[0].work else {
                throw CancellationError()
            }
            try await PostgresStore.open(scene.server, under: lease).commit([
                .open(send.occurrence, RecordedOccurrence(send)), .assign(send.occurrence, scene.partakers),
            ])
            let shared = SharedSend(send, within: TimeLimits(), ramped: .zero, scene.options)
            job = try await conductor.share(shared, to: members, rows: rows)
        }

        func helper() async throws -> PostgresCrew {
            let helper = try await PostgresCrew.join(
                scene.server, project: "tide-app", endpoint: .emulator, times: CrewScene.times)
            let job = job
            try await scene.eventually { try await helper.nextJob(except: [])?.0 == job }
            return helper
        }

        func rowsLeft() async throws -> Int64 {
            try await PostgresStore.open(scene.server).reading {
                try $0.commit([PostgresStatement("SELECT count(*) FROM @job_row")])[0].first?.int(0) ?? -1
            }
        }

        func end(_ helpers: PostgresCrew...) async {
            for helper in helpers { await helper.disband() }
            await conductor.disband()
            await lease.release()
        }
    }

    private func row(_ id: RecipientID) -> FieldValues { FieldValues(["name \(id)", nil, "\(id)"]) }

    /// All that is left to claim.
    private func claims(of crew: any Crew, in job: JobID) async throws -> [Claim] {
        var claims: [Claim] = []
        while true {
            let claim = try await crew.claim(in: job)
            if claim.members.isEmpty { return claims }
            claims.append(claim)
        }
    }

    @Test func `every claim of a helper has the rows of its members, and nobody's besides`() async throws {
        let scene = try await CrewScene.personal(10)
        // In several slices, more than one piece each, and more pieces than are written at once.
        let members = RecipientSet((1...12_000).filter { $0 % 3 != 0 })
        let largest = Mutex(0)
        let shared = try await Shared(scene, to: members) { ids in
            largest.withLock { $0 = max($0, ids.count) }
            return Dictionary(uniqueKeysWithValues: ids.filter { $0 % 100 != 0 }.map { ($0, row($0)) })
        }
        #expect(largest.withLock(\.self) <= 1024, "few rows are in memory at once")
        let helper = try await shared.helper()
        let claims = try await claims(of: helper, in: shared.job)
        var seen = RecipientSet()
        for claim in claims {
            #expect(seen.intersection(claim.members).isEmpty)
            seen.formUnion(claim.members)
            #expect(claim.rows == Dictionary(uniqueKeysWithValues: claim.members.map { ($0, row($0)) }))
        }
        #expect(claims.count > 64 / 4)
        #expect(Array(seen) == members.filter { $0 % 100 != 0 }, "who has no row is not shared")
        await shared.end(helper)
    }

    @Test func `the run itself reads no rows from the state`() async throws {
        let shared = try await Shared(CrewScene.personal(10), to: RecipientSet(1...500)) {
            Dictionary(uniqueKeysWithValues: $0.map { ($0, row($0)) })
        }
        let claim = try await shared.conductor.claim(in: shared.job)
        #expect(!claim.members.isEmpty && claim.rows.isEmpty)
        await shared.end()
    }

    @Test func `what one gives back another gets with the rows of those who were not tried`() async throws {
        let shared = try await Shared(CrewScene.personal(2000), to: RecipientSet(1...2000)) {
            Dictionary(uniqueKeysWithValues: $0.map { ($0, row($0)) })
        }
        let first = try await shared.helper()
        let claimed = try await first.claim(in: shared.job).members
        let tried = RecipientSet(claimed.filter { $0 % 2 == 0 })
        for entry in [LedgerEntry.intended, .accepted] {
            try await first.store.commit([.outcome(CrewScene.occurrence, tried, entry)])
        }
        _ = try await first.leave(shared.job)
        let second = try await shared.helper()
        var rows: [RecipientID: FieldValues] = [:]
        for claim in try await claims(of: second, in: shared.job) {
            #expect(claim.members == RecipientSet(claim.rows.keys.sorted()))
            rows.merge(claim.rows) { _, _ in FieldValues([]) }
        }
        let left = RecipientSet(1...2000).subtracting(tried)
        #expect(rows == Dictionary(uniqueKeysWithValues: left.map { ($0, row($0)) }))
        await shared.end(first, second)
    }

    @Test func `an emptied table gives members without rows`() async throws {
        let shared = try await Shared(CrewScene.personal(10), to: RecipientSet(1...500)) {
            Dictionary(uniqueKeysWithValues: $0.map { ($0, row($0)) })
        }
        let helper = try await shared.helper()
        try await shared.scene.sql("TRUNCATE @job_row")
        let claim = try await helper.claim(in: shared.job)
        #expect(!claim.members.isEmpty && claim.rows.isEmpty)
        await shared.end(helper)
    }

    @Test func `the end of the job deletes its rows`() async throws {
        let shared = try await Shared(CrewScene.personal(10), to: RecipientSet(1...500)) {
            Dictionary(uniqueKeysWithValues: $0.map { ($0, row($0)) })
        }
        #expect(try await shared.scene.leftovers() > 2)
        _ = try await shared.conductor.leave(shared.job)
        #expect(try await shared.scene.leftovers() == 0)
        await shared.end()
    }

    @Test func `a run that could not end its job leaves no rows`() async throws {
        let shared = try await Shared(CrewScene.personal(10), to: RecipientSet(1...500)) {
            Dictionary(uniqueKeysWithValues: $0.map { ($0, row($0)) })
        }
        #expect(try await shared.rowsLeft() > 0)
        await shared.end()
        #expect(try await shared.rowsLeft() == 0)
    }

    @Test func `what a run left that died goes with the next lock, and its job with the next send`() async throws {
        let shared = try await Shared(CrewScene.personal(10), to: RecipientSet(1...500)) {
            Dictionary(uniqueKeysWithValues: $0.map { ($0, row($0)) })
        }
        #expect(try await RunLease.end("run", on: shared.scene.server))
        #expect(try await shared.rowsLeft() > 0)
        let next = try await RunLease.take(shared.scene.server, run: "next", CrewScene.times)
        #expect(try await shared.rowsLeft() == 0)
        let crew = try await next.gather(rate: .unlimited)
        #expect(try await shared.scene.leftovers() == 0)
        await crew?.disband()
        await next.release()
        await shared.end()
    }

    @Test func `rows that cannot be read in the middle leave no job`() async throws {
        struct Unreadable: Error {}
        let scene = try await CrewScene.personal(10)
        let lease = try await RunLease.take(scene.server, run: "run", CrewScene.times)
        let conductor = try #require(try await lease.gather(rate: .unlimited))
        guard case .send(let send) = scene.plan(RecordedState(identity: OpenStore.identity)).steps[0].work else {
            throw CancellationError()
        }
        let shared = SharedSend(send, within: TimeLimits(), ramped: .zero, scene.options)
        let before = try await scene.leftovers()
        await #expect(throws: Unreadable.self) {
            // The first block is written by then.
            _ = try await conductor.share(shared, to: RecipientSet(1...12_000)) { ids in
                if ids.contains(11_900) { throw Unreadable() }
                return Dictionary(uniqueKeysWithValues: ids.map { ($0, row($0)) })
            }
        }
        #expect(try await scene.leftovers() == before)
        await conductor.disband()
        await lease.release()
    }

    @Test func `the rows of a job are in no log, and erasing somebody deletes what a run left`() async throws {
        let shared = try await Shared(CrewScene.personal(10), to: RecipientSet(1...500)) {
            Dictionary(uniqueKeysWithValues: $0.map { ($0, row($0)) })
        }
        let store = try await PostgresStore.open(shared.scene.server, under: shared.lease)
        let logged = "SELECT count(*) FROM pg_class WHERE oid = '@job_row'::regclass AND relpersistence <> 'u'"
        #expect(try await store.reading { try $0.commit([PostgresStatement(logged)])[0].first?.int(0) } == 0)
        #expect(try await shared.rowsLeft() > 0)
        try await store.commit([.erase([3])])
        #expect(try await shared.rowsLeft() == 0)
        await shared.end()
    }

    // MARK: Nobody waits for a helper that cannot help

    /// In how many parts of jobs somebody still works, besides the run's.
    private func parts(_ scene: CrewScene) async throws -> Int64 {
        let question = """
            SELECT count(*) FROM @job_part AS part JOIN @worker AS worker ON worker.id = part.worker
            WHERE NOT has_left AND NOT conducts
            """
        return try await PostgresStore.open(scene.server).reading {
            try $0.commit([PostgresStatement(question)])[0].first?.int(0) ?? -1
        }
    }

    @Test func `who cannot read the job does not join it`() async throws {
        let shared = try await Shared(CrewScene.personal(10), to: RecipientSet(1...500)) {
            Dictionary(uniqueKeysWithValues: $0.map { ($0, row($0)) })
        }
        let helper = try await shared.helper()
        #expect(try await parts(shared.scene) == 1)
        _ = try await helper.leave(shared.job)
        #expect(try await parts(shared.scene) == 0)
        try await shared.scene.sql("UPDATE @job SET body = replace(body, 'Hi {{ name', 'Hi {{ surname')")
        await #expect(throws: UnreadableJob.self) {
            // The reading that shows the job may be yet to come.
            try await shared.scene.eventually { try await helper.nextJob(except: []) != nil }
        }
        #expect(try await parts(shared.scene) == 0)
        await shared.end(helper)
    }

    @Test func `who cannot read who gets which text leaves the job`() async throws {
        let shared = try await Shared(CrewScene.personal(10), to: RecipientSet(1...500)) {
            Dictionary(uniqueKeysWithValues: $0.map { ($0, row($0)) })
        }
        let helper = try await shared.helper()
        guard case .send(let send) = shared.scene.plan(RecordedState(identity: OpenStore.identity)).steps[0].work
        else { throw CancellationError() }
        try await shared.scene.sql("DROP TABLE @assignment")
        let surroundings = Executor<ContinuousClock>.Surroundings(
            store: helper.store, sender: SlowServer(shared.scene.log, process: 1), crew: helper,
            clock: ContinuousClock(), now: { Date() }, fingerprints: Fingerprinter(key: helper.store.fingerprintKey))
        var run = WorkerRun(at: .emulator, clock: ContinuousClock())
        let (_, end) = await run.work(
            on: shared.job, SharedSend(send, within: TimeLimits(), ramped: .zero, shared.scene.options),
            in: surroundings)
        guard case .stopped = end else { throw CancellationError() }
        #expect(try await parts(shared.scene) == 0 && shared.scene.log.count == 0)
        await shared.end(helper)
    }
}
