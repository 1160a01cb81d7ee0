internal import Foundation
internal import HeraldCore

/// What processes that send together write about themselves makes no sense. It belongs to one run.
struct CrewDamage: Error {
    var detail: String
}

/// What a process read at one moment about all that send for the same run. Times are seconds from the moment at which
/// the server answered.
struct CrewReading: Sendable {
    /// When the question was asked, and when the answer was there: the server's moment is between.
    let begun: ContinuousClock.Instant
    let ended: ContinuousClock.Instant
    var epoch: Int64 = 0
    /// How long the run's lease lasts. `nil` if there is no run, or the server failed over since it began: then nothing
    /// of the run goes on.
    var lease: Double?
    var workers: [Worker] = []
    var jobs: [Job] = []

    struct Worker: Sendable {
        var id: UUID
        var isConductor: Bool
        var holding: ShareHolding
        var revision: Int64
        /// How long its lease lasts. `nil` for the conductor.
        var lease: Double?
        /// For the conductor: how long FCM wants to be left alone.
        var quiet: Double
        /// Whether its row holds what no herald writes. It may use nothing of the rates, and a process that helps is taken
        /// for gone.
        var isImpossible = false

        var isGone: Bool { lease.map { $0 <= 0 } ?? false }
    }

    struct Job: Sendable {
        var id: JobID
        var rate: Rate?
        var isEnding: Bool
        var hasFree: Bool
        var quiet: Double
        var parts: [Part] = []
    }

    struct Part: Sendable {
        var id: Int64
        var worker: UUID
        var hasLeft: Bool
        var claimed: Int
        var tally: Tally

        /// How many recipients it still has to settle.
        var open: Int { hasLeft ? 0 : max(0, claimed - tally.settled) }
    }

    func worker(_ id: UUID) -> Worker? { workers.first { $0.id == id } }

    func job(_ id: JobID) -> Job? { jobs.first { $0.id == id } }

    /// The smallest rate that is shared.
    func rate(of run: Rate) -> Rate { jobs.reduce(run) { $0.combined(with: $1.rate) } }

    /// What a process may use of the rates now.
    func share(of id: UUID, at now: ContinuousClock.Instant) -> Share {
        guard var holding = worker(id)?.holding else { return .none }
        // The server's moment was not later than the answer.
        holding.wait -= ended.duration(to: now)
        return holding.allowed
    }

    /// What is left of a pause. It does not end too early.
    func quiet(_ seconds: Double, at now: ContinuousClock.Instant) -> Duration {
        max(.zero, .seconds(seconds) - ended.duration(to: now))
    }

    /// - Parameter worker: the caller. Its part is not one of the others', also if it left the part after the reading. A
    ///   part that it had left before the reading is one of them.
    func view(of job: Job, without worker: UUID, at now: ContinuousClock.Instant) -> JobView {
        let others = job.parts.filter { $0.worker != worker || $0.hasLeft }
        var view = JobView()
        view.hasFree = job.hasFree
        view.open = others.reduce(0) { $0 + $1.open }
        view.others = others.reduce(Tally()) { $0 + $1.tally }
        view.quiet = quiet(job.quiet, at: now)
        view.isEnding = job.isEnding
        return view
    }
}

// MARK: Asking

extension CrewReading {
    /// One moment of all of it.
    init(over connection: PostgresConnection, _ server: PostgresServer, _ times: LeaseTimes) throws {
        begun = times.now()
        let transaction = PostgresTransaction.reading(on: connection, until: server.deadline)
        let answers = try transaction.commit(Self.questions)
        ended = times.now()
        do { try take(answers) } catch let damage as StateDamage { throw CrewDamage(detail: damage.detail) }
    }

    private mutating func take(_ answers: [PostgresRows]) throws {
        if let row = answers[0].first {
            epoch = try row.int(0)
            lease = try row.optionalSpan(1)
        }
        workers = try answers[1].all.map(Self.worker)
        jobs = try answers[2].all.map(Self.job)
        for row in answers[3].all {
            guard let place = jobs.firstIndex(where: { $0.id.rawValue == (try? row.int(0)) }) else { continue }
            jobs[place].parts.append(try Self.part(row))
        }
    }

