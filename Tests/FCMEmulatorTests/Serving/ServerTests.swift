import FCM
import Testing

@testable import FCMEmulator

@Suite(.timeLimit(.minutes(5))) struct ServerTests {
    @Test func `one connection carries request after request`() async throws {
        try await withEmulator { endpoint in
            let connection = try RawConnection(port: endpoint.port)
            let path = "/v1/projects/p/registrations/\(token(1))/topicSubscriptions?topic_name=100%25"
            #expect(try await connection.exchange("POST", path, "{}").status == 200)
            let body = #"{"message":{"topic":"100%","notification":{"title":"é"}}}"#
            #expect(try await connection.exchange("POST", "/v1/projects/p/messages:send", body).status == 200)
            #expect(try await connection.exchange("GET", "/elsewhere", "").status == 404)
            let ledger = try await connection.exchange("GET", "/emulator/v1/ledger", "")
            let line = try JSONValue(parsing: ledger.body.utf8)
            #expect(line["target"] == ["topic": "100%"])
            #expect(line["fan_out"] == 1)
            #expect(line["message"] == ["notification": ["title": "é"]])
            #expect(
                try await connection.exchange("GET", "/emulator/v1/requests", "").body.split(separator: "\n").count == 3
            )
        }
    }

    @Test func `an answer tells the time, or another if a fault says so`() async throws {
        try await withEmulator { endpoint in
            let connection = try RawConnection(port: endpoint.port)
            let good = try await connection.exchange("GET", "/elsewhere", "")
            #expect(good.date == "Tue, 01 Dec 2026 08:00:00 GMT")
            let script = #"[{"do":{"clock_off_ms":-600000}}]"#
            #expect(try await connection.exchange("PUT", "/emulator/v1/faults", script).status == 200)
            let wrong = try await connection.exchange("POST", "/v1/projects/p/messages:send", "{}")
            #expect(wrong.date == "Tue, 01 Dec 2026 07:50:00 GMT")
        }
    }

    @Test func `a body over one mebibyte is refused and the connection goes on`() async throws {
        try await withEmulator { endpoint in
            let connection = try RawConnection(port: endpoint.port)
            let large = String(repeating: " ", count: 1 << 20) + "{}"
            #expect(try await connection.exchange("POST", "/v1/projects/p/messages:send", large).status == 413)
            #expect(try await connection.exchange("GET", "/emulator/v1/registrations", "").status == 200)
        }
    }

    @Test func `the headers that matter arrive, in whatever case`() async throws {
        var configuration = Emulator.Configuration(requiresAuthorization: true)
        configuration.allowedHosts = ["emulator.test"]
        try await withEmulator(configuration) { endpoint in
            let connection = try RawConnection(port: endpoint.port)
            var assertion = SignedAssertion()
            assertion.claims["aud"] = "http://emulator.test:80/token"
            let answer = try await connection.exchange(
                "POST", "/token", try assertion.form(),
                headers: ["HOST: emulator.test:80", "Content-TYPE: application/x-www-form-urlencoded"])
            let token = try #require(try JSONValue(parsing: answer.body.utf8)["access_token"]?.string)
            let headers = [
                "host: localhost", "AUTHORIZATION: Bearer \(token)", "Access_Token_Auth: true", "Project_ID: 1",
            ]
            let body =
                #"{"operation":"create","notification_key_name":"g","registration_ids":["\#(fid(1))"]}"#
            #expect(
                try await connection.exchange("POST", "/fcm/notification", body, headers: headers).status == 200)
            #expect(
                try await connection.exchange("POST", "/fcm/notification", body, headers: ["host: localhost"]).status
                    == 401)
        }
    }

    @Test func `a cancelled emulator closes open connections and returns`() async throws {
        let idle = Kept()
        try await withEmulator { endpoint in
            let connection = try RawConnection(port: endpoint.port)
            #expect(try await connection.exchange("POST", "/v1/projects/p/messages:send", "").status == 400)
            idle.connection = connection
        }
        #expect(try await idle.connection?.read().isEmpty == true)
    }

    /// Keeps the connection open until the emulator has ended. The body writes it once, and it is read after the body
    /// has returned.
    private final class Kept: @unchecked Sendable {
        var connection: RawConnection?
    }

    @Test func `a port in use is told`() async throws {
        try await withEmulator { endpoint in
            let second = Emulator(Emulator.Configuration(port: endpoint.port), now: { Date() })
            await #expect(throws: EmulatorError.self) { try await second.run { _ in } }
        }
    }

    /// curl waits so before it sends more than 1 MiB (RFC 9110, section 10.1.1).
    @Test func `a client that waits to be asked for its body is asked`() async throws {
        try await withEmulator { endpoint in
            let connection = try RawConnection(port: endpoint.port)
            var heard = ""
            func hear(_ wanted: String) async throws {
                while !heard.contains(wanted) {
                    let piece = try await connection.read()
                    try #require(!piece.isEmpty)
                    heard += String(decoding: piece, as: UTF8.self)
                }
            }
            let (path, body) = ("/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#)
            try connection.write(
                "POST \(path) HTTP/1.1\r\nHost: localhost\r\nExpect: 100-Continue\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
            try await hear("\r\n\r\n")
            #expect(heard.hasPrefix("HTTP/1.1 100 ") && heard.hasSuffix("\r\n\r\n"))
            heard = ""
            try connection.write(body)
            try await hear(#""name""#)
            #expect(heard.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `a ledger line is in the file before its answer arrives`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "emulator-\(UUID().uuidString).ndjson").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        @Sendable func lines() throws -> String {
            String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        }

        for run in 1...2 {
            try await withEmulator(Emulator.Configuration(ledger: path)) { endpoint in
                let connection = try RawConnection(port: endpoint.port)
                for number in 1...5 {
                    let body = #"{"message":{"fid":"\#(fid(number))","data":{"run":"\#(run)"}}}"#
                    #expect(try await connection.exchange("POST", "/v1/projects/p/messages:send", body).status == 200)
                    #expect(try lines().split(separator: "\n").count == (run - 1) * 5 + number)
                }
                let refused = #"{"message":{"fid":"\#(fid(1))"},"validate_only":true}"#
                #expect(try await connection.exchange("POST", "/v1/projects/p/messages:send", refused).status == 200)
                let ledger = try await connection.exchange("GET", "/emulator/v1/ledger", "").body
                #expect(try lines().hasSuffix(ledger))
            }
        }
        #expect(try lines().split(separator: "\n").count == 10)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode.map { "\($0)" } == String(0o600))
    }

    @Test func `a ledger that cannot be opened is told`() async {
        let emulator = Emulator(Emulator.Configuration(ledger: "/nonexistent/ledger"), now: { Date() })
        await #expect(
            throws: EmulatorError.cannotOpenLedger(path: "/nonexistent/ledger", reason: "No such file or directory")
        ) {
            try await emulator.run { _ in }
        }
    }

    @Test(arguments: [nil, "", "herald emulator data 1\n", "herald emulator data 9\n"])
    func `a ledger does not go into an emulator's data, its own or another's`(_ text: String?) async throws {
        let place = try JournalPlace(text)
        let isData = text?.isEmpty == false
        let configuration = Emulator.Configuration(ledger: place.path, data: isData ? nil : place.path)
        for _ in 1...2 {
            await #expect(
                throws: EmulatorError.cannotOpenLedger(path: place.path, reason: "it is an emulator's data")
            ) {
                try await Emulator(configuration, now: { Date() }).run { _ in }
            }
        }
        if isData {
            #expect(try place.text() == text)
        } else {
            // The data that such a start has begun can be used.
            #expect(try ManualEmulator(data: place.path).ledger().isEmpty)
        }
    }
}
