import FCM
import Testing

@testable import FCMEmulator

/// Faults as an HTTP/1.1 client sees them.
@Suite(.timeLimit(.minutes(5))) struct FaultServingTests {
    private static let message = #"{"message":{"topic":"t"}}"#

    private func script(_ script: String, at port: Int) async throws {
        let connection = try RawConnection(port: port)
        try #require(try await connection.exchange("PUT", "/emulator/v1/faults", script).status == 200)
    }

    private func lines(_ path: String, at port: Int) async throws -> [JSONValue] {
        let text = try await RawConnection(port: port).exchange("GET", "/emulator/v1/\(path)", "").body
        return try text.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
    }

    private func post(_ connection: RawConnection, _ body: String = message) throws {
        try connection.write(
            "POST /v1/projects/p/messages:send HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
    }

    /// Everything that the server sends until it closes.
    private func rest(of connection: RawConnection) async throws -> String {
        var text: [UInt8] = []
        while case let piece = try await connection.read(), !piece.isEmpty { text += piece }
        return String(decoding: text, as: UTF8.self)
    }

    @Test func `an error comes with its header, and the connection goes on`() async throws {
        try await withEmulator { endpoint in
            try await script(#"[{"match":{"first":1},"do":{"status":503,"retry_after":"2"}}]"#, at: endpoint.port)
            let connection = try RawConnection(port: endpoint.port)
            try post(connection)
            var head = ""
            while !head.contains("}\n}") && !head.hasSuffix("}") {
                head += String(decoding: try await connection.read(), as: UTF8.self)
            }
            #expect(head.hasPrefix("HTTP/1.1 503 "))
            #expect(head.lowercased().contains("\r\nretry-after: 2\r\n"))
            #expect(
                try await connection.exchange("POST", "/v1/projects/p/messages:send", Self.message).status == 200)
        }
    }

    @Test(arguments: [("before", 0), ("after", 1)])
    func `a connection is closed without a byte`(_ close: String, _ delivered: Int) async throws {
        try await withEmulator { endpoint in
            try await script(#"[{"do":{"close":"\#(close)"}}]"#, at: endpoint.port)
            let connection = try RawConnection(port: endpoint.port)
            try post(connection)
            #expect(try await rest(of: connection).isEmpty)
            #expect(try await lines("ledger", at: endpoint.port).count == delivered)
            #expect(try await lines("requests", at: endpoint.port).map { $0["status"] } == [.null])
        }
    }

    @Test(arguments: [(#"{"close":"mid_body"}"#, 200), (#"{"close":"mid_body","status":500}"#, 500)])
    func `an answer is cut in the middle of its body`(_ fault: String, _ status: Int) async throws {
        try await withEmulator { endpoint in
            try await script(#"[{"do":\#(fault)}]"#, at: endpoint.port)
            let connection = try RawConnection(port: endpoint.port)
            try post(connection)
            let text = try await rest(of: connection)
            #expect(text.hasPrefix("HTTP/1.1 \(status) "))
            let end = try #require(text.firstRange(of: "\r\n\r\n"))
            let lengths = text[..<end.lowerBound].split(separator: "\r\n").compactMap { line in
                line.lowercased().hasPrefix("content-length: ") ? Int(line.dropFirst(16)) : nil
            }
            let promised = try #require(lengths.first)
            #expect((1..<promised).contains(text[end.upperBound...].utf8.count))
        }
    }

    @Test func `over HTTP/1.1 going away is Connection: close`() async throws {
        try await withEmulator { endpoint in
            try await script(#"[{"do":{"goaway":true}}]"#, at: endpoint.port)
            let connection = try RawConnection(port: endpoint.port)
            try post(connection)
            let text = try await rest(of: connection)
            #expect(text.hasPrefix("HTTP/1.1 200 "))
            #expect(text.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(text.hasSuffix("}"))
            #expect(try await lines("ledger", at: endpoint.port).count == 1)
        }
    }

    @Test func `a delayed request is carried out after its delay`() async throws {
        try await withEmulator { endpoint in
            try await script(#"[{"do":{"delay_ms":60}}]"#, at: endpoint.port)
            let connection = try RawConnection(port: endpoint.port)
            let begin = ContinuousClock.now
            #expect(
                try await connection.exchange("POST", "/v1/projects/p/messages:send", Self.message).status == 200)
            #expect(ContinuousClock.now - begin >= .milliseconds(60))
        }
    }

    /// How many requests the first entry of the script has matched.
    private func counted(at port: Int) async throws -> Int64 {
        let shown = try await RawConnection(port: port).exchange("GET", "/emulator/v1/faults", "").body
        return try JSONValue(parsing: shown.utf8).array?.first?["counts"]?["faulted"]?.int ?? 0
    }

    @Test func `a delayed request is overtaken, and answered by an emulator that ends`() async throws {
        let kept = Kept()
        let begin = ContinuousClock.now
        try await withEmulator { endpoint in
            try await script(#"[{"match":{"first":1},"do":{"delay_ms":3600000}}]"#, at: endpoint.port)
            let connection = try RawConnection(port: endpoint.port)
            try post(connection, #"{"message":{"topic":"slow"}}"#)
            while try await counted(at: endpoint.port) == 0 {}
            let quick = try RawConnection(port: endpoint.port)
            #expect(try await quick.exchange("POST", "/v1/projects/p/messages:send", Self.message).status == 200)
            #expect(try await lines("ledger", at: endpoint.port).map { $0["target"] } == [["topic": "t"]])
            kept.connection = connection
        }
        #expect(ContinuousClock.now - begin < .seconds(60))
        let connection = try #require(kept.connection)
        #expect(try await rest(of: connection).hasPrefix("HTTP/1.1 200 "))
    }

    /// Keeps the connection open until the emulator has ended. The body writes it once, and it is read after the body
    /// has returned.
    private final class Kept: @unchecked Sendable {
        var connection: RawConnection?
    }

    @Test func `a script from a file is in force from the start, and a wrong one is told`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "faults-\(UUID().uuidString).json").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(#"[{"match":{"service":"send"},"do":{"status":429}}]"#.utf8).write(to: URL(filePath: path))
        try await withEmulator(Emulator.Configuration(faults: path)) { endpoint in
            let connection = try RawConnection(port: endpoint.port)
            #expect(
                try await connection.exchange("POST", "/v1/projects/p/messages:send", Self.message).status == 429)
        }
        try Data(#"[{"do":{"status":99}}]"#.utf8).write(to: URL(filePath: path))
        await #expect(
            throws: EmulatorError.cannotReadFaults(
                path: path, reason: "[0].do.status: not a whole number from 200 to 599")
        ) {
            try await Emulator(Emulator.Configuration(faults: path), now: { Date() }).run { _ in }
        }
        await #expect(
            throws: EmulatorError.cannotReadFaults(path: "/nonexistent", reason: "No such file or directory")
        ) {
            try await Emulator(Emulator.Configuration(faults: "/nonexistent"), now: { Date() }).run { _ in }
        }
    }
}