    private static func seconds(until column: String) -> String {
        "extract(epoch FROM \(column) - clock_timestamp())::float8"
    }

    private static let isGoingOn = "run IS NOT NULL AND NOT @has_failed_over()"
    private static let current = "epoch = (SELECT epoch FROM @lease WHERE \(isGoingOn))"

    private static var questions: [PostgresStatement] {
        [
            "SELECT epoch, CASE WHEN \(isGoingOn) THEN \(seconds(until: "ends")) END FROM @lease",
            """
            SELECT id, conducts, share, share_before, target, \(seconds(until: "usable")), wants, revision,
                CASE WHEN NOT conducts THEN \(seconds(until: "ends")) END, \(seconds(until: "quiet_until"))
            FROM @worker WHERE NOT conducts OR ends IS NULL ORDER BY conducts DESC, since, id
            """,
            """
            SELECT id, rate, is_ending, \(seconds(until: "quiet_until")),
                EXISTS (SELECT FROM @job_range WHERE job = known.id AND part IS NULL)
            FROM @job AS known WHERE \(current) AND is_open ORDER BY id
            """,
            """
            SELECT job, id, worker, has_left, claimed, \(Tally.Figure.columns) FROM @job_part
            WHERE job IN (SELECT id FROM @job WHERE \(current)) ORDER BY id
            """,
        ].map { PostgresStatement($0) }
    }

    private static func worker(_ row: PostgresRow) throws -> Worker {
        do { return try possibleWorker(row) } catch is StateDamage {
            let (id, conducts) = (try row.uuid(0), try row.bool(1))
            var holding = ShareHolding(holder: id.uuidString)
            // The run gives itself a share again, which writes its row anew.
            (holding.wants, holding.isConductor) = (try row.bool(6), conducts)
            return Worker(
                id: id, isConductor: conducts, holding: holding, revision: try row.int(7), lease: conducts ? nil : 0,
                quiet: 0, isImpossible: true)
        }
    }

    private static func possibleWorker(_ row: PostgresRow) throws -> Worker {
        let id = try row.uuid(0)
        var holding = ShareHolding(holder: id.uuidString)
        (holding.share, holding.before) = (try StoredValue.share(row.int(2)), try StoredValue.share(row.int(3)))
        (holding.target, holding.wants) = (try StoredValue.share(row.int(4)), try row.bool(6))
        holding.wait = .seconds(try StoredValue.span(row.double(5)))
        holding.isConductor = try row.bool(1)
        return Worker(
            id: id, isConductor: try row.bool(1), holding: holding, revision: try row.int(7),
            lease: try row.optionalSpan(8), quiet: try row.optionalSpan(9) ?? 0)
    }

    private static func job(_ row: PostgresRow) throws -> Job {
        let rate = try row.optionalInt(1).map { Rate.limited(max(1, try StoredValue.size($0))) }
        return Job(
            id: JobID(rawValue: try row.int(0)), rate: rate, isEnding: try row.bool(2), hasFree: try row.bool(4),
            quiet: try row.optionalSpan(3) ?? 0)
    }

    private static func part(_ row: PostgresRow) throws -> Part {
        try Part(
            id: row.int(1), worker: row.uuid(2), hasLeft: row.bool(3), claimed: StoredValue.size(row.int(4)),
            tally: Tally(row, from: 5))
    }
}

extension Tally {
    /// - Parameter first: the first of the columns `Tally.Figure.columns`.
    init(_ row: PostgresRow, from first: Int32) throws {
        self.init()
        for (column, figure) in zip(first..., Figure.allCases) {
            self[figure] = try StoredValue.size(row.int(column))
        }
    }
}

extension PostgresRow {
    /// How long until something, in seconds. `nil` if it never is.
    fileprivate func optionalSpan(_ column: Int32) throws -> Double? {
        try optionalDouble(column).map(StoredValue.span)
    }
}
