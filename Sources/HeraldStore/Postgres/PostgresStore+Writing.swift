internal import FCM
internal import Foundation
package import HeraldCore

extension PostgresStore {
    package func lease(to holder: String) async throws -> WorkLease {
        if let lease { return WorkLease(holder: holder, epoch: lease.epoch) }
        let epoch = try await writing(under: nil) { transaction in
            let rows = try transaction.fetch(
                """
                UPDATE @lease SET epoch = \(RunLease.nextEpoch), run = NULL, token = NULL, host = NULL, pid = NULL, since = NULL,
                    ends = clock_timestamp()
                RETURNING epoch
                """)
            guard let row = rows.first else { throw StateDamage(detail: "its lease is missing") }
            return try row.int(0)
        }
        guard let epoch else { throw StateError.leaseLost(holder: holder) }
        return WorkLease(holder: holder, epoch: epoch)
    }

    package func commit(_ changes: [StateChange], under lease: WorkLease) async throws {
        try await commit(changes, under: lease as WorkLease?)
    }

    package func commit(_ changes: [StateChange]) async throws {
        if let helping { return try await commit(changes, helpingWith: helping) }
        try await commit(changes, under: workLease)
    }

    private func commit(_ changes: [StateChange], under lease: WorkLease?) async throws {
        _ = try await writing(under: lease) { transaction in
            for change in changes { try change.write(to: transaction) }
            // Last, so that the row is locked for a short time.
            if changes.contains(where: \.isEffect) { transaction.run("UPDATE @progress SET serial = serial + 1") }
        }
    }

    /// Writes outcomes of a part in a job, together with what the process counted. The serial stays: the conductor
    /// raises it before and after.
    private func commit(_ changes: [StateChange], helpingWith board: CrewBoard) async throws {
        guard let (job, part) = board.job, let news = board.news(of: job) else {
            throw StateError.leaseLost(holder: "")
        }
        _ = try await writing(under: WorkLease(holder: "", epoch: part.epoch), as: board.id) { transaction in
            for change in changes { try change.write(to: transaction) }
            for statement in news { transaction.run(statement) }
        }
    }

    package func intern(_ arrivals: [Arrival], comparedUpTo last: RecipientID) async throws -> [RecipientID] {
        let numbers = try await writing(under: workLease) { transaction in
            // Whoever else gives numbers waits for this row.
            StateChange.renewNumbering(transaction)
            let found = try transaction.fetch([
                PostgresStatement(
                    "SELECT id, registration FROM @recipient WHERE id > $1 ORDER BY id", .int(Int64(last))),
                PostgresReader.numbering,
            ])
            let highest = try PostgresReader.last(found[1])
            let numbers = arrivals.numbers(besides: try PostgresReader.recipients(found[0]), after: highest)
            Self.register(numbers, arrivals, after: highest, transaction)
            return numbers
        }
        if let numbers { return numbers }
        // The commit before the lost answer gave the numbers.
        return try await known(arrivals, after: last)
    }

    /// The numbers that a commit gave whose answer was lost.
    private func known(_ arrivals: [Arrival], after last: RecipientID) async throws -> [RecipientID] {
        let found = Dictionary(
            try await recipients(after: last, limit: .max).map { ($0.registration.recipientKey, $0.id) }
        ) { first, _ in first }
        return try arrivals.map { arrival in
            guard let id = arrival.id ?? found[arrival.registration.recipientKey] else {
                throw StateError.numberedOtherwise
            }
            return id
        }
    }

    /// How many new rows one statement writes.
    private static let part = 10_000

    /// Without COPY, which is a round trip of its own.
    ///
    /// - Parameter highest: the highest number so far. Rows above it are new, the others replace rows.
    private static func register(
        _ numbers: [RecipientID], _ arrivals: [Arrival], after highest: RecipientID,
        _ transaction: PostgresTransaction
    ) {
        var fresh: [(id: Int64, registration: String)] = []
        var known: [RecipientID: Registration] = [:]
        for (number, arrival) in zip(numbers, arrivals) {
            if number > highest {
                fresh.append((Int64(number), arrival.registration.rawValue))
            } else {
                known[number] = arrival.registration
            }
        }
        if !known.isEmpty { StateChange.register(known, transaction) }
        // A new number has no tombstone yet.
        for first in stride(from: 0, to: fresh.count, by: part) {
            let rows = fresh[first..<min(fresh.count, first + part)]
            transaction.run(
                "INSERT INTO @recipient (id, registration) SELECT * FROM unnest($1::bigint[], $2::text[])",
                .ints(rows.map(\.id)), .texts(rows.map(\.registration)))
        }
    }

