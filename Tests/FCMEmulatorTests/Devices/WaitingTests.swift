import FCM
import Testing

@testable import FCMEmulator

/// What an offline device gets later, by FCM's pages on lifetime and collapsible messages, and by Apple's page on APNs
/// headers.
@Suite struct WaitingTests {
    /// A emulator with one offline device.
    private func emulator(_ platform: String) throws -> ManualEmulator {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), platform: platform, topics: ["t"])
        try emulator.device(token(1), #"{"online":false}"#)
        return emulator
    }

    /// The data value `n` of each message that it received. On Apple devices it is in the payload.
    private func received(_ emulator: ManualEmulator) throws -> [String?] {
        try emulator.inbox(token(1)).map { entry in
            (entry["data"]?["n"] ?? entry["payload"]?["n"] ?? entry["callback"])?.string
        }
    }

    private func dropped(_ emulator: ManualEmulator) throws -> JSONValue? {
        try emulator.call("GET", "/emulator/v1/devices/\(token(1))").json()["dropped"]
    }

    /// Sends a message with the data value `n` and the given other fields.
    private func send(_ number: Int, _ rest: String = "", to emulator: ManualEmulator, topic: Bool = false) throws {
        let target = topic ? #""topic":"t""# : #""token":"\#(token(1))""#
        let rest = rest.isEmpty ? "" : ",\(rest)"
        try #require(
            emulator.send(#"{"message":{\#(target),"data":{"n":"\#(number)"}\#(rest)}}"#).status == 200)
    }

    @Test(arguments: ["ios", "android", "web"])
    func `what was sent meanwhile arrives when the device comes back`(_ platform: String) throws {
        let emulator = try emulator(platform)
        try send(1, to: emulator, topic: true)
        #expect(try emulator.inbox(token(1)).isEmpty)
        emulator.advance(by: 60)
        try emulator.device(token(1), #"{"online":true}"#)
        let entry = try #require(try emulator.inbox(token(1)).first)
        #expect(entry["received"] == "2026-12-01T08:01:00.250Z")
        #expect(entry["topic"] == "t")
        #expect(try dropped(emulator) == [:])
    }

    @Test(arguments: [
        ("android", #""android":{"ttl":"3600s"}"#), ("web", #""webpush":{"headers":{"TTL":"3600"}}"#),
        ("ios", #""apns":{"headers":{"apns-expiration":"1796115600"}}"#),
    ])
    func `a message is kept for its lifetime, by the emulator's clock`(_ platform: String, _ lifetime: String) throws {
        for (advance, expected) in [("3599s", ["1"]), ("3600s", [])] as [(String, [String])] {
            let emulator = try emulator(platform)
            try send(1, lifetime, to: emulator)
            try emulator.advanceWorld(advance)
            try emulator.device(token(1), #"{"online":true}"#)
            #expect(try received(emulator) == expected)
            #expect(try dropped(emulator) == (expected.isEmpty ? ["expired": 1] : [:]))
        }
    }

    @Test(arguments: [
        ("android", #""android":{"ttl":"0s"}"#), ("android", #""android":{"ttl":"0.9s"}"#),
        ("web", #""webpush":{"headers":{"TTL":"0"}}"#), ("ios", #""apns":{"headers":{"apns-expiration":"0"}}"#),
    ])
    func `a message without a lifetime arrives now or never`(_ platform: String, _ lifetime: String) throws {
        let emulator = try emulator(platform)
        try send(1, lifetime, to: emulator)
        try emulator.device(token(1), #"{"online":true}"#)
        try send(2, lifetime, to: emulator)
        #expect(try received(emulator) == ["2"])
        #expect(try dropped(emulator) == ["not_connected": 1])
    }

    @Test(arguments: [
        ("android", #""android":{"collapse_key":"K"}"#), ("web", #""webpush":{"headers":{"Topic":"K"}}"#),
    ])
    func `of one key only the newest waits, behind what came before it`(_ platform: String, _ key: String) throws {
        let emulator = try emulator(platform)
        for (number, name) in ["a", nil, "b", "a"].enumerated() {
            try send(number, name.map { key.replacing("K", with: $0) } ?? "", to: emulator)
        }
        try emulator.device(token(1), #"{"online":true}"#)
        #expect(try received(emulator) == ["1", "2", "3"])
        #expect(try dropped(emulator) == ["collapsed": 1])
    }

    @Test func `four collapse keys wait for an Android device, those used last`() throws {
        let emulator = try emulator("android")
        for (number, key) in ["a", "b", "c", "d", "a", "e"].enumerated() {
            try send(number, #""android":{"collapse_key":"\#(key)"}"#, to: emulator)
        }
        try emulator.device(token(1), #"{"online":true}"#)
        #expect(try received(emulator) == ["2", "3", "4", "5"])
        #expect(try dropped(emulator) == ["collapsed": 1, "collapse_keys": 1])
    }

    @Test func `Android notifications share a key, whatever theirs is`() throws {
        let emulator = try emulator("android")
        for (number, key) in ["a", "b"].enumerated() {
            try send(
                number, #""notification":{"title":"T"},"android":{"collapse_key":"\#(key)"}"#, to: emulator)
        }
        try emulator.device(token(1), #"{"online":true}"#)
        #expect(try received(emulator) == ["1"])
    }

    @Test func `a hundred and one messages are too many for Android, and the app is told so`() throws {
        let emulator = try emulator("android")
        try send(0, #""android":{"collapse_key":"a"}"#, to: emulator)
        for number in 1...100 { try send(number, to: emulator, topic: number.isMultiple(of: 2)) }
        let waiting = try emulator.call("GET", "/emulator/v1/devices/\(token(1))").json()["waiting"]
        #expect(waiting?.array?.count == 101)
        try send(101, to: emulator)
        try send(102, to: emulator)
        try emulator.device(token(1), #"{"online":true,"app":"terminated"}"#)
        #expect(try received(emulator) == ["onDeletedMessages", "102"])
        #expect(try emulator.inbox(token(1)).first?["message_type"] == "deleted_messages")
        #expect(try dropped(emulator) == ["too_many": 102])
    }

    @Test func `APNs keeps the newest message alone`() throws {
        let emulator = try emulator("ios")
        for number in 1...3 { try send(number, to: emulator) }
        try emulator.device(token(1), #"{"online":true}"#)
        #expect(try received(emulator) == ["3"])
        #expect(try dropped(emulator) == ["replaced": 2])
    }

    @Test func `a push service keeps the newest hundred`() throws {
        let emulator = try emulator("web")
        for number in 1...101 { try send(number, to: emulator) }
        try emulator.device(token(1), #"{"online":true}"#)
        #expect(try received(emulator).count == 100)
        #expect(try received(emulator).first == "2")
        #expect(try dropped(emulator) == ["too_many": 1])
    }

    @Test func `who was never away has lost nothing, however short the lifetime`() throws {
        let emulator = ManualEmulator()
        try send(1, #""android":{"ttl":"0s"}"#, to: emulator)
        try emulator.advanceWorld("1d")
        #expect(try received(emulator) == ["1"])
    }

    @Test func `what was received before the device went away stays`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), topics: ["t"])
        try send(1, to: emulator, topic: true)
        try emulator.device(token(1), #"{"online":false}"#)
        try send(2, to: emulator, topic: true)
        _ = emulator.call("DELETE", "/v1/projects/p/registrations/\(token(1))/topicSubscriptions/t")
        try send(3, to: emulator, topic: true)
        #expect(try received(emulator) == ["1"])
        try emulator.device(token(1), #"{"online":true}"#)
        try send(4, to: emulator, topic: true)
        try send(5, to: emulator)
        #expect(try received(emulator) == ["1", "2", "5"])
    }
}
