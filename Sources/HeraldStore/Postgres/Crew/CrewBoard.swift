internal import FCM
internal import Foundation
internal import HeraldCore
internal import Synchronization

/// What the threads of one process know together of its crew: what was read last, what it uses of the rates, and what
/// it has to tell.
final class CrewBoard: Sendable {
    let id = UUID()
    let times: LeaseTimes
    private let isConductor: Bool
    /// Until when this process may send, by its own clock.
    private let ownDeadline: @Sendable () -> ContinuousClock.Instant?
    private let state = Mutex(State())

    struct State {
        var reading: CrewReading?
        var readings = 0
        /// For a process that helps: when it stops, unless its lease is renewed.
        var deadline: ContinuousClock.Instant?
        var isLost = false
        /// Why it is lost, if the state said so.
        var loss: StateError?
        /// Why this process has nothing to do in the state any more.
        var ending: StateError?
        /// The most that the sending thread uses of the rates.
        var inUse = Share.none
        var wants = false
        /// The time before which nothing starts, because of the run before.
        var beginning: ContinuousClock.Instant?
        var pauses: [Pause] = []
        var parts: [JobID: Part] = [:]
        /// A job whose campaign a person has paused, and when to look at that again.
        var paused: (job: JobID, look: ContinuousClock.Instant)?
    }

    struct Pause {
        /// `nil` for all jobs.
        var job: JobID?
        var end: ContinuousClock.Instant
    }

    /// This process's part in a job.
    struct Part {
        let id: Int64
        let epoch: Int64
        var tally = Tally()
        /// Not written yet.
        var failures: [Report.Failure] = []
        var failureCount = 0
        /// Whether the others are to leave the job.
        var isDismissed = false
    }

    /// - Parameter lease: of the run, for its conductor.
    init(_ times: LeaseTimes, conducting lease: RunLease? = nil) {
        self.times = times
        isConductor = lease != nil
        ownDeadline = { lease?.deadline }
    }

    func withState<Value>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    func take(_ reading: CrewReading) {
        state.withLock {
            $0.reading = reading
            $0.readings += 1
            if !isConductor, reading.worker(id)?.isImpossible == true { $0.isLost = true }
        }
    }

    /// Ends a process that helps if there will be nothing to help with. A server that is away may come back.
    func giveUp(after error: StateError) {
        if case .inaccessible = error { return }
        stop(because: error)
    }

    /// Ends the part of a process that helps. It may join again.
    func lose(after error: StateError) {
        state.withLock { state in
            state.isLost = true
            state.loss = state.loss ?? error
        }
    }

    /// Ends a process that helps.
    func stop(because error: StateError) { state.withLock { ($0.ending, $0.isLost) = (error, true) } }

    // MARK: What it may do

    func view() -> CrewView {
        let now = times.now()
        return state.withLock { state in
            var view = CrewView(isConductor: isConductor, validity: validity(state, now))
            guard let reading = state.reading, !state.isLost else {
                // No job goes on.
                view.reading = state.readings + 1
                return view
            }
            view.reading = state.readings
            view.share = reading.share(of: id, at: now)
            // The caller may use it from now on.
            state.inUse = max(state.inUse, view.share)
            view.quiet = reading.quiet(reading.workers.first(where: \.isConductor)?.quiet ?? 0, at: now)
            view.beginning = state.beginning.map { max(.zero, now.duration(to: $0)) } ?? .zero
            view.others = reading.workers.count { $0.id != id && !$0.isConductor && !$0.isGone }
            for job in reading.jobs {
                view.jobs[job.id] = reading.view(of: job, without: id, at: now)
            }
            return view
        }
    }

    /// How long requests may start without another reading.
    private func validity(_ state: State, _ now: ContinuousClock.Instant) -> Duration {
        guard let reading = state.reading, !state.isLost, let end = end(state) else { return .zero }
        return now.duration(to: min(reading.begun + times.validity, end))
    }

    /// When its right to send ends, by what it read last.
    private func end(_ state: State) -> ContinuousClock.Instant? {
        if isConductor { return ownDeadline() }
        guard let reading = state.reading, let lease = reading.lease, let own = state.deadline else { return nil }
        // The server's moment was not earlier than the question.
        return min(own, reading.begun + .seconds(lease) - times.margin)
    }

    /// How long it is worth trying to write something.
    var deadline: ContinuousClock.Instant { state.withLock { end($0) } ?? times.now() }

    /// Whether bytes may leave now. It asks nobody. The time is read last: this process may be stopped before.
    var mayWrite: Bool {
        state.withLock { state in !state.isLost && end(state).map { times.now() < $0 } == true }
    }

    // MARK: What it tells

    /// Has the others asked to leave a job, or all.
    ///
    /// - Returns: Whether that is new.
    func dismiss(_ job: JobID?) -> Bool {
        state.withLock { state in
            let jobs = state.parts.filter { !$0.value.isDismissed && (job == nil || job == $0.key) }.keys
            for job in jobs { state.parts[job]?.isDismissed = true }
            return !jobs.isEmpty
        }
    }

    /// What is new for a commit of this process's part in a job, in the order of its statements. `nil` if it has none.
    func news(of job: JobID) -> [PostgresStatement]? {
        state.withLock { state in
            guard var part = state.parts[job] else { return nil }
            let texts = part.failures.map { $0.json.asciiText }
            part.failures = []
            state.parts[job] = part
            var statements = [part.statement]
            if !texts.isEmpty {
                statements.append(
                    PostgresStatement(
                        """
                        INSERT INTO @job_failure (job, body)
                        SELECT id, text FROM @job, unnest($2::text[]) AS text WHERE id = $1
                        """, .int(job.rawValue), .texts(texts)))
            }
            return statements
        }
    }

    /// The job that it works on, if it helps.
    var job: (id: JobID, part: Part)? { state.withLock { $0.parts.first.map { ($0.key, $0.value) } } }

    func note(_ failure: Report.Failure) {
        state.withLock { state in
            for job in state.parts.keys {
                state.parts[job]?.failureCount += 1
                if let part = state.parts[job], part.failureCount <= StepReport.shownFailures {
                    state.parts[job]?.failures.append(failure)
                }
            }
        }
    }
}

extension CrewBoard.Part {
    /// Writes what it counted. A conductor did some of that before it shared the rest, and claimed none of it.
    var statement: PostgresStatement {
        let columns = zip(4..., Tally.Figure.allCases).map { "\($1.column) = $\($0)" }.joined(separator: ", ")
        var statement = PostgresStatement(
            "UPDATE @job_part SET claimed = greatest(claimed, $2), failures = $3, \(columns) WHERE id = $1")
        statement.values =
            [.int(id), .int(tally.settled), .int(failureCount)] + Tally.Figure.allCases.map { .int(tally[$0]) }
        return statement
    }
}