    /// CLUSTER writes a table anew, as `VACUUM (FULL)` does, but may have limits: until it gets its lock, everybody else
    /// waits behind it.
    package func compact() async throws -> Compaction {
        do {
            try await session.perform(for: { .now }) { [server] connection, _ in
                for table in ["recipient", "former", "tombstone"] {
                    let transaction = PostgresTransaction.writing(
                        on: connection, until: server.readingDeadline, .init(wait: .seconds(2)))
                    transaction.run("CLUSTER @\(table) USING \(table)_pkey")
                    try transaction.commit()
                }
            }
            return .done
        } catch let error as PostgresError where error.code == Refusal.locked {
            return .postponed("another session of the database reads it")
        } catch let error as PostgresError where error.code == Refusal.noRight {
            return .forOwner
        } catch {
            throw server.stateError(error)
        }
    }

    /// Commits what `body` writes: once, also if the connection is cut meanwhile.
    ///
    /// - Parameters:
    ///   - lease: Nothing is written if it is not the newest.
    ///   - helper: Nothing is written if the others have taken this process for dead.
    /// - Returns: `nil` if an earlier try was committed, but its answer was lost.
    func writing<Value: Sendable>(
        under lease: WorkLease?, as helper: UUID? = nil,
        _ body: @Sendable @escaping (PostgresTransaction) throws -> Value
    ) async throws -> Value? {
        if self.lease?.hasFailedOver == true { throw StateError.failedOver(path: server.name) }
        if let error = self.lease?.standstill { throw server.stateError(error) }
        let start = ContinuousClock.now
        do {
            let number = NumberOnce(commits)
            return try await session.perform(for: patience) { [server, writer] connection, _ in
                let transaction = PostgresTransaction.writing(on: connection, until: server.deadline, nil)
                transaction.begin(writer, number.value, under: lease, as: helper)
                do {
                    let value = try body(transaction)
                    try transaction.commit()
                    return value
                } catch let error as PostgresError where error.code == Refusal.committedBefore {
                    return nil
                }
            }
        } catch let error as PostgresError where error.code == Refusal.leaseLost {
            self.lease?.lose()
            throw StateError.leaseLost(holder: lease?.holder ?? "")
        } catch let error as PostgresError where error.code == Refusal.failedOver {
            self.lease?.loseByFailover()
            throw StateError.failedOver(path: server.name)
        } catch let error as PostgresError where error.code == Refusal.moved {
            // It says where to.
            try await session.perform(for: server.patience) { [server] connection, _ in
                try server.checkFormat(connection)
            }
            throw StateError.incomplete(path: server.name)
        } catch {
            // The thread that renews the lease may have learnt it first, and then nothing is tried again.
            if self.lease?.hasFailedOver == true { throw StateError.failedOver(path: server.name) }
            noteEnd(after: error, since: start)
            throw server.stateError(error)
        }
    }

    /// A run tries again until its lease ends: by then it knows outcomes that nobody else can know.
    var patience: @Sendable () -> ContinuousClock.Instant {
        if let helping { return { helping.deadline } }
        guard let lease else { return server.patience }
        return { lease.deadline }
    }

    /// What may be gone after another try was tried until the lease ended. A process that helps may join again, also if
    /// nobody else noticed.
    ///
    /// - Parameter begin: from when on nothing was tried again, unless the lease ended later.
    func noteEnd(after error: any Error, since begin: ContinuousClock.Instant) {
        guard let error = error as? PostgresError, error.isPassing else { return }
        helping?.lose(after: server.stateError(error))
        lease?.noteStandstill(error, since: begin)
    }
}

extension PostgresTransaction {
    fileprivate func begin(_ writer: UUID, _ number: Int64, under lease: WorkLease?, as helper: UUID?) {
        guard let helper else {
            return run("SELECT @begin_commit($1, $2, $3)", .uuid(writer), .int(number), .int(lease?.epoch))
        }
        run(
            "SELECT @begin_work($1, $2, $3, $4)", .uuid(writer), .int(number), .int(lease?.epoch), .uuid(helper))
    }
}

/// The number of one commit, the same for each try.
///
/// It is `Sendable` because only the serial queue of the store's session uses it.
private final class NumberOnce: @unchecked Sendable {
    private let commits: CommitCount
    lazy var value = commits.next()

    init(_ commits: CommitCount) { self.commits = commits }
}
