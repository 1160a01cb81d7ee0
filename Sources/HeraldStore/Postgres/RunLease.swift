internal import Foundation
package import HeraldCore
internal import Synchronization

/// The right of one run to work on a state in PostgreSQL. It has an end on the database's clock, and a thread of its own
/// moves that end on.
///
/// Whoever takes over raises the epoch. That waits for commits that have begun, and commits of an earlier epoch are
/// refused, so a run that lost its lease without knowing writes nothing.
package final class RunLease: StateLock {
    /// The run that holds it.
    let run: String
    let epoch: Int64
    package let resendTime: ContinuousClock.Instant?
    let server: PostgresServer
    let times: LeaseTimes
    private let state: Mutex<State>
    /// Ends the waiting of the thread.
    private let bell = DispatchSemaphore(value: 0)

    private let thread = EndingThread()

    private struct State {
        /// When this process stops using the lease, whatever the server says.
        var deadline: ContinuousClock.Instant
        var isLost = false
        var hasFailedOver = false
        /// Why it could not be renewed last.
        var hindrance: StateError?
        var standstill: (error: PostgresError, end: ContinuousClock.Instant)?
        var isEnding = false
    }

    /// If the last try takes so long, the server stands still.
    private static let longTry = Duration.seconds(2)

    /// Takes the lease, or throws `StateError.locked`.
    ///
    /// - Parameter session: for callers that ask again and again.
    static func take(
        _ server: PostgresServer, run: String, _ times: LeaseTimes, over session: PostgresSession? = nil
    ) async throws -> RunLease {
        let session = session ?? PostgresSession(server.parameters, schema: server.schema)
        let token = UUID()
        do {
            let lease = try await session.perform(for: server.patience) { connection, _ in
                try server.checkFormat(connection)
                let begin = times.now()
                guard let (epoch, wait) = try take(run, token, times, over: connection, server) else {
                    throw StateError.locked(
                        path: server.name, holder: try holder(over: connection, server) ?? "another run")
                }
                return RunLease(
                    run, epoch, server, times, until: begin + times.length - times.margin,
                    resendTime: wait > 0 ? times.now() + .seconds(wait) : nil)
            }
            try await lease.begin(over: session)
            return lease
        } catch let error as PostgresError where error.code == Refusal.locked {
            throw StateError.locked(
                path: server.name,
                holder: "another session of the database, which holds a lock on its tables (pg_stat_activity lists it)")
        } catch {
            throw server.stateError(error)
        }
    }

    private init(
        _ run: String, _ epoch: Int64, _ server: PostgresServer, _ times: LeaseTimes,
        until deadline: ContinuousClock.Instant, resendTime: ContinuousClock.Instant?
    ) {
        self.resendTime = resendTime
        (self.run, self.epoch, self.server, self.times) = (run, epoch, server, times)
        state = Mutex(State(deadline: deadline))
    }

    /// Renews it for the first time, so that no run begins that cannot have the connection for it.
    ///
    /// - Parameter session: has a connection already.
    private func begin(over session: PostgresSession) async throws {
        do { try await thread.begin { self.keep($0) } } catch {
            await release()
            try? await session.perform(for: server.patience) { connection, _ in
                try self.giveBack(over: connection, isLost: false)
            }
            throw error
        }
    }

    /// Whether this process may still send and write. It asks nobody.
    var holds: Bool { state.withLock { !$0.isLost && times.now() < $0.deadline } }

    package var mayWrite: (@Sendable () -> Bool)? { { self.holds } }

    package var loss: StateError? {
        state.withLock { $0.hasFailedOver ? StateError.failedOver(path: server.name) : $0.hindrance }
    }

    /// Whether it was given back.
    var isReleased: Bool { state.withLock(\.isEnding) }

    /// When that ends, unless it is renewed.
    var deadline: ContinuousClock.Instant { state.withLock { $0.isLost ? times.now() : $0.deadline } }

    /// The server said that another run has it.
    func lose() { state.withLock { $0.isLost = true } }

    /// Whether the server has failed over since the run began, so that it may lack what was committed before.
    var hasFailedOver: Bool { state.withLock(\.hasFailedOver) }

    func loseByFailover() { state.withLock { ($0.isLost, $0.hasFailedOver) = (true, true) } }

    /// Why nothing is asked for a while: the lease is over, and a server that stands still would keep this process for
    /// the time of each try. `nil` if it may be asked.
    var standstill: PostgresError? {
        state.withLock { state in state.standstill.flatMap { times.now() < $0.end ? $0.error : nil } }
    }

    /// - Parameter begin: from when on nothing was tried again, unless the lease ended later.
    func noteStandstill(_ error: PostgresError, since begin: ContinuousClock.Instant) {
        let now = times.now()
        state.withLock { state in
            guard max(begin, state.deadline).duration(to: now) >= Self.longTry else { return }
            state.standstill = (error, now + server.times.patience)
        }
    }

    package func hold<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        do {
            let value = try await body()
            await release()
            return value
        } catch {
            await release()
            throw error
        }
    }

    /// Gives the lease back.
    func release() async {
        state.withLock { $0.isEnding = true }
        bell.signal()
        await thread.join()
    }

    // MARK: The thread

    /// Renews the lease until it is lost or given back.
    ///
    /// - Parameter tell: gets how the first renewal went. Nothing more is done if it failed.
    private func keep(_ tell: (Result<Void, any Error>) -> Void) {
        let link = PostgresLink(server.parameters, schema: server.schema)
        let first = Result { try renew(over: link, until: server.patience(), isFirst: true) }
        tell(first)
        guard case .success = first else { return lose() }
        var pause = times.renewal
        while true {
            _ = bell.wait(timeout: .now() + pause.seconds)
            if state.withLock(\.isEnding) { break }
            guard holds else {
                state.withLock { $0.isLost = true }
                continue
            }
            do {
                try renew(over: link, until: .now)
                pause = times.renewal
            } catch {
                state.withLock { $0.hindrance = server.stateError(error) }
                pause = times.renewal / 5
            }
        }
        // The lease is over.
        if standstill != nil { return lose() }
        // Who learnt of a failover elsewhere still has a connection to the server that is gone.
        if hasFailedOver { link.close() }
        // It may have been cut since the last renewal, too.
        let isLost = !holds
        let patience = isLost && !hasFailedOver ? .zero : times.renewal / 5
        try? link.perform(until: .now + patience) { connection, _ in try giveBack(over: connection, isLost: isLost) }
        lose()
    }

    /// - Parameters:
    ///   - deadline: After an error that comes later, nothing is tried again.
    ///   - isFirst: A failover before the run began is noted when it opens the state.
    private func renew(
        over link: PostgresLink, until deadline: ContinuousClock.Instant, isFirst: Bool = false
    ) throws {
        // The time counts from before the first try.
        let begin = times.now()
        let hasFailedOver: Bool? = try link.perform(until: deadline) { connection, _ in
            let transaction = PostgresTransaction.writing(on: connection, until: .now + times.renewal)
            let rows = try transaction.commit([
                PostgresStatement(
                    """
                    UPDATE @lease SET ends = clock_timestamp() + $2 * interval '1 second' WHERE epoch = $1
                    RETURNING @has_failed_over()
                    """, .int(epoch), .double(times.length.seconds))
            ])[0]
            return try rows.first?.bool(0)
        }
        state.withLock { $0.hindrance = nil }
        switch hasFailedOver {
        case true? where !isFirst: loseByFailover()
        case .some: state.withLock { $0.deadline = begin + times.length - times.margin }
        case nil: lose()
        }
    }

    /// Without it, others wait until the lease ends, and rows of recipients that the run could not delete any more stay
    /// until the next run begins.
    ///
    /// - Parameter isLost: whether the run had to stop. Requests of it may still arrive, and those of processes that
    ///   helped: it did not wait for them.
    private func giveBack(over connection: PostgresConnection, isLost: Bool) throws {
        for statement in [
            PostgresStatement(
                """
                UPDATE @lease SET run = NULL, token = NULL, ends = clock_timestamp(),
                    resend_from = CASE WHEN $2 THEN \(Self.lastArrival) ELSE resend_from END
                WHERE epoch = $1
                """, .int(epoch), .bool(isLost)),
            PostgresStatement(
                "DELETE FROM @job_row AS piece USING @job AS known WHERE known.id = piece.job AND known.epoch <= $1",
                .int(epoch)),
        ] {
            let transaction = PostgresTransaction.writing(on: connection, until: .now + times.renewal)
            transaction.run(statement)
            try transaction.commit()
        }
    }
}

