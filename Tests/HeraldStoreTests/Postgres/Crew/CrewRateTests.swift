import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCore
@testable import HeraldStore

/// The rates of a run hold for all that send for it together, and so do pauses and guards.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct CrewRateTests {
    /// Arrivals are later than starts, each a little differently.
    private static let jitter = 1.05

    /// A run with two helpers, which are there before it begins.
    private func conductWithTwo(_ scene: CrewScene) async throws -> Report {
        let over = Switch()
        async let one = scene.help(1) { over.isOn }
        async let two = scene.help(2) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 2 }
        let report = try await scene.conduct()
        over.turnOn()
        _ = try await (one, two)
        return report
    }

    @Test func `no second has more starts than the rate while helpers join, leave and are cut off`() async throws {
        let scene = try await CrewScene(3200, rate: .limited(400))
        let proxy = try PostgresProxy()
        let cut = PostgresServer(
            name: "test", schema: scene.server.schema,
            parameters: scene.server.parameters.merging(["host": proxy.folder]) { $1 })
        let (over, left) = (Switch(), Switch())
        let log = scene.log
        let delays = Delays()
        async let conducted = scene.conduct()
        try await scene.eventually { log.count > 100 }
        async let leaving = scene.help(1) { left.isOn || over.isOn }
        async let dying = scene.help(2, through: cut) { over.isOn }
        try await scene.eventually { log.processes == [0, 1, 2] }
        left.turnOn()
        proxy.refuse(true)
        proxy.endConnections()
        _ = try await leaving
        async let joining = scene.help(3) { over.isOn }
        let report = try await conducted
        over.turnOn()
        _ = try await joining
        _ = try? await dying
        #expect(report.steps[0].pending == 0)
        #expect(scene.log.repeated.isEmpty)
        #expect(Double(scene.log.busiestSecond) <= 400 * (Self.jitter + delays.end()))
        let span = try #require(scene.log.span)
        #expect(span < .seconds(60), "they get on")
    }

    @Test func `a run that follows another keeps to the rate together with it`() async throws {
        let scene = try await CrewScene(600, rate: .limited(200))
        let stopped = Switch()
        let log = scene.log
        let delays = Delays()
        async let conducted = scene.conduct(stop: { stopped.isOn ? .machine : nil })
        try await scene.eventually { log.count > 150 }
        stopped.turnOn()
        _ = try await conducted
        let report = try await scene.conduct(1)
        #expect(report.result == .ok)
        #expect(Double(scene.log.busiestSecond) <= 200 * (Self.jitter + delays.end()))
    }

    @Test func `a 429 with Retry-After to one quiets all within a second`() async throws {
        let scene = try await CrewScene(6000)
        // Once all are sending, one is refused.
        let seen = Mutex((processes: Set<Int>(), refused: Int?.none))
        scene.log.answer { arrival, number in
            seen.withLock { seen in
                seen.processes.insert(arrival.process)
                guard seen.refused == nil, number >= 1500, seen.processes.count == 3 else { return nil }
                seen.refused = number
                return .response(Response(status: 429, retryAfter: "3", body: Array("{}".utf8)))
            }
        }
        let report = try await conductWithTwo(scene)
        #expect(report.steps[0].accepted == 6000, "\(report.steps[0].stopped?.words ?? "")")
        let arrivals = scene.log.arrivals
        let number = seen.withLock(\.refused)
        let refused = arrivals[try #require(number, "not all were sending")].instant
        // The answer takes its time, and three seconds count from it.
        let during = arrivals.filter {
            refused + .seconds(1) < $0.instant && $0.instant < refused + .milliseconds(2900)
        }
        #expect(during.isEmpty, "\(during.count) came during the pause")
    }

    @Test func `a pause by a person stops all`() async throws {
        let scene = try await CrewScene(20_000)
        let over = Switch()
        async let help = scene.help(1) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 1 }
        async let conducted = scene.conduct()
        try await scene.eventually { scene.log.processes == [0, 1] }
        try await PostgresStore.open(scene.server).commit([.pause("tide")])
        let paused = ContinuousClock.now
        let report = try await conducted
        over.turnOn()
        _ = try await help
        #expect(scene.log.arrivals.allSatisfy { $0.instant < paused + .seconds(1) })
        let step = report.steps[0]
        #expect(step.held > 0 && step.accepted + step.held == 20_000)
    }

    @Test func `guards judge what all did together`() async throws {
        let scene = try await CrewScene(8000)
        // One in four is dead: more than the guard allows, and each process sees only a part of them.
        let dead = Array(
            #"{"error":{"code":404,"details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}"#
                .utf8)
        scene.log.answer { _, number in
            number > 300 && number % 4 == 0 ? .response(Response(status: 404, body: dead)) : nil
        }
        let report = try await conductWithTwo(scene)
        let step = report.steps[0]
        #expect(report.result == .refused)
        #expect(step.stopped?.words.contains("guard max_forget_percent") == true, "\(step.stopped?.words ?? "")")
        #expect(step.accepted + step.rejected + step.held == 8000)
        #expect(scene.log.count < 4000)
    }
}

/// How long a task of this process waits for its turn. On a busy machine that is long, and the requests that have
/// started meanwhile arrive together.
private final class Delays: Sendable {
    private let longest = Mutex(Duration.zero)
    private let isOver = Switch()

    init() {
        Task { [self] in
            while !isOver.isOn {
                let due = ContinuousClock.now + .milliseconds(5)
                try? await Task.sleep(until: due, clock: .continuous)
                let delay = due.duration(to: .now)
                longest.withLock { $0 = max($0, delay) }
            }
        }
    }

    /// The longest one so far, in seconds.
    func end() -> Double {
        isOver.turnOn()
        return longest.withLock { $0.seconds }
    }
}

extension SlowServer.Log {
    /// From the first arrival to the last.
    var span: Duration? {
        let instants = arrivals.map(\.instant)
        guard let first = instants.min(), let last = instants.max() else { return nil }
        return first.duration(to: last)
    }
}
