import Foundation

/// A PostgreSQL server of a test's own, which may be stopped, started and promoted, or follow another one. It listens on
/// a Unix socket in its folder, and ends with the process.
package final class PostgresCluster: Sendable {
    /// The folder of the socket.
    package let folder: String
    package let port: Int
    private let life: ChildProcess

    /// Makes a server with these settings, and starts it.
    ///
    /// - Parameters:
    ///   - port: names the socket.
    ///   - files: what it finds in its data folder.
    package convenience init(port: Int = 5432, files: [String: String] = [:], _ settings: String...) async throws {
        try await self.init(settings, port) { cluster in
            try await cluster.run("initdb", "-U", "herald", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
            for (name, text) in files { try cluster.write(text, to: name) }
        }
    }

    /// Starts a server that follows `primary`.
    package convenience init(following primary: PostgresCluster, _ settings: String...) async throws {
        try await self.init(settings, primary.port) { cluster in
            try await cluster.run(
                "pg_basebackup", "-d",
                "host=\(primary.folder) port=\(primary.port) user=herald application_name=\(cluster.name)", "-R",
                "-X", "stream", "-c", "fast")
        }
    }

    private init(_ settings: [String], _ port: Int, _ fill: (PostgresCluster) async throws -> Void) async throws {
        self.port = port
        // Short, because the path of a Unix socket has at most about 100 bytes.
        folder = NSTemporaryDirectory() + "herald-pc-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        guard mkfifo("\(folder)/life", 0o600) == 0, open("\(folder)/life", O_RDWR | O_CLOEXEC) >= 0 else {
            throw PostgresTestServer.Missing(description: "no pipe in \(folder)")
        }
        // While this process lives, it holds the pipe open. A shell waits for its end and stops the server.
        life = try ChildProcess(
            "/bin/sh", ["-c", Self.watch, "sh", folder], environment: ["PATH": "/usr/bin:/bin"])
        guard life.readLine() == "ready" else { throw PostgresTestServer.Missing(description: "no shell") }
        try await fill(self)
        let own = [
            "port = \(port)", "listen_addresses = ''", "unix_socket_directories = '\(folder)'", "max_connections = 50",
        ]
        // In the configuration, where those of the primary stand in a copy of it too. The last line counts.
        let file = try FileHandle(forWritingTo: URL(filePath: "\(folder)/data/postgresql.conf"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(("\n" + (own + settings).joined(separator: "\n") + "\n").utf8))
        try file.close()
        try await start()
    }

    package func start() async throws {
        try await run("pg_ctl", "-l", "\(folder)/server.log", "-w", "start")
    }

    /// - Parameter isImmediate: Whether it ends as in a crash.
    package func stop(isImmediate: Bool = true) async throws {
        try await run("pg_ctl", "-m", isImmediate ? "immediate" : "fast", "-w", "stop")
    }

    /// Starts it again with another setting.
    package func restart(with setting: String) async throws {
        try await ask("ALTER SYSTEM SET \(setting)")
        try await stop(isImmediate: false)
        try await start()
    }

    /// Makes a standby a primary.
    package func promote() async throws { try await run("pg_ctl", "-w", "promote") }

    /// Its name for a server that it follows, as `synchronous_standby_names` has it.
    package var name: String { URL(filePath: folder).lastPathComponent }

    /// Lets a server that follows another one receive nothing more.
    package func stopFollowing() async throws {
        try await ask("ALTER SYSTEM SET primary_conninfo = ''")
        try await reload()
        try await until("SELECT count(*) FROM pg_stat_wal_receiver", is: "0")
    }

    /// Waits until a server that follows this one has what it has.
    package func await(_ standby: PostgresCluster) async throws {
        let place = try await ask("SELECT pg_current_wal_lsn()")
        try await standby.until("SELECT coalesce(pg_last_wal_replay_lsn() >= '\(place)', false)", is: "t")
    }

    /// Lets commits wait for servers that follow this one.
    ///
    /// - Parameters:
    ///   - names: the value of `synchronous_standby_names`.
    ///   - states: how those servers follow then, sorted and joined with commas.
    package func setSynchronous(_ names: String, until states: String) async throws {
        try await ask("ALTER SYSTEM SET synchronous_standby_names = '\(names)'")
        try await reload()
        try await until(
            "SELECT coalesce(string_agg(sync_state, ',' ORDER BY sync_state), '') FROM pg_stat_replication", is: states)
    }

    private func until(_ question: String, is answer: String) async throws {
        let begin = ContinuousClock.now
        while try await ask(question) != answer {
            guard ContinuousClock.now - begin < .seconds(30) else {
                throw PostgresTestServer.Missing(description: "\(question) does not become \(answer)")
            }
        }
    }

    /// Reads the settings again.
    package func reload() async throws { try await run("pg_ctl", "reload") }

    /// What psql prints for statements, without heading.
    @discardableResult
    package func ask(_ sql: String, as role: String = "herald", database: String = "postgres") async throws -> String {
        try await PostgresTestServer.ask(sql, at: address(database, as: role))
    }

    package func address(_ database: String = "postgres", as role: String = "herald") -> String {
        "postgresql://\(role)@/\(database)?host=\(folder)&port=\(port)"
    }

    /// Writes a file into the data folder that only the server can read.
    private func write(_ text: String, to name: String) throws {
        let path = "\(folder)/data/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
        if getuid() == 0, let owner = getpwnam("nobody") { chown(path, owner.pointee.pw_uid, owner.pointee.pw_gid) }
    }

    private func run(_ program: String, _ arguments: String...) async throws {
        let result = try await ChildProcess(
            "/bin/sh", ["-c", Self.asServer, "sh", folder, try PostgresTestServer.program(program)] + arguments,
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C", "PGDATA": "\(folder)/data"]
        ).wait()
        guard result.status == 0 else {
            let log = (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? result.errors
            throw PostgresTestServer.Missing(description: "\(program): \(log)")
        }
    }

    /// PostgreSQL refuses to run as root, so root lets nobody run it.
    private static let asServer = """
        folder=$1; shift
        cd "$folder" || exit 1
        if [ "$(id -u)" -eq 0 ]; then
            chown nobody "$folder"
            exec setpriv --reuid=nobody --regid=nogroup --clear-groups "$@" -D "$folder/data" >log 2>&1 </dev/null
        fi
        exec "$@" -D "$folder/data" >log 2>&1 </dev/null
        """

    private static let watch = """
        trap '' INT TERM
        echo ready
        exec >/dev/null 2>&1
        read -r _ <"$1/life"
        if [ -f "$1/data/postmaster.pid" ]; then kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"; sleep 1; fi
        rm -rf "$1"
        """
}

extension PostgresTestServer {
    /// What psql prints for statements, without heading.
    @discardableResult
    package static func ask(_ sql: String, at address: String) async throws -> String {
        let result = try await ChildProcess(
            try program("psql"), ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", address, "-c", sql],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]
        ).wait()
        guard result.status == 0 else { throw Missing(description: "psql: \(result.errors)") }
        return result.output.trimmingCharacters(in: .newlines)
    }

    /// Starts psql with statements, which may take long.
    package static func start(_ sql: String, at address: String) throws -> ChildProcess {
        try ChildProcess(
            try program("psql"), ["-X", "-q", "-d", address, "-c", sql],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"])
    }

    /// Lets psql read a file.
    package static func load(_ file: String, at address: String) async throws {
        let result = try await ChildProcess(
            try program("psql"), ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", address, "-f", file],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]
        ).wait()
        guard result.status == 0 else { throw Missing(description: "psql: \(result.errors)") }
    }

    /// Restores a dump of a schema elsewhere.
    ///
    /// - Parameter name: of the restored schema.
    package static func copy(
        _ schema: String, from source: String, to destination: String, as name: String? = nil
    ) async throws {
        let dump = try await ChildProcess(
            try program("pg_dump"), ["--no-owner", "--schema=\(schema)", "-d", source],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]
        ).wait()
        guard dump.status == 0 else { throw Missing(description: "pg_dump: \(dump.errors)") }
        let file = NSTemporaryDirectory() + "herald-dump-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let text = name.map {
            dump.output.replacing("\(schema).", with: "\($0).").replacing(
                "SCHEMA \(schema);", with: "SCHEMA \($0);"
            ).replacing("\"\(schema)\".", with: "\"\($0)\".")
        }
        try Data((text ?? dump.output).utf8).write(to: URL(filePath: file))
        try await load(file, at: destination)
    }

    /// A database of its own on the server that all tests share.
    package static func newDatabase(encoding: String = "UTF8") async throws -> (name: String, address: String) {
        let (name, folder) = ("db_\(UUID().uuidString.prefix(8).lowercased())", try running().folder)
        try await ask(
            "CREATE DATABASE \(name) TEMPLATE template0 ENCODING '\(encoding)'",
            at: "postgresql://herald@/postgres?host=\(folder)")
        return (name, "postgresql://herald@/\(name)?host=\(folder)")
    }
}
