import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCore
@testable import HeraldStore

/// A state in PostgreSQL with one send to many, and processes that send it together.
struct CrewScene {
    let server: PostgresServer
    let recipients: Int
    let log = SlowServer.Log()
    let rate: Rate
    let onUnknown: Campaign.OnUnknown
    var timing = Self.times
    var content = MessageContent(["notification": ["title": "Tide"]])
    var stopWhenRejectedPercent = 50
    /// Who gets which text of a personal campaign, holdouts included.
    var partakers = Partition<MessageClass>()
    /// What the lists have.
    var rows: @Sendable (RecipientSet) throws -> [RecipientID: FieldValues] = { _ in [:] }

    static let occurrence = OccurrenceID(rawValue: "tide@once")

    /// Faster than in earnest. A lease still outlives a moment in which a busy machine stands still.
    static var times: LeaseTimes {
        var times = LeaseTimes()
        (times.length, times.renewal, times.margin) = (.seconds(6), .milliseconds(250), .milliseconds(100))
        times.reading = .milliseconds(25)
        return times
    }

    init(
        _ recipients: Int, rate: Rate = .unlimited, onUnknown: Campaign.OnUnknown = .hold,
        on server: PostgresServer? = nil
    ) async throws {
        (self.rate, self.onUnknown) = (rate, onUnknown)
        self.server = try server ?? PostgresTestServer.newSchema()
        self.recipients = recipients
        let store = try await PostgresStore.create(self.server, identity: OpenStore.identity)
        _ = try await store.intern((1...recipients).map { Arrival(.fid($0)) }, comparedUpTo: 0)
    }

    var options: RunOptions {
        var fcm = FCMSettings()
        (fcm.rate, fcm.ramp) = (rate, .zero)
        return RunOptions(fcm: fcm, guards: GuardLimits())
    }

    /// What is left to be sent, as the planner says it.
    func plan(_ state: RecordedState) -> Plan {
        let occurrence = state.occurrences[Self.occurrence]
        let ledger = occurrence?.ledger ?? Ledger()
        let repeated = onUnknown == .resend ? ledger.uncertain : []
        let everybody = RecipientSet(1..<RecipientID(recipients + 1))
        var send = Plan.Send(
            campaign: "tide", occurrence: Self.occurrence, revision: 1, due: nil, target: .audience("all"),
            contentDigest: "sha256:1", content: content, deadline: nil,
            delivery: .init(onUnknown: onUnknown, stopWhenRejectedPercent: stopWhenRejectedPercent),
            members: everybody.subtracting(ledger.settled).union(repeated),
            discovered: ledger[.intended].subtracting(repeated), deferred: ledger[.deferred], recipients: recipients,
            isResumed: occurrence != nil)
        send.repeated = repeated
        if content.differsByRecipient {
            send.classes = partakers.without(\.isHoldout).intersection(send.members)
            send.members = send.classes.all
            send.assignment = occurrence == nil ? partakers : nil
        }
        var plan = Plan(at: Date(), workspaceDigest: "", state: nil)
        plan.steps = [Plan.Step(work: .send(send), reason: "due")]
        return plan
    }

    /// One run.
    func conduct(
        _ process: Int = 0, through server: PostgresServer? = nil, latency: Duration = .milliseconds(20),
        stop: @escaping @Sendable () -> Stop? = { nil }
    ) async throws -> Report {
        let lease = try await RunLease.take(server ?? self.server, run: "run-\(process)", timing)
        return try await lease.hold {
            let store = try await PostgresStore.open(server ?? self.server, under: lease)
            let state = try await store.snapshot()
            let plan = plan(state)
            let crew = try await lease.gather(rate: rate)
            let surroundings = Executor<ContinuousClock>.Surroundings(
                store: store, sender: SlowServer(log, process: process, latency: latency), crew: crew,
                clock: ContinuousClock(), now: { Date() }, fingerprints: Fingerprinter(key: store.fingerprintKey),
                stop: { stop() ?? (lease.holds ? nil : .machine) }, rows: { [rows] in try rows($1) })
            let blank = Report(
                run: "run-\(process)", plan: plan, planDigest: "", isDryRun: false, started: Date(),
                endpoint: .emulator,
                project: "tide-app", version: "test")
            let report = try await Executor.run(plan, from: state, options, in: surroundings, report: blank)
            await crew?.disband()
            return report
        }
    }

    /// One process that helps until it is told to stop.
    func help(
        _ process: Int, through server: PostgresServer? = nil, latency: Duration = .milliseconds(20),
        stop: @escaping @Sendable () -> Bool
    ) async throws -> [WorkerRun<ContinuousClock>.End] {
        let crew = try await PostgresCrew.join(
            server ?? self.server, project: "tide-app", endpoint: .emulator, times: timing)
        var run = WorkerRun(at: .emulator, clock: ContinuousClock())
        var ends: [WorkerRun<ContinuousClock>.End] = []
        var left: Set<JobID> = []
        while !stop(), !crew.isLost {
            guard let (job, send) = try? await crew.nextJob(except: left) else {
                try await Task.sleep(for: .milliseconds(10))
                continue
            }
            let surroundings = Executor<ContinuousClock>.Surroundings(
                store: crew.store, sender: SlowServer(log, process: process, latency: latency), crew: crew,
                clock: ContinuousClock(), now: { Date() },
                fingerprints: Fingerprinter(key: crew.store.fingerprintKey), stop: { stop() ? .machine : nil },
                note: { _, failure in crew.note(failure) })
            ends.append(await run.work(on: job, send, in: surroundings).end)
            if case .refused? = ends.last { break }
            if case .stopped? = ends.last { left.insert(job) }
        }
        await crew.disband()
        return ends
    }

    var ledger: Ledger {
        get async throws {
            try #require(try await PostgresStore.open(server).occurrence(Self.occurrence)?.ledger)
        }
    }

    /// How many rows the tables of shared sends have.
    func leftovers() async throws -> Int64 {
        let store = try await PostgresStore.open(server)
        return try await store.reading { transaction in
            try transaction.commit([
                PostgresStatement(
                    """
                    SELECT (SELECT count(*) FROM @job) + (SELECT count(*) FROM @job_range)
                        + (SELECT count(*) FROM @job_row) + (SELECT count(*) FROM @job_part) + (SELECT count(*) FROM @job_failure)
                    """)
            ])[0].first?.int(0) ?? -1
        }
    }

    func eventually(_ isSo: () async throws -> Bool) async throws {
        let begin = ContinuousClock.now
        while try await !isSo() {
            try #require(ContinuousClock.now - begin < .seconds(120), "it did not come about")
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

/// Says once that it is over.
final class Switch: Sendable {
    private let state = Mutex(false)

    var isOn: Bool { state.withLock(\.self) }

    func turnOn() { state.withLock { $0 = true } }
}
