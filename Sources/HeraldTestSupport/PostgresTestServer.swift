package import Foundation
import Synchronization

/// A PostgreSQL server for the tests of one process, in a temporary folder and on a Unix socket. It ends with the
/// process, however that ends.
package final class PostgresTestServer: Sendable {
    /// The folder of the socket.
    package let folder: String
    /// The server's first process.
    package let pid: pid_t
    /// libpq's parameters for the database.
    package var parameters: [String: String] { ["host": folder, "dbname": "postgres", "user": "herald"] }

    package struct Missing: Error, CustomStringConvertible {
        package var description: String
    }

    private static let shared = Mutex<Result<PostgresTestServer, any Error>?>(nil)

    /// The server, which the first caller starts.
    package static func running() throws -> PostgresTestServer {
        try shared.withLock { shared in
            let server = shared ?? Result { try PostgresTestServer() }
            shared = server
            return try server.get()
        }
    }

    /// Whether tests can have a server. Without one they are skipped, but not where `CI` is set: there they fail.
    package static let isInstalled: Bool = {
        if programs != nil || ProcessInfo.processInfo.environment["CI"]?.isEmpty == false { return true }
        FileHandle.standardError.write(Data("PostgreSQL is not installed: its tests are skipped (make setup)\n".utf8))
        return false
    }()

    /// The path of a program beside `initdb`, or of the one that people call. On Debian that one is a script, which takes
    /// much longer to start.
    static func program(_ name: String) throws -> String {
        let initdb = programs.map { URL(filePath: "\($0)/initdb").resolvingSymlinksInPath() }
        let server = initdb?.deletingLastPathComponent().path(percentEncoded: false)
        let folders = [server].compactMap(\.self) + folders
        let paths = folders.map { "\($0)/\(name)" }
        guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Missing(description: "\(name) is not installed")
        }
        return path
    }

    private static let folders: [String] = {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let versions = ["/usr/lib/postgresql", "/usr/local/opt", "/opt/homebrew/opt"].flatMap { root in
            (try? FileManager.default.contentsOfDirectory(atPath: root))?.sorted(by: >).map { "\(root)/\($0)/bin" }
                ?? []
        }
        return path + versions
    }()

    /// The folder with `initdb` and `postgres`.
    private static let programs = folders.first { folder in
        ["initdb", "postgres"].allSatisfy { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)") }
    }

    private init() throws {
        guard let programs = Self.programs else { throw Missing(description: "PostgreSQL is not installed") }
        // Short, because the path of a Unix socket has at most about 100 bytes.
        folder = NSTemporaryDirectory() + "herald-pg-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // While this process lives, it holds the pipe open. A shell waits for its end and stops the server.
        guard mkfifo("\(folder)/life", 0o600) == 0, open("\(folder)/life", O_RDWR | O_CLOEXEC) >= 0 else {
            throw Missing(description: "no pipe in \(folder)")
        }
        let shell = try ChildProcess(
            "/bin/sh", ["-c", Self.script, "sh", programs, folder],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"])
        let line = shell.readLine()
        guard let pid = pid_t(line) else { throw Missing(description: "PostgreSQL did not start: \(line)") }
        self.pid = pid
        self.shell = shell
    }

    private let shell: ChildProcess

    /// PostgreSQL refuses to run as root, so root lets nobody run it.
    private static let script = """
        trap '' INT TERM
        programs=$1 folder=$2
        as=
        if [ "$(id -u)" -eq 0 ]; then
            chown nobody "$folder"
            as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
        fi
        cd "$folder" || exit 1
        $as "$programs/initdb" -D "$folder/data" -U herald -A trust -N -E UTF8 --locale=C >initdb.log 2>&1 || {
            tail -n 1 initdb.log; rm -rf "$folder"; exit 1; }
        $as "$programs/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c max_connections=1000 \
            -c wal_level=minimal -c max_wal_senders=0 >server.log 2>&1 </dev/null &
        server=$!
        until grep -q 'ready to accept connections' server.log; do
            kill -0 "$server" 2>/dev/null || { tail -n 1 server.log; rm -rf "$folder"; exit 1; }
            sleep 0.1
        done
        echo "$server"
        exec >/dev/null
        read -r _ <"$folder/life"
        kill -INT "$server"
        wait "$server"
        rm -rf "$folder"
        """
}
