import Dispatch
import Synchronization

/// One thread and one clock. What is ready to go on goes on in turn, and time passes only when nothing is ready and nobody
/// else works. So the same seed always gives the same life, and an hour takes no time.
final class SimulatedTime: TaskExecutor, Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        var deadline: Duration
        var number: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    /// What comes next on a thread that has nothing to do.
    private enum Next {
        /// Something became ready meanwhile.
        case ready
        /// To wait for work on other threads.
        case outside
        case sleeper(CheckedContinuation<Void, Never>)
        case nothing
    }

    private struct State {
        var ready: [UnownedJob] = []
        var sleepers: [Sleeper] = []
        var count = 0
        var cancelled: Set<Int> = []
        var elapsed = Duration.zero
        /// How much is under way on other threads.
        var outside = 0
        /// Whether the thread waits for it.
        var isWaiting = false

        mutating func next() -> Next {
            guard ready.isEmpty else { return .ready }
            isWaiting = outside > 0
            if isWaiting { return .outside }
            return wakeNext().map(Next.sleeper) ?? .nothing
        }

        private mutating func wakeNext() -> CheckedContinuation<Void, Never>? {
            let next = sleepers.indices.min {
                (sleepers[$0].deadline, sleepers[$0].number) < (sleepers[$1].deadline, sleepers[$1].number)
            }
            guard let next else { return nil }
            let sleeper = sleepers.remove(at: next)
            elapsed = max(elapsed, sleeper.deadline)
            return sleeper.continuation
        }
    }

    private let state = Mutex(State())
    /// Signalled when something becomes ready that the thread waits for.
    private let arrival = DispatchSemaphore(value: 0)

    /// Does some work to its end on this thread. `nil` if it waits for something that never comes.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value? {
        let result = Result<Value>()
        Task(executorPreference: self) { result.set(await work()) }
        while true {
            let jobs = state.withLock { state in
                let jobs = state.ready
                state.ready.removeAll(keepingCapacity: true)
                return jobs
            }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            guard jobs.isEmpty else { continue }
            if let value = result.value { return value }
            switch state.withLock({ $0.next() }) {
            case .ready: continue
            case .outside: arrival.wait()
            case .sleeper(let sleeper): sleeper.resume()
            case .nothing: return nil
            }
        }
    }

    private final class Result<Value: Sendable>: Sendable {
        private let content = Mutex<Value?>(nil)

        var value: Value? { content.withLock { $0 } }
        func set(_ value: Value) { content.withLock { $0 = value } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wasWaiting = state.withLock { state in
            defer { state.isWaiting = false }
            state.ready.append(job)
            return state.isWaiting
        }
        if wasWaiting { arrival.signal() }
    }

    /// Waits for work on another thread. Meanwhile no time passes.
    func outside<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        enterOutside()
        defer { leaveOutside() }
        return try await body()
    }

    func enterOutside() { state.withLock { $0.outside += 1 } }
    func leaveOutside() { state.withLock { $0.outside -= 1 } }

    // MARK: The clock

    var now: Instant { Instant(offset: state.withLock(\.elapsed)) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func advance(by duration: Duration) { state.withLock { $0.elapsed += duration } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return true }
                    state.sleepers.append(
                        Sleeper(deadline: deadline.offset, number: number, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: place)
            }
            sleeper?.continuation.resume()
        }
        try Task.checkCancellation()
    }
}
