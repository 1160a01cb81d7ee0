import FCM
import HeraldTestSupport
import Testing

@testable import FCMEmulator

@Suite struct FanOutTests {
    @Test func `a topic's message reaches its subscribers and nobody else`() throws {
        let emulator = ManualEmulator()
        for number in 1...3 { #expect(emulator.subscribe(token(number), to: "tides").status == 200) }
        #expect(emulator.subscribe(token(4), to: "winds").status == 200)
        let id = try emulator.send(#"{"message":{"topic":"tides","data":{"spot":"ostia"}}}"#).messageID()

        #expect(try emulator.ledger().map { $0["fan_out"] } == [3])
        for number in 1...3 { #expect(try emulator.inbox(token(number)).map { $0["message_id"]?.string } == [id]) }
        #expect(try emulator.inbox(token(4)).isEmpty)
    }

    @Test func `a topic without subscribers takes messages`() throws {
        let emulator = ManualEmulator()
        #expect(emulator.send(#"{"message":{"topic":"nobody"}}"#).status == 200)
        #expect(try emulator.ledger().map { $0["fan_out"] } == [0])
    }

    @Test func `a token, a rotated token and a fid of one installation are one device`() throws {
        let emulator = ManualEmulator()
        let names = [token(1), token(1, rotation: "B"), fid(1)]
        for name in names { #expect(emulator.subscribe(name, to: "t").status == 200) }
        let first = try emulator.send(#"{"message":{"topic":"t"}}"#).messageID()
        for name in names { #expect(try emulator.inbox(name).map { $0["message_id"]?.string } == [first]) }

        // The installation is reached as long as one of its registrations is subscribed.
        for name in names.dropLast() {
            let path = "/v1/projects/p/registrations/\(name)/topicSubscriptions/t"
            #expect(emulator.call("DELETE", path).status == 200)
        }
        let second = try emulator.send(#"{"message":{"topic":"t"}}"#).messageID()
        #expect(emulator.call("DELETE", "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions/t").status == 200)
        #expect(emulator.send(#"{"message":{"topic":"t"}}"#).status == 200)

        #expect(try emulator.ledger().map { $0["fan_out"] } == [1, 1, 0])
        #expect(try emulator.inbox(fid(1)).map { $0["message_id"]?.string } == [first, second])
    }

    @Test(arguments: ["unregistered", "other_sender", "apns_dead"])
    func `only active registrations are reached`(_ state: String) throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), topics: ["t"])
        try emulator.enrol(token(2), topics: ["t"])
        _ = emulator.send(#"{"message":{"topic":"t","data":{"n":"1"}}}"#)
        try emulator.enrol(token(2), state: state, topics: ["t"])
        _ = emulator.send(#"{"message":{"topic":"t","data":{"n":"2"}}}"#)
        try emulator.enrol(token(2), state: "active", topics: ["t"])
        _ = emulator.send(#"{"message":{"topic":"t","data":{"n":"3"}}}"#)

        #expect(try emulator.ledger().map { $0["fan_out"] } == [2, 1, 2])
        #expect(try emulator.inbox(token(2)).map { $0["data"]?["n"] } == ["1", "3"])
    }

    @Test func `a device gets what is sent while it is subscribed, in order with what is sent to it alone`() throws {
        let emulator = ManualEmulator()
        func send(_ target: String, _ text: String) {
            #expect(emulator.send(#"{"message":{\#(target),"data":{"n":"\#(text)"}}}"#).status == 200)
        }
        send(#""topic":"a""#, "before")
        _ = emulator.subscribe(fid(1), to: "a")
        _ = emulator.subscribe(fid(1), to: "b")
        send(#""topic":"a""#, "1")
        send(#""fid":"\#(fid(1))""#, "2")
        send(#""topic":"b""#, "3")
        _ = emulator.call("DELETE", "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions/a")
        send(#""topic":"a""#, "between")
        send(#""token":"\#(token(1))""#, "4")
        _ = emulator.subscribe(fid(1), to: "a")
        send(#""topic":"a""#, "5")

        let inbox = try emulator.inbox(fid(1))
        #expect(inbox.map { $0["data"]?["n"] } == ["1", "2", "3", "4", "5"])
        #expect(inbox.map { $0["from"] } == ["/topics/a", nil, "/topics/b", nil, "/topics/a"])
    }

    @Test func `an inbox keeps the last hundred`() throws {
        let emulator = ManualEmulator()
        _ = emulator.subscribe(fid(1), to: "t")
        for number in 1...1200 {
            let target = number.isMultiple(of: 3) ? #""topic":"t""# : #""fid":"\#(fid(1))""#
            _ = emulator.send(#"{"message":{\#(target),"data":{"n":"\#(number)"}}}"#)
        }
        #expect(try emulator.inbox(fid(1)).compactMap { $0["data"]?["n"]?.string } == (1101...1200).map(String.init))
    }

    @Test func `a topic's message costs the same for one subscriber and for a hundred thousand`() throws {
        var world = World()
        let topic = try #require(TopicName(rawValue: "t"))
        for number in 0..<100_000 {
            world.join(try #require(Registration(fid(number))), topic, at: .distantPast)
        }
        let request = try SendRequest(parsing: Array(#"{"message":{"topic":"t"}}"#.utf8))
        // The fastest of several runs counts, because a busy machine can make any single one slow.
        let spent = (1...5).map { _ in
            computingTime { _ = world.deliver(request, toTopic: topic, at: .distantPast) }
        }
        #expect(world.topics[topic]?.reach == 100_000)
        #expect(try #require(spent.min()) < .milliseconds(10))
        #expect(world.simulatedDevice(of: try #require(Registration(fid(99_999)))).arrivals.count == 5)
    }
}
