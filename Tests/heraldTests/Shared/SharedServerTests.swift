import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// The database itself fails under a run, alone or with two that help it.
@Suite(.serialized, .enabled(if: PostgresTestServer.isInstalled)) struct SharedServerTests {
    private static let alone = SweepWorkspace(seed: 20_261_122, isPlain: true)
    private static let together = SweepWorkspace(seed: 20_261_122, isPlain: true, people: 600)

    private static func drawn(_ workers: Int) -> SweepWorkspace { workers > 0 ? together : alone }

    /// Does something to the database once the run has committed so often.
    private func disturb(
        _ scene: SharedScene, at commit: Int, _ body: () async throws -> Void
    ) async throws -> ChildProcess.Result {
        let before = scene.proxy.commits
        let run = try scene.apply()
        try await eventually { scene.proxy.commits >= before + commit }
        try await body()
        return await run.wait()
    }

    private func within(_ scene: SharedScene, _ body: (SharedScene) async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await body(scene)) } catch { result = .failure(error) }
        await scene.end()
        try result.get()
    }

    private func expectWhole(_ scene: SharedScene, _ ended: ChildProcess.Result) async throws {
        #expect([0, 4, 6].contains(ended.status), "\(ended.output)\(ended.errors)")
        let hindrances = try await scene.complete()
        #expect(hindrances.isEmpty)
        // A worker whose lease ended meanwhile leaves what it could not write.
        let isWhole = scene.workers.isEmpty && ended.status == 0
        let witness = try await scene.witness()
        var problems = try await witness.problems(with: scene.drawn, repeats: [:], isAccountWhole: isWhole)
        if let personal = scene.drawn.personal { problems += witness.problems(of: personal, final: personal.list(0)) }
        #expect(problems.isEmpty)
    }

    @Test func `when a database crashes and comes back, everybody gets their message once`() async throws {
        let cluster = try await PostgresCluster()
        for (workers, commit) in [(0, 10), (2, 16)] {
            try await crash(cluster, Self.drawn(workers), workers, at: commit)
        }
    }

    private func crash(
        _ cluster: PostgresCluster, _ drawn: SweepWorkspace, _ workers: Int, at commit: Int
    ) async throws {
        // A run alone must not lose its lease while the server recovers, however slow this machine is.
        let speed = workers == 0 ? 1 : SharedScene.leaseSpeed
        try await within(SharedScene(drawn, workers: workers, on: [cluster], leaseSpeed: speed)) { scene in
            let ended = try await disturb(scene, at: commit) {
                try await cluster.stop()
                try await cluster.start()
            }
            try await expectWhole(scene, ended)
            if workers == 0 { #expect(ended.status == 0, "at commit \(commit): \(ended.output)\(ended.errors)") }
        }
    }

    @Test func `after a failover nobody is sent to again before a person says so, whatever the server lacks`()
        async throws
    {
        var primary = try await PostgresCluster()
        for (workers, lags) in [(2, true), (0, true), (2, false), (0, false)] {
            // So many commits that it happens in the middle of the largest send.
            primary = try await failOver(from: primary, lags: lags, Self.together, workers, at: 20)
        }
    }

    /// Commits wait for both of two servers that follow, or for one of them. The other one takes the primary's place.
    private func failOver(
        from primary: PostgresCluster, lags: Bool, _ drawn: SweepWorkspace, _ workers: Int, at commit: Int
    ) async throws -> PostgresCluster {
        let standby = try await PostgresCluster(following: primary)
        let other = try await PostgresCluster(following: primary)
        let names = "(\"\(standby.name)\", \"\(other.name)\")"
        if lags {
            try await primary.setSynchronous("ANY 1 \(names)", until: "quorum,quorum")
        } else {
            try await primary.setSynchronous("FIRST 2 \(names)", until: "sync,sync")
        }
        try await within(SharedScene(drawn, workers: workers, on: [primary, standby])) { scene in
            let ended = try await disturb(scene, at: commit) {
                if lags {
                    try await standby.stopFollowing()
                    let before = scene.proxy.commits
                    try await eventually { scene.proxy.commits >= before + 3 }
                }
                try await primary.stop()
                // No commit waits for another server any more.
                try await standby.setSynchronous("", until: "")
                try await standby.promote()
            }
            try await settle(scene, ended, lacksCommits: lags)
            guard workers > 0 || lags else { return try await expectWhole(scene, ended) }
            #expect(try await scene.complete().isEmpty)
            let witness = try await scene.witness()
            for sending in drawn.sendings where !sending.recurs {
                let counts = (witness.accepted[sending.name] ?? [:]).values
                #expect(counts.allSatisfy { $0 == 1 }, "\(sending.name) was sent twice")
            }
        }
        return standby
    }

    @Test(.enabled(if: Torture.seconds != nil, "make torture")) func `torture by a database that fails`() async throws {
        var torture = Torture(share: 0.1)
        var cluster = try await PostgresCluster()
        while let seed = torture.nextSeed() {
            var random = SeededRandom(seed: seed)
            let (workers, commit) = (2 * Int.random(in: 0...1, using: &random), Int.random(in: 3...20, using: &random))
            let drawn = SweepWorkspace(seed: seed, isPlain: true, people: 600)
            let isCrash = Int.random(in: 0..<3, using: &random) > 0
            print("workspace \(seed), \(workers) workers, \(isCrash ? "crash" : "failover") at commit \(commit)")
            if isCrash {
                try await crash(cluster, drawn, workers, at: commit)
            } else {
                cluster = try await failOver(from: cluster, lags: false, drawn, workers, at: commit)
            }
        }
        #expect(torture.worlds > 0)
    }

    /// What a person does after a failover. The run's report knows what the run could not write. What helpers did, and
    /// what the new server lacks, nobody knows.
    private func settle(_ scene: SharedScene, _ ended: ChildProcess.Result, lacksCommits: Bool) async throws {
        #expect([4, 6].contains(ended.status), "\(ended.output)\(ended.errors)")
        #expect(!ended.errors.contains("the next run goes on"), "\(ended.errors)")
        let before = try await scene.messages()
        // A failover so early that the run had begun nothing leaves nothing in doubt.
        if try await scene.store().wholeState().occurrences.isEmpty { return #expect(before.isEmpty) }
        let planned = try await scene.herald("plan")
        #expect(planned.output.contains("failed over"), "\(planned.output)\(planned.errors)")
        let held = try await scene.goOn()
        #expect(held.errors.contains("failed over"), "\(held.errors)")
        let (after, state) = (try await scene.messages(), try await scene.store().wholeState())
        let doubted = Set(state.occurrences.values.filter { $0.halt == .failedOver }.map(\.campaign))
        #expect(!doubted.isEmpty)
        for campaign in doubted {
            #expect(after[campaign] == before[campaign], "\(campaign) was sent before a person said so")
        }
        for (name, report) in try await scene.witness().reports {
            #expect(Account(report).addsUp, "\(name)")
            for step in report["steps"]?.array ?? [] {
                let counts = ["accepted", "pending", "planned"].map { step[$0]?.int ?? -1 }
                #expect(counts[1] >= 0 && counts[0] <= counts[2], "\(name): \(counts)")
            }
        }
        let runs = "\(scene.sandbox.workspace)/.herald/runs"
        for name in try FileManager.default.contentsOfDirectory(atPath: runs) where name.hasSuffix(".json") {
            _ = try await scene.herald("state resolve --from \(runs)/\(name)")
        }
        let decision = scene.workers.isEmpty && !lacksCommits ? "--continue" : "--abandon"
        for occurrence in try await scene.store().wholeState().occurrences where occurrence.value.halt == .failedOver {
            let resolved = try await scene.herald("state resolve \(occurrence.key.rawValue) \(decision)")
            #expect(resolved.status == 0, "\(resolved.errors)")
        }
        // The reports on this machine tell that the server lacks commits.
        guard lacksCommits, try await scene.herald("plan --detailed-exitcode").status == 3 else { return }
        let accepted = try await scene.herald("apply --auto-approve --override state_went_back")
        #expect([0, 4, 6].contains(accepted.status), "\(accepted.output)\(accepted.errors)")
    }

    @Test func `two that run at an interval take turns, and a campaign that comes due is sent once`() async throws {
        try await within(SharedScene(Self.alone)) { scene in
            let both = [
                try scene.start(["run", "--every", "1s", "--if-locked", "skip"]),
                try scene.start(["run", "--every", "1s", "--if-locked", "wait=30s"]),
            ]
            let all = scene.drawn.sendings.reduce(0) { $0 + $1.recipients.count }
            try await eventually {
                try scene.sandbox.folder.read("ledger.ndjson").split(separator: "\n").count >= all
            }
            for run in both { run.signal(SIGTERM) }
            for run in both {
                let ended = await run.wait()
                #expect(ended.status == 143, "\(ended.errors)")
            }
            #expect(try await scene.complete().isEmpty)
            let problems = try await scene.witness().problems(with: scene.drawn, repeats: [:], isAccountWhole: true)
            #expect(problems.isEmpty)
        }
    }

    /// The first that a run sends when it gathers those who help.
    private static let gathering = PostgresProxy.Moment.text(".job WHERE epoch <")

    @Test func `a run that loses the lock while it gathers helpers sends nothing`() async throws {
        try await within(SharedScene(Self.alone)) { scene in
            let reached = Later<Bool>()
            scene.proxy.act(at: Self.gathering, before: true) { [proxy = scene.proxy] in
                proxy.hold()
                reached.value = true
            }
            let run = try scene.apply()
            #expect(await reached.soon())
            let words = try await scene.herald("state lock").output.split(separator: " ")
            let holder = String(try #require(words.dropFirst().first))
            #expect(try await scene.herald("state unlock \(holder) --auto-approve").status == 0)
            scene.proxy.letGo()
            let ended = await run.wait()
            #expect(ended.status == 4, "\(ended.output)\(ended.errors)")
            #expect(ended.errors.contains("this run lost the lock of the state and stopped"), "\(ended.errors)")
            try await expectNothingSent(scene)
        }
    }

    @Test func `a run that is told to stop while it cannot gather helpers sends nothing`() async throws {
        try await within(SharedScene(Self.alone)) { scene in
            let run = Later<ChildProcess>()
            scene.proxy.act(at: Self.gathering, before: true) { [proxy = scene.proxy] in
                proxy.refuse(true)
                proxy.endConnections()
                run.value.signal(SIGTERM)
            }
            run.value = try scene.apply()
            let ended = await run.value.wait()
            #expect(ended.status == 143, "\(ended.output)\(ended.errors)")
            try await expectNothingSent(scene)
        }
    }

    private func expectNothingSent(_ scene: SharedScene) async throws {
        #expect(try await scene.arrivals() == 0)
        let reports = try await scene.witness().reports
        #expect(reports.map { $0.report["result"]?.string } == ["interrupted"])
        let account = Account(try #require(reports.first?.report))
        #expect(account.addsUp && account.accepted == 0 && account.unknown == 0)
        #expect(try await scene.complete().isEmpty)
        let problems = try await scene.witness().problems(with: scene.drawn, repeats: [:], isAccountWhole: true)
        #expect(problems.isEmpty)
    }
}

extension Later where Value == Bool {
    /// Waits for it on a thread of its own.
    fileprivate func soon() async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.value) }
        }
    }
}
