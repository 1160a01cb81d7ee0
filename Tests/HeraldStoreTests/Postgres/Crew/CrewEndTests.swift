import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore
@testable import HeraldStore

/// When a process that helps has nothing to do any more, or its part is lost: nobody waits for it, and it says why.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct CrewEndTests {
    /// A run that has shared a send.
    private struct Run {
        let lease: RunLease
        let conductor: any Crew
        let store: PostgresStore
        let job: JobID

        init(_ scene: CrewScene, through server: PostgresServer? = nil) async throws {
            let server = server ?? scene.server
            lease = try await RunLease.take(server, run: "run", scene.timing)
            store = try await PostgresStore.open(server, under: lease)
            conductor = try #require(try await lease.gather(rate: scene.rate))
            guard case .send(let send) = scene.plan(try await store.snapshot()).steps[0].work else {
                throw CancellationError()
            }
            try await store.commit([.open(send.occurrence, RecordedOccurrence(send))])
            job = try await conductor.share(
                SharedSend(send, within: TimeLimits(), ramped: .zero, scene.options), to: send.members, rows: nil)
        }

        func end() async {
            await conductor.disband()
            await lease.release()
        }
    }

    private func sql(_ scene: CrewScene, _ text: String) async throws {
        let store = try await PostgresStore.open(scene.server)
        _ = try await store.writing(under: nil) { $0.run(text) }
    }

    private func join(_ scene: CrewScene, _ times: LeaseTimes? = nil) async throws -> PostgresCrew {
        try await PostgresCrew.join(
            scene.server, project: "tide-app", endpoint: .emulator, times: times ?? scene.timing)
    }

    @Test func `a part whose process never heard that it joined is not waited for`() async throws {
        let scene = try await CrewScene(2000)
        let run = try await Run(scene)
        let proxy = try PostgresProxy()
        let through = PostgresServer(
            name: "test", schema: scene.server.schema,
            parameters: scene.server.parameters.merging(["host": proxy.folder]) { $1 })
        // It lives long, and what it read of the run's lease is soon too old for a second try.
        var times = scene.timing
        (times.length, times.reading, times.renewal) = (.seconds(60), .seconds(3600), .seconds(3600))
        let helper = try await PostgresCrew.join(through, project: "tide-app", endpoint: .emulator, times: times)
        try await scene.eventually { helper.board.deadline < .now }
        proxy.arm(.cutAfter, at: .commit(proxy.commits + 1))
        await #expect(throws: StateError.self) { _ = try await helper.nextJob(except: []) }
        #expect(proxy.isSpent)
        // As the worker does with a process that is lost.
        if helper.isLost { await helper.disband() }
        async let ended = run.conductor.leave(run.job)
        try await scene.eventually { try await scene.leftovers() == 0 }
        #expect(try await ended.others.settled == 0)
        if !helper.isLost { await helper.disband() }
        await run.end()
    }

    @Test(arguments: [true, false])
    func `the others hear that they are to leave a job before the run leaves it`(all: Bool) async throws {
        let scene = try await CrewScene(2000)
        let run = try await Run(scene)
        let helper = try await join(scene)
        try await scene.eventually { try await helper.nextJob(except: []) != nil }
        helper.dismiss(nil)
        let reading = helper.view().reading
        try await scene.eventually { helper.view().reading > reading + 3 }
        #expect(helper.view().jobs[run.job]?.isEnding == false, "a helper asks nobody")
        run.conductor.dismiss(all ? nil : run.job)
        try await scene.eventually { helper.view().jobs[run.job]?.isEnding == true }
        #expect(try await helper.nextJob(except: []) == nil)
        _ = try await helper.leave(run.job)
        #expect(try await run.conductor.leave(run.job).left.members == RecipientSet(1...2000))
        #expect(try await scene.leftovers() == 0)
        await helper.disband()
        await run.end()
    }

    @Test func `whom nobody has claimed comes back to the run that ends the job`() async throws {
        let scene = try await CrewScene(2000)
        let run = try await Run(scene)
        let claimed = try await run.conductor.claim(in: run.job).members
        try await run.store.commit([.outcome(CrewScene.occurrence, [2000], .deferred)])
        let left = try await run.conductor.leave(run.job).left
        #expect(!claimed.isEmpty && left.members == RecipientSet(1...2000).subtracting(claimed))
        #expect(left.deferred == [2000])
        #expect(try await scene.leftovers() == 0)
        await run.end()
    }

    @Test func `whom nobody has claimed also comes back if nothing answers that the job has ended`() async throws {
        let scene = try await CrewScene(2000)
        let proxy = try PostgresProxy()
        let through = PostgresServer(
            name: "test", schema: scene.server.schema,
            parameters: scene.server.parameters.merging(["host": proxy.folder]) { $1 })
        let run = try await Run(scene, through: through)
        let claimed = try await run.conductor.claim(in: run.job).members
        try await run.store.commit([.outcome(CrewScene.occurrence, [2000], .deferred)])
        proxy.arm(.cutAfter, at: .text("DELETE FROM"))
        let left = try await run.conductor.leave(run.job).left
        #expect(proxy.isSpent)
        #expect(!claimed.isEmpty && left.members == RecipientSet(1...2000).subtracting(claimed))
        #expect(left.deferred == [2000])
        #expect(try await scene.leftovers() == 0)
        await run.end()
    }

    /// Changes the state once the run waits for the others.
    private func change(_ scene: CrewScene, _ change: String) async throws {
        let store = try await PostgresStore.open(scene.server)
        try await scene.eventually {
            try await store.reading { transaction in
                try transaction.commit([PostgresStatement("SELECT FROM @job WHERE is_ending")])[0].count > 0
            }
        }
        try await sql(scene, "UPDATE \(change)")
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            ("@lease SET epoch = epoch + 1", StateError.leaseLost(holder: "run")),
            ("@server SET timeline = 'another'", .failedOver(path: "test")),
        ])
    func `a run that lost its lease waits for nobody`(_ change: String, _ error: StateError) async throws {
        let scene = try await CrewScene(2000)
        let run = try await Run(scene)
        let helper = try await join(scene)
        try await scene.eventually { try await helper.nextJob(except: []) != nil }
        // The helper does not leave, and nobody may bury it any more.
        async let changed: Void = self.change(scene, change)
        await #expect(throws: error) { _ = try await run.conductor.leave(run.job) }
        try await changed
        await helper.disband()
        await run.end()
    }

    @Test(arguments: [
        ("@identity SET moved_to = 'sqlite:/srv/state'", "was moved to sqlite:/srv/state", "to that place"),
        ("@identity SET closed = true", "not complete", "state copy"),
        ("@identity SET format = format + 1", "a newer herald", "a newer one"),
        ("@server SET place = '1'", "another database", "--override state_moved"),
    ])
    func `a process that helps ends when its state is elsewhere, and says so`(
        _ change: String, _ words: String, _ help: String
    ) async throws {
        let scene = try await CrewScene(10)
        // So that there is a server to compare with.
        try await sql(scene, "UPDATE @server SET place = @current_place()")
        let helper = try await join(scene)
        try await sql(scene, "UPDATE \(change)")
        try await scene.eventually { helper.ending != nil }
        #expect(helper.isLost && !helper.mayWrite())
        #expect(helper.ending?.description.contains(words) == true)
        #expect(helper.ending?.help.contains(help) == true)
        await helper.disband()
        let again = await #expect(throws: StateError.self) { try await join(scene) }
        #expect(again == helper.ending)
    }

    @Test func `a process whose clock has gone wrong takes part in no other send, and says so`() async throws {
        let scene = try await CrewScene(2000)
        let run = try await Run(scene)
        let joined = try await join(scene)
        // No clock is that exact.
        var server = scene.server
        server.times.clockTolerance = .seconds(-1)
        let database = PostgresStore(
            server, joined.database.session, joined.store.fingerprintKey, nil, helping: joined.board)
        let helper = PostgresCrew(database, joined.board, conducting: nil)
        try await helper.begin()
        try await scene.eventually {
            let found = try? await helper.nextJob(except: [])
            #expect(found == nil)
            return helper.isLost
        }
        #expect(helper.ending?.description.contains("this machine's clock and the server's") == true)
        for crew in [helper, joined] { await crew.disband() }
        // Nobody is waited for.
        #expect(try await run.conductor.leave(run.job).left.members == RecipientSet(1...2000))
        await run.end()
    }

    @Test func `a job whose campaign is paused needs no help until a person resumes it`() async throws {
        let scene = try await CrewScene(2000)
        let run = try await Run(scene)
        let helper = try await join(scene)
        try await scene.eventually { helper.view().jobs[run.job]?.hasFree == true }
        try await run.store.commit([.pause("tide")])
        #expect(try await helper.nextJob(except: []) == nil)
        #expect(helper.board.withState { !$0.wants }, "the others have the whole rate")
        try await run.store.commit([.resume("tide")])
        try await scene.eventually { try await helper.nextJob(except: [])?.0 == run.job }
        _ = try await helper.leave(run.job)
        #expect(try await run.conductor.leave(run.job).left.members == RecipientSet(1...2000))
        await helper.disband()
        await run.end()
    }

    /// Nobody else noticed: its row is still there.
    @Test(arguments: [true, false])
    func `who did not reach the state until the lease ended joins again`(_ writes: Bool) async throws {
        let scene = try await CrewScene(2000)
        let run = try await Run(scene)
        let proxy = try PostgresProxy()
        var times = PostgresTimes()
        times.patience = .zero
        let through = PostgresServer(
            name: "test", schema: scene.server.schema,
            parameters: scene.server.parameters.merging(["host": proxy.folder]) { $1 }, times: times)
        // It lives long, and what it read of the run's lease is soon too old for a second try.
        var timing = scene.timing
        (timing.length, timing.reading, timing.renewal) = (.seconds(60), .seconds(3600), .seconds(3600))
        let helper = try await PostgresCrew.join(through, project: "tide-app", endpoint: .emulator, times: timing)
        try await scene.eventually { try await helper.nextJob(except: []) != nil }
        try await scene.eventually { helper.board.deadline < .now }
        #expect(!helper.isLost)
        proxy.arm(.cutBefore, after: 0)
        await #expect(throws: StateError.self) {
            if writes { _ = try await helper.claim(in: run.job) } else { _ = try await helper.store.pauses() }
        }
        #expect(proxy.isSpent && helper.isLost && helper.ending == nil)
        await helper.disband()
        try await scene.eventually { try await scene.helpers() == 0 }
        #expect(try await run.conductor.leave(run.job).left.members == RecipientSet(1...2000))
        await run.end()
    }

    @Test func `a server that is away does not end a process that helps`() async throws {
        let scene = try await CrewScene(10)
        let proxy = try PostgresProxy()
        let through = PostgresServer(
            name: "test", schema: scene.server.schema,
            parameters: scene.server.parameters.merging(["host": proxy.folder]) { $1 })
        var times = scene.timing
        times.length = .seconds(60)
        let helper = try await PostgresCrew.join(through, project: "tide-app", endpoint: .emulator, times: times)
        proxy.refuse(true)
        proxy.endConnections()
        let last = helper.board.withState(\.readings)
        proxy.refuse(false)
        try await scene.eventually { helper.board.withState(\.readings) > last + 3 }
        #expect(helper.ending == nil && !helper.isLost)
        await helper.disband()
    }

    /// Whoever may run may write such rows by hand, too.
    @Test(arguments: [
        "share = -9223372036854775808", "share_before = 9223372036854775807", "target = -1",
        "usable = '290000-01-01'",
    ])
    func `a row that no herald wrote is dropped, and its process joins anew`(_ change: String) async throws {
        let scene = try await CrewScene(3000)
        let run = try await Run(scene)
        let helper = try await join(scene)
        try await scene.eventually { try await helper.nextJob(except: []) != nil }
        let claimed = try await helper.claim(in: run.job).members
        try await sql(scene, "UPDATE @worker SET \(change) WHERE NOT conducts")
        try await scene.eventually { helper.isLost }
        #expect(helper.ending == nil)
        await helper.disband()
        // What it had claimed is there for the others.
        var free = RecipientSet()
        try await scene.eventually {
            free.formUnion(try await run.conductor.claim(in: run.job).members)
            return claimed.intersection(free) == claimed
        }
        let next = try await join(scene)
        #expect(!next.isLost)
        await next.disband()
        await run.end()
    }

    @Test(arguments: [Rate.unlimited, .limited(1000)])
    func `the row of the run itself is written anew`(_ rate: Rate) async throws {
        let scene = try await CrewScene(200, rate: rate)
        let run = try await Run(scene)
        try await sql(scene, "UPDATE @worker SET share = -1, target = 99999 WHERE conducts")
        let reading = run.conductor.view().reading
        try await scene.eventually { run.conductor.view().reading > reading + 3 }
        try await scene.eventually {
            run.conductor.view().share.of(rate) != nil && run.conductor.view().validity > .zero
        }
        await run.end()
    }
}
