import FCM
import Testing

@testable import FCMEmulator

@Suite(.timeLimit(.minutes(5))) struct EventTests {
    /// What a client has received, event by event.
    private struct Listening {
        let connection: RawConnection
        private var text = ""

        init(port: Int, after last: String? = nil) throws {
            connection = try RawConnection(port: port)
            let header = last.map { "Last-Event-ID: \($0)\r\n" } ?? ""
            try connection.write("GET /emulator/v1/events HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n")
        }

        /// Reads until the text arrives, and drops everything up to its end. `nil` if the connection ends first.
        mutating func hear(_ wanted: String) async throws -> String? {
            while true {
                if let range = text.firstRange(of: wanted) {
                    defer { text.removeSubrange(..<range.upperBound) }
                    return String(text[..<range.upperBound])
                }
                let piece = try await connection.read()
                if piece.isEmpty { return nil }
                text += String(decoding: piece, as: UTF8.self)
            }
        }
    }

    @Test func `who looks on hears of every change, in order`() async throws {
        try await withEmulator { endpoint in
            var listening = try Listening(port: endpoint.port)
            let head = try #require(try await listening.hear("retry: 1000\n\n"))
            #expect(head.lowercased().contains("content-type: text/event-stream"))
            let connection = try RawConnection(port: endpoint.port)
            let path = "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions?topic_name=t"
            _ = try await connection.exchange("POST", path, "{}")
            _ = try await connection.exchange("POST", "/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#)
            _ = try await connection.exchange("PUT", "/emulator/v1/devices/\(fid(1))", #"{"online":false}"#)
            _ = try await connection.exchange("POST", "/emulator/v1/clock", #"{"advance":"1s"}"#)
            _ = try await connection.exchange("PUT", "/emulator/v1/faults", "[]")
            _ = try await connection.exchange("POST", "/emulator/v1/reset", "")
            for wanted in [
                #"{"change":"topic","topic":"t"}"#, #"{"change":"request","method":"POST","path":"#,
                #"{"change":"delivery","fan_out":1,"message_id":""#, #""target":{"topic":"t"}}"#,
                #"{"change":"device","registration":"\#(fid(1))"}"#, #"{"change":"clock"}"#, #"{"change":"faults"}"#,
                #"{"change":"reset"}"#, #"{"change":"faults"}"#,
            ] {
                #expect(try await listening.hear(wanted) != nil)
            }
        }
    }

    @Test func `a client that comes back hears what it missed`() async throws {
        try await withEmulator { endpoint in
            var first = try Listening(port: endpoint.port)
            _ = try await first.hear("retry: 1000\n\n")
            let connection = try RawConnection(port: endpoint.port)
            func send(_ topic: String) async throws {
                let body = #"{"message":{"topic":"\#(topic)"}}"#
                _ = try await connection.exchange("POST", "/v1/projects/p/messages:send", body)
            }
            try await send("a")
            let event = try #require(try await first.hear(#""target":{"topic":"a"}}"#))
            let id = try #require(event.split(whereSeparator: \.isNewline).last { $0.hasPrefix("id: ") }?.dropFirst(4))
            try await send("b")
            var second = try Listening(port: endpoint.port, after: String(id))
            let missed = try #require(try await second.hear(#""target":{"topic":"b"}}"#))
            #expect(!missed.contains(#""target":{"topic":"a"}"#))
            var stranger = try Listening(port: endpoint.port, after: "1")
            #expect(try await stranger.hear(#"{"change":"lost"}"#) != nil)
        }
    }

    @Test func `a silent emulator's heart beats, and its end ends the stream`() async throws {
        var configuration = Emulator.Configuration()
        configuration.heartbeat = .milliseconds(5)
        let kept = Kept()
        try await withEmulator(configuration) { endpoint in
            var listening = try Listening(port: endpoint.port)
            for _ in 1...3 { #expect(try await listening.hear(":\n\n") != nil) }
            kept.listening = listening
        }
        #expect(try await kept.listening?.hear("never") == nil)
    }

    /// Keeps a listener until the emulator has ended. The body writes it once, and it is read after the body has
    /// returned.
    private final class Kept: @unchecked Sendable {
        var listening: Listening?
    }

    // MARK: The event log

    @Test func `a run of equal changes is one`() {
        var eventLog = EventLog(countingFrom: 10)
        for change in [EventLog.Change.groups, .clock, .clock, .clock, .groups] { eventLog.note(change) }
        #expect(eventLog.events(after: 10)?.map(\.change) == [.groups, .clock, .groups])
        #expect(eventLog.events(after: 10)?.map(\.number) == [11, 14, 15])
        #expect(eventLog.events(after: 12)?.map(\.number) == [14, 15])
        #expect(eventLog.events(after: 15)?.isEmpty == true)
        #expect(eventLog.events(after: 16) == nil)
        #expect(eventLog.events(after: 9) == nil)
    }

    @Test func `a eventLog holds the last thousand, and says so when more were asked for`() {
        var eventLog = EventLog(countingFrom: 0)
        for number in 1...6000 { eventLog.note(number.isMultiple(of: 2) ? .clock : .groups) }
        #expect(eventLog.events(after: 5000)?.count == 1000)
        #expect(eventLog.events(after: 4999) == nil)
        #expect(eventLog.events(after: 5999)?.map(\.number) == [6000])
    }
}
