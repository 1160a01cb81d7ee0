import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

@testable import HeraldStore

/// What a run leaves behind that stopped because its database failed over.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct FailoverEndTests {
    @Test func `nobody waits for the lease of a run that stopped at a failover`() async throws {
        let primary = try await PostgresCluster()
        let standby = try await PostgresCluster(following: primary)
        let server = PostgresServer(
            name: "test", schema: "herald",
            parameters: [
                "host": "\(primary.folder),\(standby.folder)", "dbname": "postgres", "user": "herald",
                "target_session_attrs": "read-write",
            ])
        // The connection that renews the lease is not used before the run gives it back.
        var times = LeaseTimes()
        (times.length, times.renewal) = (.seconds(300), .seconds(100))
        let location = StateDatabase(
            server, .init(project: "p", endpoint: .emulator, workspace: "tide"), folder: "/none/.herald", times: times
        ) { _ in }
        try await location.initialize(created: Date())
        try await location.lock(for: "first").hold {
            let store = try await location.open(for: .changing)
            try await primary.await(standby)
            try await primary.stop()
            try await standby.promote()
            await #expect(throws: StateError.failedOver(path: "test")) { try await store.commit([.pause("tide")]) }
        }
        let next = try await location.lock(for: "second")
        // What the first run had sent last may still arrive.
        #expect(next.resendTime != nil)
        await next.hold {}
    }
}
