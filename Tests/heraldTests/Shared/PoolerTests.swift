import FCM
import Foundation
import HeraldTestSupport
import Testing

/// A full run through PgBouncer in transaction mode, where each transaction may get another connection to the server.
@Suite(.enabled(if: Pooler.isInstalled)) struct PoolerTests {
    @Test func `a state behind a pooler in transaction mode works from init to the last send`() async throws {
        let database = try await PostgresTestServer.newDatabase()
        let pooler = try await Pooler()
        var files = Sandbox.small(count: 80, subscribers: 30)
        files["workspace/herald.yaml"] = try #require(files["workspace/herald.yaml"]).replacing(
            "herald: 1", with: "herald: 2\nworkspace: tide")
        let sandbox = try Sandbox(
            files, database: "postgresql://herald@/\(database.name)?host=\(pooler.folder)&port=6432")
        let (_, host) = try await sandbox.startEmulator()
        for (arguments, status) in [
            ("state init", 0), ("plan --detailed-exitcode", 2), ("apply --auto-approve", 0), ("run", 0),
            ("state show --check", 0), ("pause to-all", 0), ("resume", 0), ("state lock", 0),
            ("plan --detailed-exitcode", 0),
        ] {
            let result = try await sandbox.herald(arguments, host: host)
            #expect(result.status == status, "\(arguments): \(result.output)\(result.errors)")
        }
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 81)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.allSatisfy { $0 == 1 })
        // A run that was killed is taken over here too.
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        try await sandbox.applyAndDie(at: (.beforeAnswer, 20), of: host)
        let run = try await sandbox.holder()
        #expect(try await sandbox.herald("state unlock \(run) --auto-approve").status == 0)
        let next = try await sandbox.herald("apply --auto-approve", host: host)
        #expect([0, 6].contains(next.status), "\(next.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.allSatisfy { $0 <= 2 })
        await sandbox.end()
    }
}

/// PgBouncer before the server that all tests share. It ends with this object.
private final class Pooler: Sendable {
    let folder: String
    private let process: ChildProcess

    /// Without it the test is skipped, but not where `CI` is set: there it fails.
    static let isInstalled: Bool = {
        guard PostgresTestServer.isInstalled else { return false }
        if program != nil || ProcessInfo.processInfo.environment["CI"]?.isEmpty == false { return true }
        FileHandle.standardError.write(Data("PgBouncer is not installed: its test is skipped (make setup)\n".utf8))
        return false
    }()

    private static let program = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map {
        "\($0)/pgbouncer"
    }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

    init() async throws {
        let program = try #require(Self.program, "PgBouncer is not installed")
        folder = NSTemporaryDirectory() + "herald-pb-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(
            """
            [databases]
            * = host=\(try PostgresTestServer.running().folder) user=herald
            [pgbouncer]
            pool_mode = transaction
            auth_type = any
            unix_socket_dir = \(folder)
            listen_port = 6432
            default_pool_size = 2

            """.utf8
        ).write(to: URL(filePath: "\(folder)/pgbouncer.ini"))
        // It refuses to run as root.
        let script = """
            if [ "$(id -u)" -eq 0 ]; then
                chown -R nobody "$2"
                exec setpriv --reuid=nobody --regid=nogroup --clear-groups "$1" "$2/pgbouncer.ini" >/dev/null 2>&1
            fi
            exec "$1" "$2/pgbouncer.ini" >/dev/null 2>&1
            """
        process = try ChildProcess(
            "/bin/sh", ["-c", script, "sh", program, folder], environment: ["PATH": "/usr/bin:/bin"])
        let begin = ContinuousClock.now
        while !FileManager.default.fileExists(atPath: "\(folder)/.s.PGSQL.6432") {
            try #require(ContinuousClock.now - begin < .seconds(60), "PgBouncer does not listen")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    deinit {
        process.signal(SIGKILL)
        _ = process.waitUntilEnd()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
