import FCM
import Testing

@testable import FCMEmulator

/// Subscriptions with a propagation delay of half a minute.
@Suite struct PropagationDelayTests {
    private let emulator = ManualEmulator(membershipDelay: .seconds(30))

    private func send(_ text: String) throws {
        try #require(emulator.send(#"{"message":{"topic":"t","data":{"n":"\#(text)"}}}"#).status == 200)
    }

    private func received(_ registration: String) throws -> [String?] {
        try emulator.inbox(registration).map { $0["data"]?["n"]?.string }
    }

    private func unsubscribe(_ registration: String) {
        _ = emulator.call("DELETE", "/v1/projects/p/registrations/\(registration)/topicSubscriptions/t")
    }

    @Test func `joining and leaving are told at once and take effect later`() throws {
        #expect(emulator.subscribe(fid(1), to: "t").status == 200)
        #expect(emulator.subscribe(fid(1), to: "t").status == 409)
        #expect(try emulator.call("GET", "/emulator/v1/topics/t").json() == [.string(fid(1))])
        try send("too early")
        try emulator.advanceWorld("29s")
        try send("early")
        try emulator.advanceWorld("1s")
        try send("1")
        unsubscribe(fid(1))
        #expect(try emulator.call("GET", "/emulator/v1/topics/t").json() == [])
        try send("2")
        try emulator.advanceWorld("30s")
        try send("late")
        #expect(try received(fid(1)) == ["1", "2"])
        #expect(try emulator.ledger().map { $0["fan_out"] } == [0, 0, 1, 1, 0])
    }

    private func listed(_ registration: String) throws -> (list: [String?], instanceID: [String]) {
        let list = try emulator.call("GET", "/v1/projects/p/registrations/\(registration)/topicSubscriptions").json()
        let info = try emulator.call(
            "GET", "/iid/info/\(registration)?details=true",
            headers: ["Authorization": "Bearer any", "access_token_auth": "true"]
        ).json()
        return (
            list["topicSubscriptions"]?.array?.map { $0["topicName"]?.string } ?? [],
            info["rel"]?["topics"]?.object?.keys.sorted() ?? []
        )
    }

    @Test func `questions for subscriptions hear of a change as late as sends do`() throws {
        try emulator.enrol(fid(1), topics: ["old"])
        try emulator.advanceWorld("30s")
        _ = emulator.subscribe(fid(1), to: "t")
        try emulator.device(fid(1), #"{"unsubscribe":["old"]}"#)
        let one = "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions/"
        for (wait, topics) in [("29s", ["old"]), ("1s", ["t"])] {
            try emulator.advanceWorld(wait)
            #expect(try listed(fid(1)) == (topics, topics))
            for name in ["old", "t"] {
                #expect(emulator.call("GET", one + name).status == (topics.contains(name) ? 200 : 404))
            }
        }
        let joined = try emulator.call("GET", one + "t").json()["createTime"]?.string
        #expect(joined == "2026-12-01T08:00:30.250Z")
    }

    @Test func `changes of one subscription take effect in their order`() throws {
        _ = emulator.subscribe(fid(1), to: "t")
        try emulator.advanceWorld("10s")
        unsubscribe(fid(1))
        try emulator.advanceWorld("10s")
        _ = emulator.subscribe(fid(1), to: "t")
        for second in stride(from: 20, through: 60, by: 10) {
            try send("\(second)")
            try emulator.advanceWorld("10s")
        }
        // It joined at 30, left at 40 and joined again at 50.
        #expect(try received(fid(1)) == ["30", "50", "60"])
    }

    @Test func `a condition hears of it no sooner`() throws {
        _ = emulator.subscribe(fid(1), to: "t")
        let body = #"{"message":{"condition":"'t' in topics","data":{"n":"1"}}}"#
        #expect(emulator.send(body).status == 200)
        try emulator.advanceWorld("30s")
        #expect(emulator.send(body).status == 200)
        unsubscribe(fid(1))
        #expect(emulator.send(body).status == 200)
        try emulator.advanceWorld("30s")
        #expect(emulator.send(body).status == 200)
        #expect(try emulator.ledger().map { $0["fan_out"] } == [0, 1, 1, 0])
    }

    @Test func `a registration that dies is reached no more, at once`() throws {
        _ = emulator.subscribe(fid(1), to: "t")
        _ = emulator.subscribe(fid(2), to: "t")
        try emulator.advanceWorld("30s")
        unsubscribe(fid(1))
        for number in 1...2 {
            try emulator.enrol([["registration": .string(fid(number)), "state": "unregistered"]])
        }
        try send("1")
        try emulator.advanceWorld("30s")
        for number in 1...2 { try emulator.enrol([["registration": .string(fid(number)), "state": "active"]]) }
        try send("2")
        #expect(try emulator.ledger().map { $0["fan_out"] } == [0, 1])
        #expect(try received(fid(1)).isEmpty)
        #expect(try received(fid(2)) == ["2"])
    }

    @Test func `a reset forgets what was to come`() throws {
        _ = emulator.subscribe(fid(1), to: "t")
        _ = emulator.call("POST", "/emulator/v1/reset")
        emulator.advance(by: 60)
        try send("1")
        #expect(try emulator.ledger().map { $0["fan_out"] } == [0])
    }
}
