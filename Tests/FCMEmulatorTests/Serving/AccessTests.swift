import FCM
import NIOCore
import Testing

@testable import FCMEmulator

/// Requests of websites, as they arrive on the wire.
@Suite(.timeLimit(.minutes(5))) struct AccessTests {
    /// What a website tries, and something that it must not see or do.
    private static let attacks: [(head: [String], body: String)] = [
        (
            [
                "POST /emulator/v1/reset HTTP/1.1", "Host: HERE", "Origin: https://evil.example",
                "Content-Type: text/plain",
            ], ""
        ),
        (["POST /emulator/v1/reset HTTP/1.1", "Host: HERE", "Origin: null"], ""),
        (["POST /emulator/v1/reset HTTP/1.1", "Host: HERE", "Sec-Fetch-Site: cross-site"], ""),
        (["POST /emulator/v1/reset HTTP/1.1", "Host: evil.example"], ""),
        (["POST /emulator/v1/reset HTTP/1.1", "Host: evil.example:PORT"], ""),
        (["POST http://evil.example/emulator/v1/reset HTTP/1.1", "Host: evil.example"], ""),
        (["POST http://HERE/emulator/v1/reset HTTP/1.1", "Host: evil.example"], ""),
        (["POST /emulator/v1/reset HTTP/1.1"], ""),
        (["POST /emulator/v1/reset HTTP/1.0"], ""),
        (["PUT /emulator/v1/registrations HTTP/1.1", "Host: HERE", "Origin: https://evil.example"], "[]"),
        (
            [
                "OPTIONS /emulator/v1/registrations HTTP/1.1", "Host: HERE", "Origin: https://evil.example",
                "Access-Control-Request-Method: PUT",
            ], ""
        ),
        (["GET /emulator/v1/registrations HTTP/1.1", "Host: evil.example:PORT", "Sec-Fetch-Site: same-origin"], ""),
        (["GET /emulator/v1/events HTTP/1.1", "Host: HERE", "Origin: https://evil.example"], ""),
        (["GET / HTTP/1.1", "Host: evil.example"], ""),
        (
            ["POST /v1/projects/p/messages:send HTTP/1.1", "Host: HERE", "Origin: https://evil.example"],
            #"{"message":{"topic":"t"}}"#
        ),
    ]

    @Test(arguments: attacks.indices)
    func `a website neither reads nor changes anything, and is granted nothing`(_ number: Int) async throws {
        try await withEmulator { endpoint in
            let witness = try RawConnection(port: endpoint.port)
            let list = #"[{"registration":"\#(fid(1))"}]"#
            #expect(try await witness.exchange("PUT", "/emulator/v1/registrations", list).status == 200)
            let (head, body) = Self.attacks[number]
            let lines = (head + ["Content-Length: \(body.utf8.count)", "Connection: close"])
                .map { $0.replacing("HERE", with: "127.0.0.1:PORT").replacing("PORT", with: "\(endpoint.port)") }
            let attacker = try RawConnection(port: endpoint.port)
            try attacker.write(lines.joined(separator: "\r\n") + "\r\n\r\n\(body)")
            var answer = ""
            while case let piece = try await attacker.read(), !piece.isEmpty {
                answer += String(decoding: piece, as: UTF8.self)
            }
            let status = answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            #expect(status == nil || 400..<500 ~= status ?? 0, "\(answer)")
            #expect(!answer.lowercased().contains("access-control-allow"))
            #expect(!answer.contains(fid(1)))
            let known = try await witness.exchange("GET", "/emulator/v1/registrations", "").body
            #expect(known.contains(fid(1)))
            #expect(try await witness.exchange("GET", "/emulator/v1/ledger", "").body.isEmpty)
            let log = try await witness.exchange("GET", "/emulator/v1/requests", "").body.split(separator: "\n")
            #expect(log.count <= 1 && log.allSatisfy { $0.contains(#""refused":""#) }, "\(log)")
        }
    }

    @Test func `what is refused is in the log with its reason, and no token`() async throws {
        try await withEmulator(Emulator.Configuration(host: "0.0.0.0")) { endpoint in
            let token = try #require(endpoint.token)
            let connection = try RawConnection(port: endpoint.port)
            let refused: [(method: String, target: String, headers: [String], status: Int, reason: String)] = [
                ("GET", "/?token=\(token)x", ["Host: 127.0.0.1"], 401, "wants the token"),
                (
                    "GET", "/emulator/v1/ledger", ["Host: 127.0.0.1", "Authorization: Bearer hush"], 401,
                    "wants the token"
                ),
                (
                    "POST", "/v1/projects/p/messages:send?access_token=hush", ["Host: evil.example"], 403,
                    "'evil.example'"
                ),
                ("GET", "/", ["Host: 127.0.0.1", "Origin: https://evil.example"], 403, "other websites"),
                (
                    "GET", "/emulator/v1/nothing?a=hush", ["Host: 127.0.0.1", "Authorization: Bearer \(token)"], 404,
                    "has no call"
                ),
                ("PUT", "/emulator/v1/faults", ["Host: 127.0.0.1", "Authorization: Bearer \(token)"], 400, ""),
            ]
            for call in refused {
                let reply = try await connection.exchange(call.method, call.target, "", headers: call.headers)
                #expect(reply.status == call.status, "\(call.target)")
            }
            let own = ["Host: 127.0.0.1", "Authorization: Bearer \(token)"]
            let log = try await connection.exchange("GET", "/emulator/v1/requests", "", headers: own).body
            let lines = try log.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
            #expect(lines.map { $0["path"]?.string } == refused.map { String($0.target.prefix { $0 != "?" }) })
            #expect(lines.map { $0["status"] } == refused.map { .int(Int64($0.status)) })
            for (line, call) in zip(lines, refused) {
                #expect(line["refused"]?.string?.contains(call.reason) == true, "\(line)")
            }
            #expect(!log.contains(token) && !log.contains("hush"))
        }
    }

    /// `:authority` is what counts over HTTP/2, whatever a header says.
    @Test func `over HTTP/2 the authority decides`() async throws {
        try await withEmulator(Emulator.Configuration(tls: true), now: Date()) { endpoint in
            for (authority, status) in [("localhost", "200"), ("evil.example", "403")] {
                let found = try await withSecureConnection(
                    port: endpoint.port, trusting: endpoint.certificate, offering: ["h2"]
                ) { _, input, output in
                    var (connection, request) = (HTTP2Frames(), HTTP2Frames.opening())
                    HTTP2Frames.writeGet(
                        "/emulator/v1/clock", authority: authority, headers: [("host", "localhost")], stream: 1,
                        to: &request)
                    try await output.write(request)
                    while let piece = try await input.next(isolation: #isolation) {
                        connection.received += Array(buffer: piece)
                        while let frame = connection.next() {
                            if frame.kind == .data { return String(decoding: frame.payload, as: UTF8.self) }
                        }
                    }
                    return ""
                }
                #expect(found.contains("ahead_seconds") == (status == "200"), "\(found)")
            }
        }
    }

    @Test func `what other machines can reach has a token, another one each time`() async throws {
        let tokens = Tokens()
        for _ in 1...2 {
            try await withEmulator(Emulator.Configuration(host: "0.0.0.0")) { endpoint in
                let token = try #require(endpoint.token)
                #expect(token.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
                #expect(endpoint.link(from: "0.0.0.0") == "http://localhost:\(endpoint.port)/?token=\(token)")
                tokens.all.append(token)
                let connection = try RawConnection(port: endpoint.port)
                #expect(try await connection.exchange("GET", "/emulator/v1/registrations", "").status == 401)
                let headers = ["Host: 127.0.0.1", "Authorization: Bearer \(token)"]
                #expect(
                    try await connection.exchange("GET", "/emulator/v1/registrations", "", headers: headers).status
                        == 200)
                let body = #"{"message":{"topic":"t"}}"#
                #expect(try await connection.exchange("POST", "/v1/projects/p/messages:send", body).status == 200)
                try connection.write("GET /?token=\(token) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                let page = String(decoding: try await connection.read(), as: UTF8.self)
                #expect(page.lowercased().contains("set-cookie: herald_emulator="))
                #expect(page.contains("; HttpOnly; SameSite=Strict"))
            }
        }
        #expect(Set(tokens.all).count == 2)
    }

    /// The body writes it, and it is read after the body has returned.
    private final class Tokens: @unchecked Sendable {
        var all: [String] = []
    }

    @Test func `the token and the browser's headers are written to no file`() async throws {
        let place = try JournalPlace()
        try await withEmulator(Emulator.Configuration(host: "0.0.0.0", data: place.path)) { endpoint in
            let token = try #require(endpoint.token)
            let connection = try RawConnection(port: endpoint.port)
            let list = #"[{"registration":"\#(fid(1))"}]"#
            let headers = [
                "Host: 127.0.0.1", "Authorization: Bearer \(token)", "Cookie: herald_emulator=\(token)",
                "Origin: http://127.0.0.1",
            ]
            let reply = try await connection.exchange("PUT", "/emulator/v1/registrations", list, headers: headers)
            #expect(reply.status == 200)
            #expect(try place.text().contains(fid(1)))
            #expect(try !place.text().contains(token))
        }
    }
}
