import FCM
import NIOCore
import Testing

@testable import FCMEmulator

/// Faults when many requests share one connection.
@Suite(.timeLimit(.minutes(5))) struct FaultStreamTests {
    private static let send = "/v1/projects/p/messages:send"

    /// What a connection received until it ended, or until `enough`.
    private struct Heard: Sendable {
        var answered: Set<Int> = []
        var ended: Set<Int> = []
        var lastStream: Int?
        var isOver = false
    }

    /// Opens one connection, sends a message on each of the streams 1, 3, 5…, and reads the answers.
    private func exchange(
        faults: String, streams: Int, until enough: @Sendable @escaping (Heard) -> Bool = { _ in false },
        _ check: @Sendable (Heard, _ ledger: [JSONValue], _ requests: [JSONValue]) throws -> Void
    ) async throws {
        try await withEmulator(Emulator.Configuration(tls: true), now: Date()) { endpoint in
            _ = try await plain("PUT", "faults", faults, at: endpoint)
            let heard = try await withSecureConnection(
                port: endpoint.port, trusting: endpoint.certificate, offering: ["h2"]
            ) { _, input, output in
                var heard = Heard()
                var connection = HTTP2Frames()
                var opening = HTTP2Frames.opening()
                for number in 0..<streams {
                    let body = #"{"message":{"topic":"t\#(2 * number + 1)"}}"#
                    HTTP2Frames.writePost(Self.send, body, stream: 2 * number + 1, to: &opening)
                }
                try await output.write(opening)
                while !enough(heard), let piece = try? await input.next(isolation: #isolation) {
                    connection.received += Array(buffer: piece)
                    while let frame = connection.next() {
                        switch frame.kind {
                        case .headers: heard.answered.insert(frame.stream)
                        case .data where frame.isAcknowledgement: heard.ended.insert(frame.stream)
                        case .goAway:
                            heard.lastStream = frame.payload.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                        default: break
                        }
                    }
                }
                heard.isOver = !enough(heard)
                return heard
            }
            try check(
                heard, try await plain("GET", "ledger", "", at: endpoint),
                try await plain("GET", "requests", "", at: endpoint))
        }
    }

    /// A call to the emulator's own interface.
    private func plain(
        _ method: String, _ path: String, _ body: String, at endpoint: Emulator.Endpoint
    ) async throws -> [JSONValue] {
        try await withSecureConnection(
            port: endpoint.port, trusting: endpoint.certificate, offering: ["http/1.1"]
        ) { _, input, output in
            try await output.write(
                ByteBuffer(
                    string: "\(method) /emulator/v1/\(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"))
            var answer = ""
            while let piece = try await input.next(isolation: #isolation) { answer += String(buffer: piece) }
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            guard method == "GET", let end = answer.firstRange(of: "\r\n\r\n") else { return [] }
            return try answer[end.upperBound...].split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
        }
    }

    @Test(arguments: [("before", 0), ("after", 1)])
    func `a closed connection takes all of its streams with it`(_ close: String, _ delivered: Int) async throws {
        try await exchange(faults: #"[{"do":{"close":"\#(close)"}}]"#, streams: 1) { heard, ledger, requests in
            #expect(heard.isOver)
            #expect(heard.answered.isEmpty)
            #expect(ledger.count == delivered)
            #expect(requests.map { $0["status"] } == [.null])
        }
    }

    @Test func `an answer is cut in the middle of its body`() async throws {
        try await exchange(faults: #"[{"do":{"close":"mid_body"}}]"#, streams: 1) { heard, ledger, _ in
            #expect(heard.isOver)
            #expect(heard.answered == [1])
            #expect(heard.ended.isEmpty)
            #expect(ledger.map { $0["status"] } == [200])
        }
    }

    @Test func `GOAWAY names the last stream that was looked at, and those up to it are answered`() async throws {
        let streams = Set((0..<60).map { 2 * $0 + 1 })
        try await exchange(
            faults: #"[{"match":{"service":"send","every":10},"do":{"goaway":true}}]"#, streams: streams.count,
            until: { heard in
                guard let last = heard.lastStream else { return false }
                return streams.filter { $0 <= last }.isSubset(of: heard.ended)
            }
        ) { heard, ledger, requests in
            let last = try #require(heard.lastStream)
            let looked = streams.filter { $0 <= last }
            #expect(heard.ended == looked)
            #expect(heard.answered == looked)
            // None of the other requests had an effect.
            #expect(Set(ledger.compactMap { $0["target"]?["topic"]?.string }) == Set(looked.map { "t\($0)" }))
            #expect(requests.count == looked.count)
        }
    }

    @Test func `an error may come with GOAWAY`() async throws {
        try await exchange(
            faults: #"[{"do":{"status":503,"goaway":true}}]"#, streams: 1,
            until: { $0.lastStream != nil && $0.ended == [1] }
        ) { heard, ledger, requests in
            #expect(heard.lastStream == 1)
            #expect(ledger.isEmpty)
            #expect(requests.map { $0["status"] } == [503])
        }
    }
}
