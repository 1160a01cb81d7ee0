import FCM
import Testing

@testable import FCMEmulator

/// An installation has one living registration, by the FAQ of the migration to installation ids: an app that registers
/// its fid loses its token, an app that gets a token loses its fid, and a rotated token ends the one before.
@Suite struct DisplacementTests {
    private let emulator = ManualEmulator()

    private static let changes = [
        (token(1), fid(1)), (fid(1), token(1)), (token(1), token(1, rotation: "B")),
    ]

    private func register(_ registration: String, in emulator: ManualEmulator? = nil) throws -> [String?] {
        let reply = (emulator ?? self.emulator).call("POST", "/emulator/v1/registrations/\(registration)")
        try #require(reply.status == 200)
        return try #require(try reply.json()["displaced"]?.array).map(\.string)
    }

    private func send(to registration: String, in emulator: ManualEmulator? = nil) -> Reply {
        (emulator ?? self.emulator).send(#"{"message":{"token":"\#(registration)","data":{"k":"v"}}}"#)
    }

    private func members(of topic: String) throws -> JSONValue {
        try emulator.call("GET", "/emulator/v1/topics/\(topic)").json()
    }

    @Test(arguments: changes)
    func `a registration ends the ones before it`(_ before: String, _ after: String) throws {
        #expect(send(to: before).status == 200)
        #expect(try register(after) == [before])
        let refused = send(to: before)
        #expect(refused.status == 404)
        #expect(try refused.json()["error"]?["details"]?.array?.first?["errorCode"] == "UNREGISTERED")
        #expect(send(to: after).status == 200)
        // One device, which got one message before and one after.
        #expect(try emulator.inbox(after).count == 2)
        #expect(try register(after) == [])
        #expect(send(to: after).status == 200)
    }

    @Test(arguments: changes)
    func `its subscriptions and groups end with it`(_ before: String, _ after: String) throws {
        _ = emulator.subscribe(before, to: "t")
        let old = ["access_token_auth": "true", "project_id": "1"] as KeyValuePairs
        let create = #"{"operation":"create","notification_key_name":"g","registration_ids":["\#(before)"]}"#
        #expect(emulator.call("POST", "/fcm/notification", create, headers: old).status == 200)
        _ = try register(after)
        #expect(try members(of: "t") == [])
        #expect(emulator.call("GET", "/emulator/v1/groups/g").status == 404)
        #expect(emulator.send(#"{"message":{"topic":"t"}}"#).status == 200)
        #expect(try emulator.ledger().last?["fan_out"] == 0)
        #expect(emulator.subscribe(before, to: "t").status == 404)
        let batch = #"{"to":"/topics/t","registration_tokens":["\#(before)","\#(after)"]}"#
        let reply = emulator.call("POST", "/iid/v1:batchAdd", batch, headers: old)
        #expect(try reply.json()["results"] == [["error": "NOT_FOUND"], [:]])
        #expect(emulator.call("GET", "/iid/info/\(before)", headers: old).status == 404)
        #expect(try members(of: "t") == [.string(after)])
    }

    @Test func `a list may hold a registration that was displaced long ago`() throws {
        _ = try register(token(1))
        #expect(send(to: token(1, rotation: "Z")).status == 404)
        #expect(send(to: fid(1)).status == 404)
        #expect(emulator.subscribe(fid(1), to: "t").status == 404)
        #expect(send(to: token(2)).status == 200)
    }

    @Test(arguments: changes)
    func `a send displaces no other registration`(_ one: String, _ other: String) throws {
        for registration in [one, other, one, other] { #expect(send(to: registration).status == 200) }
        try emulator.enrol(one, topics: ["t"])
        try emulator.enrol(other, topics: ["t"])
        #expect(try members(of: "t") == .array([one, other].sorted().map(JSONValue.string)))
        for registration in [one, other] { #expect(send(to: registration).status == 200) }
    }

    @Test(arguments: changes)
    func `the same registration comes back, without its subscriptions`(_ one: String, _ other: String) throws {
        try emulator.enrol(one, platform: "ios", topics: ["t"])
        _ = try register(other)
        #expect(try register(one) == [other])
        #expect(send(to: one).status == 200)
        #expect(send(to: other).status == 404)
        #expect(try members(of: "t") == [])
        #expect(try emulator.inbox(one).last?["platform"] == "ios")
        // After FCM's clean-up an app registers again with the fid it had.
        try emulator.enrol([["registration": .string(one), "state": "unregistered"]])
        #expect(send(to: one).status == 404)
        #expect(try register(one) == [])
        #expect(send(to: one).status == 200)
    }

    @Test func `a displaced registration is reached no more, whatever the propagation delay`() throws {
        let emulator = ManualEmulator(membershipDelay: .seconds(30))
        _ = emulator.subscribe(fid(1), to: "t")
        try emulator.advanceWorld("30s")
        func send() { _ = emulator.send(#"{"message":{"topic":"t"}}"#) }
        send()
        _ = try register(token(1), in: emulator)
        send()
        _ = try register(fid(1), in: emulator)
        send()
        _ = emulator.subscribe(fid(1), to: "t")
        send()
        try emulator.advanceWorld("30s")
        send()
        #expect(try emulator.ledger().map { $0["fan_out"] } == [1, 0, 0, 0, 1])
    }

    @Test func `a registration of another project stays`() throws {
        try emulator.enrol(fid(1), state: "other_sender")
        #expect(try register(token(1)) == [])
        #expect(send(to: fid(1)).status == 403)
    }

    @Test func `with strict a registration exists once its app has registered`() throws {
        let emulator = ManualEmulator(strict: true)
        #expect(send(to: fid(1), in: emulator).status == 404)
        #expect(try register(fid(1), in: emulator) == [])
        #expect(send(to: fid(1), in: emulator).status == 200)
    }

    @Test func `the page and whoever listens are told`() throws {
        try emulator.enrol(fid(1), topics: ["t"])
        _ = try register(token(1))
        let all = try emulator.call("GET", "/emulator/v1/overview").json()
        let shown = all["devices"]?.array?.map { "\($0["registration"]?.string ?? "") \($0["state"]?.string ?? "")" }
        #expect(shown == ["\(fid(1)) unregistered", "\(token(1)) active"])
        let events = emulator.backend.read { (world, _) in world.eventLog.events(after: 1_796_112_000_250_000) }
        let changed = (events ?? []).compactMap { event -> String? in
            guard case .registration(let registration) = event.change else { return nil }
            return registration.rawValue
        }
        #expect(changed == [fid(1), fid(1), token(1)])
    }

    @Test func `a restart knows who displaced whom`() throws {
        let place = try JournalPlace()
        do {
            let emulator = try ManualEmulator(data: place.path)
            _ = send(to: fid(1), in: emulator)
            #expect(try register(token(1), in: emulator) == [fid(1)])
        }
        let again = try ManualEmulator(data: place.path)
        #expect(send(to: fid(1), in: again).status == 404)
        #expect(send(to: token(1, rotation: "Z"), in: again).status == 404)
        #expect(send(to: token(1), in: again).status == 200)
        #expect(again.call("POST", "/emulator/v1/reset").status == 200)
        #expect(send(to: fid(1), in: again).status == 200)
    }

    @Test(arguments: ["short", "%00", "\(fid(1))%2F"])
    func `what is no registration cannot register`(_ text: String) {
        #expect(emulator.call("POST", "/emulator/v1/registrations/\(text)").status == 400)
    }
}
