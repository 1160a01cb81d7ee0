internal import FCM
internal import Foundation
package import HeraldCore

/// Somebody's PostgreSQL database that is told of dead registrations. What it is told is one statement's work.
///
/// Its calls block, so only a thread that waits for nothing else makes them.
package final class PostgresTelling {
    /// How many are told at once, at most.
    package static let batch = 1000
    /// How long a statement, or connecting, may take.
    package static let limit = Duration.seconds(30)

    private let connection: PostgresConnection
    private let isStopped: @Sendable () -> Bool

    /// - Parameter isStopped: Whether a signal asked herald to stop.
    package init(_ address: PostgresAddress, isStopped: @escaping @Sendable () -> Bool) throws(QueryError) {
        self.isStopped = isStopped
        do {
            connection = try PostgresConnection(address.server.parameters, schema: "public")
            connection.isStopped = isStopped
            let row = try connection.perform([PostgresQueries.powers], until: .now + Self.limit).first?.first
            if let power = try row?.optionalText(0) {
                throw QueryError.failed(
                    "its role \(power), so a statement could do more than it should",
                    help: "make a role that may only do what the statement needs")
            }
        } catch let error as QueryError {
            throw error
        } catch {
            throw isStopped() ? .stopped : Self.problem(error)
        }
    }

    /// Tells all of them, or nobody. All are of one run.
    ///
    /// - Returns: Why the database refused a value or a row, so that it may take the others. `nil` if it took all.
    package func tell(_ notices: ArraySlice<DeathNotice>, with statement: String) throws(QueryError) -> QueryError? {
        guard let run = notices.first?.run else { return nil }
        let deadline = ContinuousClock.now + Self.limit
        var work = PostgresStatement(
            statement, .text(run), .ints(notices.map(\.number)), .texts(notices.map(\.registration.rawValue)),
            .times(notices.map(\.died)))
        work.isOfState = false
        // Sent together, both are one transaction.
        do { try connection.perform([.limits(until: deadline), work], until: deadline) } catch {
            if isStopped() { throw .stopped }
            if case .silent = error { throw .timeout }
            let problem = Self.problem(error)
            // Data, constraints, and what functions of the database raise.
            guard case .refused(let refusal, _) = error, ["22", "23", "P0"].contains(where: refusal.code.hasPrefix)
            else { throw problem }
            return problem
        }
        return nil
    }

    private static func problem(_ error: any Error) -> QueryError {
        guard let error = error as? PostgresError else {
            return .failed("the server's answer cannot be read", help: nil)
        }
        if case .refused(let refusal, _) = error, refusal.code == "57014" { return .timeout }
        if case .refused(let refusal, _) = error {
            // The database's own functions may write registrations into any message, so only what the server itself says
            // of connections, rights and names is shown.
            let isOfServer = ["08", "28", "3D", "42", "53", "57"].contains { refusal.code.hasPrefix($0) }
            let words =
                isOfServer
                ? "PostgreSQL says: \(refusal.message)" : "PostgreSQL refuses it (SQLSTATE \(refusal.code))"
            return .failed(words, help: nil)
        }
        return .failed(error.phrase, help: error.help)
    }
}
