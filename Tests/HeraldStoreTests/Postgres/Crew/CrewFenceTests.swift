import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCore
@testable import HeraldStore

/// A process that lost its right to work writes nothing and starts nothing, whether it knows that or not.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct CrewFenceTests {
    /// A clock that a test moves on, as when the machine slept.
    private final class Clock: Sendable {
        private let start: ContinuousClock.Instant?
        private let offset = Mutex(Duration.zero)

        /// - Parameter stands: whether only the test moves it on.
        init(stands: Bool = false) { start = stands ? .now : nil }

        func sleep(_ duration: Duration) { offset.withLock { $0 += duration } }
        var now: ContinuousClock.Instant { (start ?? .now) + offset.withLock(\.self) }
    }

    /// A run that shares a send, and a process that has claimed some of it.
    private struct Scene {
        let scene: CrewScene
        let lease: RunLease
        let conductor: any Crew
        let helper: PostgresCrew
        let job: JobID
        let claimed: RecipientSet

        init(_ scene: CrewScene, _ times: LeaseTimes = CrewScene.times) async throws {
            self.scene = scene
            lease = try await RunLease.take(scene.server, run: "run", times)
            let store = try await PostgresStore.open(scene.server, under: lease)
            conductor = try #require(try await lease.gather(rate: .unlimited))
            guard case .send(let send) = scene.plan(try await store.snapshot()).steps[0].work else {
                throw CancellationError()
            }
            try await store.commit([.open(send.occurrence, RecordedOccurrence(send))])
            let shared = SharedSend(send, within: TimeLimits(), ramped: .zero, scene.options)
            job = try await conductor.share(shared, to: send.members, rows: nil)
            helper = try await PostgresCrew.join(
                scene.server, project: "tide-app", endpoint: .emulator, times: times)
            let (helper, job) = (helper, job)
            try await scene.eventually { try await helper.nextJob(except: [])?.0 == job }
            claimed = try await helper.claim(in: job).members
            try #require(claimed.count > 20)
            try await commit(.intended)
        }

        func commit(_ entry: LedgerEntry) async throws {
            try await helper.store.commit([.outcome(CrewScene.occurrence, RecipientSet(claimed.prefix(10)), entry)])
        }

        func sql(_ text: String) async throws {
            let store = try await PostgresStore.open(scene.server)
            _ = try await store.writing(under: nil) { $0.run(text) }
        }
    }

    private func expectLost(_ body: () async throws -> Void) async {
        let error = await #expect(throws: StateError.self) { try await body() }
        guard case .leaseLost? = error else { return #expect(error == nil) }
    }

    @Test func `who was taken for dead writes nothing more, and the others get what was not tried`() async throws {
        let world = try await Scene(CrewScene(2000))
        try await world.scene.eventually {
            // Its own thread may renew the lease before the conductor reads that it is over.
            try await world.sql("UPDATE @worker SET ends = clock_timestamp() - interval '1 s' WHERE NOT conducts")
            return try await world.scene.ledger[.unknown].count == 10
        }
        await expectLost { try await world.commit(.accepted) }
        await expectLost { _ = try await world.helper.claim(in: world.job) }
        #expect(try await world.scene.ledger[.unknown] == RecipientSet(world.claimed.prefix(10)))
        var free = RecipientSet()
        while true {
            let members = try await world.conductor.claim(in: world.job).members
            if members.isEmpty { break }
            #expect(free.intersection(members).isEmpty)
            free.formUnion(members)
        }
        #expect(free.count == 1990 && free.intersection(RecipientSet(world.claimed.prefix(10))).isEmpty)
        try await world.scene.eventually { world.helper.isLost && !world.helper.mayWrite() }
        await world.helper.disband()
        await world.conductor.disband()
        await world.lease.release()
    }

    /// Whoever may run may write such rows by hand, too.
    @Test(arguments: [
        ("@job_part SET claimed = -9223372036854775808", "a size is out of range"),
        ("@job_part SET accepted_count = 9223372036854775807", "a size is out of range"),
        ("@job SET rate = 9223372036854775807", "a size is out of range"),
        ("@job SET quiet_until = '290000-01-01'", "a time is out of range"),
        ("@lease SET ends = '290000-01-01'", "a time is out of range"),
    ])
    func `what no process writes about itself is damage, and ends none`(_ change: String, _ detail: String)
        async throws
    {
        let world = try await Scene(CrewScene(2000))
        let server = world.scene.server
        let link = PostgresLink(server.parameters, schema: server.schema)
        // The processes go on, and may write over it before it is read.
        try await world.scene.eventually {
            try await world.sql("UPDATE \(change)")
            do {
                _ = try link.perform(until: .now) { connection, _ in
                    try CrewReading(over: connection, server, CrewScene.times)
                }
                return false
            } catch let error as CrewDamage {
                return error.detail == detail
            }
        }
        await world.helper.disband()
        await world.conductor.disband()
        await world.lease.release()
    }

    @Test(arguments: [
        ("@worker SET share = -9223372036854775808", "a share of the rates is out of range"),
        ("@worker SET since = '290000-01-01'", "a time is out of range"),
        ("@job SET run_rate = 9223372036854775807", "a size is out of range"),
        ("@job_part SET claimed = -9223372036854775808", "a size is out of range"),
        ("@job_part SET accepted_count = 9223372036854775807", "a size is out of range"),
    ])
    func `damaged rows do not end the command that shows workers`(_ change: String, _ detail: String) async throws {
        let world = try await Scene(CrewScene(2000))
        let location = StateDatabase(
            world.scene.server, .init(project: "p", endpoint: .emulator, workspace: "tide"), folder: "/none/.herald"
        ) { _ in }
        #expect(try await location.crew().map(\.isConductor) == [true, false])
        #expect(try await location.crew().map(\.claimed) == [0, world.claimed.count])
        try await world.scene.eventually {
            try await world.sql("UPDATE \(change)")
            do { _ = try await location.crew() } catch let error as StateError {
                #expect(!error.help.contains("backup"))
                return error == .impossibleCrew(path: world.scene.server.name, detail: detail)
            }
            return false
        }
        await world.helper.disband()
        await world.conductor.disband()
        await world.lease.release()
    }

    @Test func `a run that began alone has claimed what it did before others came`() async throws {
        let world = try await Scene(CrewScene(2000))
        let location = StateDatabase(
            world.scene.server, .init(project: "p", endpoint: .emulator, workspace: "tide"), folder: "/none/.herald"
        ) { _ in }
        var tally = Tally()
        (tally[.accepted], tally[.rejected]) = (900, 1)
        world.conductor.note(tally, in: world.job)
        try await world.scene.eventually { try await location.crew().first?.settled == 901 }
        #expect(try await location.crew().map(\.claimed) == [901, world.claimed.count])
        let more = try await world.conductor.claim(in: world.job).members.count
        #expect(try await location.crew().first?.claimed == 901 + more)
        await world.helper.disband()
        await world.conductor.disband()
        await world.lease.release()
    }

    @Test func `what a herald of another version shares is left to the others`() async throws {
        let world = try await Scene(CrewScene(2000))
        let (server, job) = (world.scene.server, world.job)
        try await world.sql("UPDATE @job SET body = '{\"campaign\": \"tide\"}'")
        let other = try await PostgresCrew.join(
            server, project: "tide-app", endpoint: .emulator, times: CrewScene.times)
        try await world.scene.eventually {
            do { return try await other.nextJob(except: []) != nil } catch let error as UnreadableJob {
                return error.job == job
            }
        }
        #expect(try await other.nextJob(except: [job]) == nil)
        // It wants nothing, so the others have the whole rate.
        #expect(other.board.withState { !$0.wants })
        for crew in [other, world.helper] { await crew.disband() }
        await world.conductor.disband()
        await world.lease.release()
    }

    @Test func `under a run that was taken over, a helper writes nothing`() async throws {
        let world = try await Scene(CrewScene(2000))
        #expect(try await RunLease.end("run", on: world.scene.server))
        await expectLost { try await world.commit(.accepted) }
        await expectLost { _ = try await world.helper.claim(in: world.job) }
        #expect(try await world.scene.ledger[.intended].count == 10)
        try await world.scene.eventually { world.helper.view().validity <= .zero && !world.helper.mayWrite() }
        #expect(world.helper.view().jobs.isEmpty)
        await world.helper.disband()
        await world.conductor.disband()
        await world.lease.release()
    }

    @Test func `a row that somebody holds neither holds up a take-over nor fills the server with those who wait`()
        async throws
    {
        // Nobody else loses the lease here, also where the machine stands still for a moment.
        var times = CrewScene.times
        times.length = .seconds(60)
        let world = try await Scene(CrewScene(300), times)
        // A process that is gone, and whose row is not free, as when a machine fell asleep in the middle. The conductor may
        // clear the row before it is held: then there must be another one.
        let holder = try PostgresConnection(world.scene.server.parameters, schema: world.scene.server.schema)
        try await world.scene.eventually {
            try await world.sql(
                """
                INSERT INTO @worker (id, conducts, host, pid, since, ends, usable)
                VALUES (gen_random_uuid(), false, 'gone', 1, now(), now() - interval '1 minute', now())
                """)
            try holder.perform("BEGIN", until: .now + .seconds(5))
            let held = try holder.perform(
                "SELECT id FROM @worker WHERE host = 'gone' FOR UPDATE", until: .now + .seconds(5))
            if held.count == 0 { try holder.rollBack(until: .now + .seconds(5)) }
            return held.count > 0
        }
        let waiting = PostgresStatement(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
            .text("%\(world.scene.server.quotedSchema)%"))
        let store = try await PostgresStore.open(world.scene.server)
        func count() async throws -> Int64 {
            try await store.reading { try $0.commit([waiting])[0].first?.int(0) ?? 0 }
        }
        try await world.scene.eventually { try await count() > 0 }
        // It tries again after each reading.
        let reading = world.conductor.view().reading
        try await world.scene.eventually { world.conductor.view().reading > reading + 3 }
        #expect(try await count() <= 2)
        let begin = ContinuousClock.now
        #expect(try await RunLease.end("run", on: world.scene.server))
        #expect(ContinuousClock.now - begin < .seconds(10))
        try holder.rollBack(until: .now + .seconds(5))
        await world.helper.disband()
        await world.conductor.disband()
        await world.lease.release()
    }

    @Test func `a machine that slept sends nothing before it has asked again`() async throws {
        let clock = Clock(stands: true)
        var times = LeaseTimes()
        times.now = { clock.now }
        // It reads only when it is woken.
        times.reading = .seconds(3600)
        times.validity = .seconds(10)
        let world = try await Scene(CrewScene(2000), times)
        #expect(world.helper.mayWrite() && world.helper.view().validity > .zero)
        clock.sleep(.seconds(10))
        #expect(world.helper.view().validity <= .zero, "the reading is too old")
        #expect(world.helper.mayWrite(), "what has begun may end")
        clock.sleep(.seconds(19))
        #expect(!world.helper.mayWrite(), "the lease is over")
        await world.helper.disband()
        await world.conductor.disband()
        await world.lease.release()
    }

    @Test func `pauses, counts and failures reach the others`() async throws {
        let world = try await Scene(CrewScene(2000))
        var tally = Tally()
        (tally[.accepted], tally[.rejected]) = (9, 1)
        world.helper.note(
            Report.Failure(
                registration: "r_0123456789abcdef", code: "INVALID_ARGUMENT", httpStatus: 400, message: "no",
                attempts: 1, action: .rejected))
        world.helper.note(tally, in: world.job)
        try await world.commit(.accepted)
        try await world.scene.eventually { world.conductor.view().jobs[world.job]?.others == tally }
        world.helper.pause(nil, for: .seconds(60))
        world.helper.pause(world.job, for: .seconds(90))
        try await world.scene.eventually { world.conductor.view().quiet > .seconds(50) }
        try await world.scene.eventually { (world.conductor.view().jobs[world.job]?.quiet ?? .zero) > .seconds(80) }
        _ = try await world.helper.leave(world.job)
        let settlement = try await world.conductor.leave(world.job)
        #expect(settlement.others == tally)
        #expect(settlement.failures.map(\.code) == ["INVALID_ARGUMENT"] && settlement.failuresOmitted == 0)
        #expect(try await world.scene.leftovers() == 0)
        await world.helper.disband()
        await world.conductor.disband()
        await world.lease.release()
    }

    @Test func `a pause reaches the others although the server refuses it at first`() async throws {
        let world = try await Scene(CrewScene(2000))
        for text in [
            "CREATE SEQUENCE @refusal",
            "CREATE FUNCTION @refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval(TG_ARGV[0]) = 1 THEN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END IF; RETURN NEW; END $$",
            "CREATE TRIGGER refuse BEFORE UPDATE OF quiet_until ON @job FOR EACH ROW EXECUTE FUNCTION @refuse('@refusal')",
        ] {
            try await world.sql(text)
        }
        world.helper.pause(world.job, for: .seconds(90))
        try await world.scene.eventually { (world.conductor.view().jobs[world.job]?.quiet ?? .zero) > .seconds(60) }
        _ = try await world.helper.leave(world.job)
        _ = try await world.conductor.leave(world.job)
        await world.helper.disband()
        await world.conductor.disband()
        await world.lease.release()
    }
}