extension RunLease {
    /// - Parameter token: of this attempt, which is known again if the answer to an earlier try was lost.
    /// - Returns: The epoch, and for how many seconds requests of an earlier holder may still arrive.
    private static func take(
        _ run: String, _ token: UUID, _ times: LeaseTimes, over connection: PostgresConnection,
        _ server: PostgresServer
    ) throws -> (epoch: Int64, wait: Double)? {
        let transaction = PostgresTransaction.writing(on: connection, until: server.deadline)
        let taken = try transaction.commit(
            [
                // Marks of processes that ended long ago.
                "DELETE FROM @commit_mark WHERE at < now() - interval '1 day'",
                PostgresStatement(
                    """
                    UPDATE @lease SET epoch = \(nextEpoch), run = $1, token = $2, host = $3, pid = $4,
                        since = clock_timestamp(), ends = clock_timestamp() + $5 * interval '1 second', timeout = $6,
                        resend_from = CASE WHEN token = $2 THEN resend_from ELSE \(lastArrival) END
                    WHERE run IS NULL OR token = $2 OR ends <= clock_timestamp()
                    RETURNING epoch, coalesce(extract(epoch FROM resend_from - clock_timestamp()), 0)::float8
                    """, .text(run), .uuid(token), .text(ProcessInfo.processInfo.hostName), .int(Int(getpid())),
                    .double(times.length.seconds), .double(times.timeout.seconds)),
                // What runs that died left there.
                PostgresStatement(
                    """
                    DELETE FROM @job_row AS piece USING @job AS known
                    WHERE known.id = piece.job AND known.epoch < (SELECT epoch FROM @lease)
                    """),
            ])
        return try taken[1].first.map { (try $0.int(0), try $0.double(1)) }
    }

