import FCM
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCore

/// What a run records when a second signal ends all waiting.
@Suite struct HaltingTests: GroupSuite {
    enum Obstacle: CaseIterable, Sendable {
        /// `prepare` does not return.
        case preparing
        /// There is no access token, so that `start` does not return.
        case token
        /// No connection opens for a call.
        case connection
    }

    /// Accepts a number of calls. After that something is in the way until calls are withdrawn.
    private final class StuckSender: Sender {
        let capacity = 4
        private let obstacle: Obstacle
        private let state: Mutex<State>
        private let stuck = AsyncStream<Void>.makeStream()

        private struct State {
            var free: Int
            var waiting: [Call] = []
            var waiters: [CheckedContinuation<Void, Never>] = []
            var isWithdrawn = false
            var late = 0
        }

        /// How many calls came after the withdrawal.
        var late: Int { state.withLock(\.late) }

        init(accepts count: Int, then obstacle: Obstacle) {
            self.obstacle = obstacle
            state = Mutex(State(free: count))
        }

        /// Returns when something waits.
        func isStuck() async { for await _ in stuck.stream { return } }

        func prepare() async {
            if obstacle == .preparing, state.withLock({ $0.free == 0 }) { await wait() }
        }

        func start(_ calls: [Call]) async {
            let (accepted, refused) = state.withLock { state -> ([Call], [Call]) in
                let count = min(state.free, calls.count)
                state.free -= count
                let late = Array(calls.dropFirst(count))
                if state.isWithdrawn { state.late += late.count } else { state.waiting += late }
                return (Array(calls.prefix(count)), state.isWithdrawn ? late : [])
            }
            for call in accepted { call.answer(.accepted(call.request)) }
            for call in refused { call.answer(.notSent(reason: "withdrawn")) }
            if accepted.count == calls.count { return }
            stuck.continuation.yield()
            if obstacle == .token { await wait() }
        }

        func withdraw() async {
            let (calls, waiters) = state.withLock { state in
                defer { (state.waiting, state.waiters, state.isWithdrawn) = ([], [], true) }
                return (state.waiting, state.waiters)
            }
            for call in calls { call.answer(.notSent(reason: "withdrawn")) }
            for waiter in waiters { waiter.resume() }
        }

        private func wait() async {
            await withCheckedContinuation { continuation in
                let isLate = state.withLock { state in
                    if !state.isWithdrawn { state.waiters.append(continuation) }
                    return state.isWithdrawn
                }
                if isLate { continuation.resume() }
                stuck.continuation.yield()
            }
        }
    }

    @Test(arguments: Obstacle.allCases)
    func `what has not left is pending, and not unknown`(_ obstacle: Obstacle) async throws {
        let laboratory = Laboratory(population: 40)
        let sends = [DesiredSend(campaign: .tide(), members: RecipientSet(1...40))]
        let sender = StuckSender(accepts: 10, then: obstacle)
        let report = try await laboratory.run(
            laboratory.plan(sends: sends), sender, halt: { await sender.isStuck() })
        #expect(report.result == .interrupted)
        #expect(report.steps[0].parts == [10, 0, 0, 0, 0, 30])
        #expect(report.steps[0].failures.isEmpty)
        #expect(!report.isUnreachable)
        let occurrence = try #require(laboratory.memory.state().occurrences["tide@once"])
        #expect(occurrence.byEntry.mapValues(\.count) == [.accepted: 10])
        // The next run goes on where this one stopped.
        let next = ScriptedSender()
        _ = try await laboratory.run(laboratory.plan(sends: sends), next)
        #expect(Set(next.recipients).count == 30)
    }

    @Test(arguments: Obstacle.allCases)
    func `subscriptions that have not left are pending too`(_ obstacle: Obstacle) async throws {
        let laboratory = Laboratory(population: 40)
        let sender = StuckSender(accepts: 10, then: obstacle)
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("tides", RecipientSet(1...40))), sender, halt: { await sender.isStuck() })
        #expect(report.result == .interrupted)
        #expect(report.steps[0].parts == [10, 0, 0, 0, 0, 30])
    }

    @Test func `after a signal nothing leaves, even if a connection was being opened`() async throws {
        let laboratory = Laboratory(population: 40)
        let sender = StuckSender(accepts: 10, then: .preparing)
        let isAsked = Mutex(false)
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...40))), sender, stop: { isAsked.withLock { $0 } ? .machine : nil },
            halt: {
                await sender.isStuck()
                isAsked.withLock { $0 = true }
            })
        #expect(report.steps[0].parts == [10, 0, 0, 0, 0, 30])
        #expect(sender.late == 0)
    }

    @Test func `a group that may have been made stays herald's`() async throws {
        let laboratory = Laboratory()
        let (hang, halted) = (AsyncStream<Never>.makeStream(), AsyncStream<Void>.makeStream())
        let sender = ScriptedSender { _, number in
            if number == 0 { return .groupError("notification_key not found") }
            halted.continuation.yield()
            for await _ in hang.stream {}
            return .lost(reason: "cancelled")
        }
        let report = try await laboratory.run(
            laboratory.plan(groups: want([1, 2])), sender, halt: { for await _ in halted.stream { return } })
        hang.continuation.finish()
        #expect(report.result == .interrupted)
        #expect(recorded(laboratory)?.adding == [1, 2])
    }

    @Test func `a group whose call has not left was not made`() async throws {
        let laboratory = Laboratory()
        let sender = StuckSender(accepts: 0, then: .connection)
        let report = try await laboratory.run(
            laboratory.plan(groups: want([1, 2])), sender, halt: { await sender.isStuck() })
        #expect(report.result == .interrupted)
        #expect(recorded(laboratory) == nil)
    }
}
