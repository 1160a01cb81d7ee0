import Foundation
import HeraldTestSupport
import Testing

extension Sandbox {
    /// A sandbox whose state is in a database of its own.
    ///
    /// - Parameter files: `workspace/herald.yaml` with `herald: 1` gets what a state in PostgreSQL needs.
    static func shared(
        _ files: [String: String], database: (name: String, address: String)? = nil, through proxy: PostgresProxy? = nil
    ) async throws -> (sandbox: Sandbox, address: String) {
        let found: (name: String, address: String)
        if let database { found = database } else { found = try await PostgresTestServer.newDatabase() }
        var files = files
        files["workspace/herald.yaml"] = try #require(files["workspace/herald.yaml"]).replacing(
            "herald: 1", with: "herald: 2\nworkspace: tide")
        let address = proxy.map { "postgresql://herald@/\(found.name)?host=\($0.folder)" } ?? found.address
        return (try Sandbox(files, database: address), found.address)
    }

    /// The run that holds the lock.
    func holder() async throws -> String {
        let words = try await herald("state lock").output.split(separator: " ")
        return String(try #require(words.dropFirst().first))
    }
}
