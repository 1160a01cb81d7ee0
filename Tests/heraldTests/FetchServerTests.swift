import Foundation
import HeraldTestSupport
import Synchronization
import Testing

/// `herald fetch` from a server that speaks TLS. It is openssl, which sends files as they are: heads and bodies.
@Suite(.timeLimit(.minutes(5))) struct FetchServerTests {
    private final class Server: Sendable {
        let folder: TemporaryFolder
        let port: Int
        private let process: ChildProcess

        var authority: String { "\(folder.path)/certificate.pem" }
        func url(_ name: String) -> String { "https://localhost:\(port)/\(name)" }

        init() async throws {
            folder = try TemporaryFolder(["files/x": ""])
            let environment = ["PATH": "/usr/bin:/bin:/usr/local/bin"]
            let made = try await ChildProcess(
                "/usr/bin/env",
                [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc",
                    "-days", "2", "-subj", "/CN=herald test", "-addext",
                    "subjectAltName=DNS:localhost,DNS:lists.example.com", "-keyout", "\(folder.path)/key.pem", "-out",
                    "\(folder.path)/certificate.pem",
                ], environment: environment
            ).wait()
            try #require(made.status == 0, "\(made.errors)")
            process = try ChildProcess(
                "/bin/sh",
                [
                    "-c",
                    #"cd "$1/files" && exec openssl s_server -accept 127.0.0.1:0 -cert ../certificate.pem -key ../key.pem -HTTP -naccept 1000 2>/dev/null"#,
                    "sh", folder.path,
                ], environment: environment)
            var line = await process.firstLine()
            while !line.isEmpty, !line.hasPrefix("ACCEPT") { line = await process.firstLine() }
            port = try #require(line.split(separator: ":").last.flatMap { Int($0) }, "\(line)")
        }

        deinit { process.signal(SIGKILL) }

        /// - Parameter headers: herald sees these and no others.
        func serve(_ body: [UInt8], as name: String, status: String = "200 OK", _ headers: [String] = []) throws {
            let head = (["HTTP/1.1 \(status)"] + headers).joined(separator: "\r\n") + "\r\n\r\n"
            try folder.write(Array(head.utf8) + body, to: "files/\(name)")
        }

        func serve(_ text: String, as name: String = "list.csv") throws {
            try serve(Array(text.utf8), as: name, ["Content-Length: \(text.utf8.count)"])
        }
    }

    private static func scene(_ server: Server, _ name: String = "list.csv", _ rest: String = "") throws -> FetchScene {
        let scene = try FetchScene()
        try scene.declare("https: \"\(server.url(name))\"\nca: \(server.authority)\n\(rest)")
        return scene
    }

    private static func text(_ numbers: ClosedRange<Int>) -> String {
        "fid\n" + numbers.map { "\(FetchScene.fid($0))\n" }.joined()
    }

    @Test func `a list comes from a server, also packed, and as NDJSON`() async throws {
        let server = try await Server()
        try server.serve(Self.text(1...3))
        let scene = try Self.scene(server)
        let fetched = try await scene.herald("fetch")
        #expect(fetched.status == 0, "\(fetched.errors)")
        #expect(scene.list == Self.text(1...3))
        #expect(try await scene.herald("plan").status == 0)

        let packed = try await Self.packed(Self.text(1...4), in: server.folder)
        try server.serve(
            packed, as: "list.csv", ["Content-Length: \(packed.count)", "Content-Encoding: gzip", "ETag: \"v2\""])
        #expect(try await scene.herald("fetch").status == 0)
        #expect(scene.list == Self.text(1...4))
        #expect(scene.files == [".lock", "members.csv", "members.json"])
        // The server says that nothing changed.
        try server.serve([], as: "list.csv", status: "304 Not Modified")
        let before = scene.note
        let same = try await scene.herald("fetch")
        #expect(same.status == 0, "\(same.errors)")
        #expect(scene.list == Self.text(1...4))
        #expect(before != nil)
        // A list that somebody changed is asked for as if there were none.
        try scene.folder.write(Self.text(1...1), to: "workspace/.herald/lists/members.csv")
        #expect(try await scene.herald("fetch").status == 4)

        try server.serve("{\"fid\": \"\(FetchScene.fid(1))\"}\n", as: "list.ndjson")
        let lines = try Self.scene(server, "list.ndjson")
        #expect(try await lines.herald("fetch").status == 0)
        #expect(lines.files == [".lock", "members.json", "members.ndjson"])
        #expect(try await lines.herald("plan").status == 0)
    }

    private static func packed(_ text: String, in folder: TemporaryFolder) async throws -> [UInt8] {
        try folder.write(text, to: "plain")
        let result = try await ChildProcess(
            "/bin/sh", ["-c", #"gzip -nc "$1/plain" >"$1/packed""#, "sh", folder.path],
            environment: ["PATH": "/usr/bin:/bin"]
        ).wait()
        try #require(result.status == 0)
        return Array(try Data(contentsOf: URL(filePath: "\(folder.path)/packed")))
    }

    @Test func `an answer that is cut, lies or is something else replaces nothing`() async throws {
        let server = try await Server()
        try server.serve(Self.text(1...3))
        let scene = try Self.scene(server)
        #expect(try await scene.herald("fetch").status == 0)
        let (list, note) = (scene.list, scene.note)
        let packed = try await Self.packed(Self.text(5...900), in: server.folder)
        let whole = Array(Self.text(5...9).utf8)
        let chunk = Array("\(String(whole.count, radix: 16))\r\n".utf8) + whole + Array("\r\n".utf8)
        for (body, status, headers, words) in [
            (whole, "200 OK", ["Content-Length: \(whole.count + 1)"], "before it was whole"),
            (Array(whole.dropLast(10)), "200 OK", ["Content-Length: \(whole.count - 10)"], "line 6"),
            (whole, "200 OK", ["Content-Length: 4"], "no rows"),
            (chunk, "200 OK", ["Transfer-Encoding: chunked"], "before it was whole"),
            (whole, "200 OK", [], "how long"), (whole, "500 Oops", ["Content-Length: \(whole.count)"], "HTTP 500"),
            (whole, "403 No", ["Content-Length: \(whole.count)"], "'headers'"),
            ([], "302 Found", ["Location: https://elsewhere.example/list.csv", "Content-Length: 0"], "'hosts'"),
            ([], "200 OK", ["Content-Length: 0"], "has no"),
            (Array("<html>\nSign in\n".utf8), "200 OK", ["Content-Length: 15"], "line 1"),
            (Array(packed.dropLast(9)), "200 OK", ["Content-Length: \(packed.count - 9)"], "ends in the middle"),
            (packed, "200 OK", ["Content-Length: \(packed.count)", "Content-Encoding: br"], "packed"),
            ([], "304 Not Modified", [], "304"),
        ] as [([UInt8], String, [String], String)] {
            try server.serve(body, as: "list.csv", status: status, headers)
            let result = try await scene.herald("fetch")
            #expect(result.status == 4, "\(words): \(result.errors)")
            #expect(result.errors.contains(words), "\(words): \(result.errors)")
            #expect(!result.errors.contains(FetchScene.fid(5)))
            #expect(scene.list == list, "\(words)")
            #expect(scene.note == note)
            #expect(scene.files == [".lock", "members.csv", "members.json"], "\(words)")
        }
        try server.serve(Self.text(1...5000))
        let full = try await scene.fetchOnFullDisk()
        #expect(full.status == 4)
        #expect(full.errors.contains("cannot be written"), "\(full.errors)")
        #expect(scene.list == list)
        // What is packed is small, and does not fit once it is unpacked.
        let large = try await Self.packed(Self.text(1...5000), in: server.folder)
        try server.serve(large, as: "list.csv", ["Content-Length: \(large.count)"])
        #expect(try await scene.fetchOnFullDisk().status == 4)
        #expect(scene.list == list)
        #expect(scene.files == [".lock", "members.csv", "members.json"])
        #expect(try await scene.herald("plan").status == 0)
    }

    @Test func `a fetch that is killed, cut or held up leaves the last list whole`() async throws {
        let server = try await Server()
        try server.serve(Self.text(1...3))
        let relay = try Relay(serverPort: server.port)
        // Answers pass up to so many bytes. Then the connection is cut, or nothing more comes.
        let room = Mutex(Int.max)
        let isCut = Mutex(false)
        relay.start { piece, forward in
            guard !piece.isRequest else { return forward() }
            let isOver = room.withLock { room in
                room -= piece.bytes.count
                return room < 0
            }
            return isOver ? !isCut.withLock(\.self) : forward()
        }
        defer { relay.stop() }
        let scene = try FetchScene()
        let source = "https: \"https://localhost:\(relay.port)/list.csv\"\nca: \(server.authority)\n"
        try scene.declare(source)
        #expect(try await scene.herald("fetch").status == 0)
        let (list, note) = (scene.list, scene.note)
        try server.serve(Self.text(1...50_000))

        isCut.withLock { $0 = true }
        room.withLock { $0 = 300_000 }
        let cut = try await scene.herald("fetch")
        #expect(cut.status == 4 && cut.errors.contains("before it was whole"), "\(cut.errors)")
        isCut.withLock { $0 = false }
        room.withLock { $0 = 300_000 }
        try scene.declare(source + "fetch: {timeout: 2s}")
        let slow = try await scene.herald("fetch")
        #expect(slow.status == 4 && slow.errors.contains("longer than 2s"), "\(slow.errors)")
        #expect(scene.list == list && scene.note == note)
        try scene.declare(source)
        for signal in [SIGKILL, SIGTERM] {
            room.withLock { $0 = 300_000 }
            let result = try await scene.fetch(until: signal)
            #expect(signal == SIGKILL || result.status == 143, "\(result.errors)")
            #expect(scene.list == list && scene.note == note)
        }
        #expect(scene.files == [".lock", "members.csv", "members.json"])
        room.withLock { $0 = .max }
        #expect(try await scene.herald("fetch").errors.contains("50,000 rows"))
    }

    @Test func `a server that is not trusted or not there, and variables that are not listed`() async throws {
        let (server, other) = (try await Server(), try await Server())
        try server.serve(Self.text(1...3))
        var scene = try FetchScene()
        for (source, words) in [
            ("https: \"\(server.url("list.csv"))\"", "TLS"),
            ("https: \"\(server.url("list.csv"))\"\nca: \(other.authority)", "TLS"),
            ("https: \"\(server.url("list.csv"))\"\nca: missing.pem", "'ca'"),
            ("https: \"\(server.url("list.csv"))\"\nheaders: {X-Key: \"${OTHER}\"}", "HERALD_SOURCE_VARS"),
            ("https: \"\(server.url("list.csv?key=${OTHER}"))\"", "HERALD_SOURCE_VARS"),
            ("https: \"https://localhost:1/list.csv\"", "could not be opened"),
        ] {
            try scene.declare(source)
            let result = try await scene.herald("fetch")
            #expect(result.status == 4, "\(source)")
            #expect(result.errors.contains(words), "\(result.errors)")
            #expect(scene.list == nil)
        }
        scene.variables["CITY"] = server.url("list.csv")
        try scene.declare("https: \"${CITY}\"\nca: \(server.authority)\nheaders: {X-Key: \"${SECRET}\"}")
        let result = try await scene.herald("fetch")
        #expect(result.status == 0, "\(result.errors)")
        #expect(scene.note?.contains("s3cret") == false && scene.note?.contains("localhost") == false)
    }

    @Test func `only who asks the same again may be told that nothing changed`() async throws {
        let server = try await Server()
        let text = Self.text(1...2)
        try server.serve(
            Array(text.utf8), as: "staging.csv", ["Content-Length: \(text.utf8.count)", "ETag: \"1\""])
        var scene = try FetchScene()
        scene.variables["CITY"] = server.url("staging.csv")
        try scene.declare("https: \"${CITY}\"\nca: \(server.authority)\nheaders: {X-Key: \"${SECRET}\"}")
        #expect(try await scene.herald("fetch").status == 0)
        for name in ["staging.csv", "production.csv"] {
            try server.serve([], as: name, status: "304 Not Modified")
        }
        #expect(try await scene.herald("fetch").status == 0)
        let note = scene.note
        #expect(note?.contains("s3cret") == false && note?.contains("staging") == false)

        // This is no answer to whoever names no version.
        let forced = try await scene.herald("fetch", "--force")
        #expect(forced.status == 4 && forced.errors.contains("HTTP 304"), "\(forced.errors)")
        for (name, value) in [("CITY", server.url("production.csv")), ("SECRET", "of another tenant")] {
            var other = scene
            other.variables[name] = value
            let result = try await other.herald("fetch")
            #expect(result.status == 4 && result.errors.contains("HTTP 304"), "\(name): \(result.errors)")
        }
        #expect(scene.list == text && scene.note == note)
    }

    @Test func `a list comes through a proxy`() async throws {
        let server = try await Server()
        try server.serve(Self.text(1...3))
        let proxy = try Relay(serverPort: server.port, isProxy: true)
        proxy.start { _, forward in forward() }
        defer { proxy.stop() }
        var scene = try FetchScene()
        scene.variables["HTTPS_PROXY"] = "http://127.0.0.1:\(proxy.port)"
        try scene.declare("https: \"https://lists.example.com/list.csv\"\nca: \(server.authority)")
        let result = try await scene.herald("fetch")
        #expect(result.status == 0, "\(result.errors)")
        #expect(scene.list == Self.text(1...3))
    }
}
