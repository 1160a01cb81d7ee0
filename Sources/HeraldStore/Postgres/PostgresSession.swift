internal import Foundation

/// Does the blocking work of a link on a thread of its own, so that tasks never wait for PostgreSQL on the threads that
/// they share.
///
/// It is `Sendable` because only its serial queue uses the link.
final class PostgresSession: @unchecked Sendable {
    private let link: PostgresLink
    private let queue = DispatchQueue(label: "herald.postgres")

    init(_ parameters: PostgresConnection.Parameters, schema: String) {
        link = PostgresLink(parameters, schema: schema)
    }

    /// As `PostgresLink.perform`. Calls are done one after the other.
    func perform<Value: Sendable>(
        for patience: @escaping @Sendable () -> ContinuousClock.Instant,
        _ body: @Sendable @escaping (PostgresConnection, Int) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(with: Result { try link.perform(until: patience(), body) })
            }
        }
    }
}