    /// An epoch that no other server has, whose history differs: after a failover a lease that only the lost server knew
    /// must not be another run's.
    static let nextEpoch = "epoch + 1 + floor(random() * 1000000000)::bigint"

    /// When the last request can arrive of whoever holds the lease, or held it before and did not give it back.
    private static let lastArrival =
        "greatest(resend_from, CASE WHEN run IS NOT NULL THEN ends + timeout * interval '1 second' END)"

    /// Who holds the lease, in words. `nil` if nobody does.
    private static func holder(over connection: PostgresConnection, _ server: PostgresServer) throws -> String? {
        let rows = try connection.perform(
            """
            SELECT run, pid, host, to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                ceil(extract(epoch FROM ends - clock_timestamp()))::bigint
            FROM @lease WHERE run IS NOT NULL AND ends > clock_timestamp()
            """, until: server.deadline)
        guard let row = rows.first else { return nil }
        let text = """
            run \(try row.text(0)) (process \(try row.int(1)) on \(try row.text(2))) since \(try row.text(3)); \
            without a sign of life its lease ends in \(try row.int(4)) s
            """
        // The text goes to a terminal.
        return text.filter { $0.isASCII && $0 >= " " }
    }

    /// Who holds the lease now, in words. `nil` if nobody does.
    static func holder(of server: PostgresServer) async throws -> String? {
        try await asking(server) { try holder(over: $0, server) }
    }

    /// Takes the lease from a run, which can then write nothing more.
    ///
    /// - Returns: `false` if another run holds it, or none.
    static func end(_ run: String, on server: PostgresServer) async throws -> Bool {
        // Of this attempt, which is known again if the answer to an earlier try was lost.
        let token = UUID()
        return try await asking(server) { connection in
            try PostgresTransaction.writing(on: connection, until: server.deadline).commit([
                PostgresStatement(
                    """
                    UPDATE @lease SET epoch = \(nextEpoch), run = NULL, token = $2, ends = clock_timestamp(),
                        resend_from = \(lastArrival)
                    WHERE run = $1 OR run IS NULL AND token = $2 RETURNING epoch
                    """, .text(run), .uuid(token))
            ])[0].count > 0
        }
    }

    private static func asking<Value: Sendable>(
        _ server: PostgresServer, _ body: @Sendable @escaping (PostgresConnection) throws -> Value
    ) async throws -> Value {
        let session = PostgresSession(server.parameters, schema: server.schema)
        do {
            return try await session.perform(for: server.patience) { connection, _ in
                try server.checkFormat(connection)
                return try body(connection)
            }
        } catch {
            throw server.stateError(error)
        }
    }
}
