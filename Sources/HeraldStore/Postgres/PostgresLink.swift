internal import Foundation

/// A connection that is opened when it is needed, and anew when it was cut. One thread at a time uses it.
final class PostgresLink {
    let parameters: PostgresConnection.Parameters
    let schema: String
    private var connection: PostgresConnection?

    init(_ parameters: PostgresConnection.Parameters, schema: String) {
        self.parameters = parameters
        self.schema = schema
    }

    /// Does `body` over a connection, and again after an error that may pass, until it succeeds or the time is over.
    ///
    /// - Parameters:
    ///   - deadline: After an error that comes later, nothing is tried again. A server that is silent beyond it is given
    ///     up.
    ///   - body: gets the number of the try, from 1. An earlier try may have had its effect. It must not hold on to the
    ///     connection.
    func perform<Value>(
        until deadline: ContinuousClock.Instant, _ body: (PostgresConnection, Int) throws -> Value
    ) throws -> Value {
        var attempt = 1
        while true {
            do { return try body(opened(), attempt) } catch let error as PostgresError {
                // A refusal to write may come from a server that was the primary before.
                if error.isPassing { connection = nil }
                guard error.isPassing, ContinuousClock.now < deadline else {
                    closeOpenTransaction()
                    throw error
                }
                attempt += 1
                // Not at once: the server may be starting.
                Thread.sleep(forTimeInterval: min(0.05 * Double(attempt), 1))
            } catch {
                closeOpenTransaction()
                throw error
            }
        }
    }

    func close() { connection = nil }

    private func closeOpenTransaction() { if connection?.isIdle == false { connection = nil } }

    private func opened() throws -> PostgresConnection {
        if let connection { return connection }
        let new = try PostgresConnection(parameters, schema: schema)
        connection = new
        return new
    }
}
