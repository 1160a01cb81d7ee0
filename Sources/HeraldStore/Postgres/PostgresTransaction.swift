internal import Foundation
internal import HeraldCore

/// One transaction. Its statements wait until something must be read, or until the end, so that most commits are one
/// round trip.
final class PostgresTransaction {
    private let connection: PostgresConnection
    private let deadline: ContinuousClock.Instant
    private var waiting: [PostgresStatement]
    /// What to throw when herald's own check refuses the statement of that number among those that wait.
    private var refusals: [Int: StateError] = [:]

    /// - Parameter begin: `BEGIN` with its options.
    init(_ begin: String, on connection: PostgresConnection, until deadline: ContinuousClock.Instant) {
        self.connection = connection
        self.deadline = deadline
        waiting = [PostgresStatement(begin)]
    }

    static func reading(
        on connection: PostgresConnection, until deadline: ContinuousClock.Instant
    ) -> PostgresTransaction {
        // All statements see the same moment.
        let transaction = PostgresTransaction(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", on: connection, until: deadline)
        transaction.run(.limits(until: deadline))
        return transaction
    }

    /// How long others may have to wait for a transaction, also when this process stands still or is gone.
    struct Limits {
        /// The longest time that it waits for others itself, and holds up whoever comes after it.
        var wait = Duration.seconds(10)
        /// How long it may stand still between two statements.
        var idle: Duration? = standstill

        /// The same as in `begin_commit`, which is part of a state's format.
        static let standstill = Duration.seconds(5)
    }

    private static let beginning = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

    /// No statement of it has a time limit: `statement_timeout`, or a cancelled query, would end a COMMIT that waits for
    /// a standby, and the server would call it committed although no standby has it.
    ///
    /// - Parameter limits: `nil` if the first statement sets them (`begin_commit`).
    static func writing(
        on connection: PostgresConnection, until deadline: ContinuousClock.Instant, _ limits: Limits? = Limits()
    ) -> PostgresTransaction {
        let transaction = PostgresTransaction(beginning, on: connection, until: deadline)
        // Its role may have one.
        transaction.run("SET LOCAL statement_timeout = 0")
        guard let limits else { return transaction }
        // Somebody else's lock is told before the server counts as silent.
        let rest = ContinuousClock.now.duration(to: deadline) * 3 / 4
        transaction.run(.limit(locks: min(limits.wait, rest), idle: limits.idle))
        return transaction
    }

    func run(_ text: String, _ values: PostgresValue...) {
        var statement = PostgresStatement(text)
        statement.values = values
        run(statement)
    }

    func run(_ statement: PostgresStatement) { waiting.append(statement) }

    /// - Parameter refusal: what it means if the statement calls `refuse`.
    func check(_ refusal: StateError, _ statement: PostgresStatement) {
        refusals[waiting.count] = refusal
        waiting.append(statement)
    }

    func fetch(_ text: String, _ values: PostgresValue...) throws -> PostgresRows {
        var statement = PostgresStatement(text)
        statement.values = values
        return try fetch([statement])[0]
    }

    /// The answers of these statements.
    func fetch(_ statements: [PostgresStatement]) throws -> [PostgresRows] {
        waiting += statements
        return try flush().suffix(statements.count)
    }

    /// Sends rows to a `COPY … FROM STDIN`.
    func copy(_ text: String, _ rows: [UInt8]) throws {
        _ = try flush()
        do { try connection.copy(text, rows, until: deadline) } catch {
            try connection.rollBack(until: deadline)
            throw error
        }
    }

    func commit() throws {
        waiting.append(PostgresStatement("COMMIT"))
        _ = try flush()
    }

    /// Commits and returns the answers of these statements.
    func commit(_ statements: [PostgresStatement]) throws -> [PostgresRows] {
        waiting += statements + [PostgresStatement("COMMIT")]
        return try flush().dropLast().suffix(statements.count)
    }

    private func flush() throws -> [PostgresRows] {
        defer { (waiting, refusals) = ([], [:]) }
        do { return try connection.perform(waiting, until: deadline) } catch {
            guard case .refused(let refusal, let statement) = error else { throw error }
            if refusal.code.hasPrefix("HL"), let meaning = refusals[statement] { throw meaning }
            if refusal.code == Refusal.unsupported, waiting[statement].text == Self.beginning {
                let standby = Refusal(code: Refusal.readOnly, message: refusal.message)
                throw PostgresError.refused(standby, statement: statement)
            }
            throw error
        }
    }
}
