import FCM
import Testing

@testable import FCMEmulator

/// Whether a request with a fault has its effect, and where this shows.
@Suite struct FaultEffectTests {
    @Test func `a refused send is not delivered`() throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"do":{"status":503}}]"#)
        #expect(emulator.send(#"{"message":{"token":"\#(token(1))"}}"#).status == 503)
        #expect(try emulator.ledger().isEmpty)
        #expect(try emulator.inbox(token(1)).isEmpty)
        #expect(try emulator.requests().map { $0["status"] } == [503])
    }

    @Test func `a delivered 503 is in the ledger with its status, so that the retry is seen to be a duplicate`() throws
    {
        let emulator = ManualEmulator()
        emulator.script(#"[{"match":{"first":1},"do":{"status":503,"deliver":true}}]"#)
        #expect(emulator.send(#"{"message":{"token":"\#(token(1))"}}"#).status == 503)
        #expect(emulator.send(#"{"message":{"token":"\#(token(1))"}}"#).status == 200)
        #expect(try emulator.ledger().map { $0["status"] } == [503, 200])
        #expect(try emulator.ledger().map { $0["delivered"] } == [true, true])
        #expect(try emulator.inbox(token(1)).count == 2)
        #expect(try emulator.requests().map { $0["status"] } == [503, 200])
    }

    @Test func `what FCM would have refused is not delivered by a fault either`() throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"do":{"status":503,"deliver":true}}]"#)
        #expect(emulator.send(#"{"message":{"token":"malformed"}}"#).status == 503)
        #expect(try emulator.ledger().isEmpty)
    }

    @Test(arguments: [false, true])
    func `a membership changes with an error only where the script has it so`(_ deliver: Bool) throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"do":{"status":500,"deliver":\#(deliver)}}]"#)
        #expect(emulator.subscribe(fid(1), to: "t").status == 500)
        let batch = #"{"to":"/topics/t","registration_tokens":["\#(fid(2))"]}"#
        let headers: KeyValuePairs = ["access_token_auth": "true", "project_id": "1"]
        #expect(emulator.call("POST", "/iid/v1:batchAdd", batch, headers: headers).status == 500)
        let group = #"{"operation":"create","notification_key_name":"g","registration_ids":["\#(fid(3))"]}"#
        #expect(emulator.call("POST", "/fcm/notification", group, headers: headers).status == 500)
        let members = try emulator.call("GET", "/emulator/v1/topics/t").json()
        #expect(members == (deliver ? [.string(fid(1)), .string(fid(2))] : []))
        #expect((emulator.call("GET", "/emulator/v1/groups/g").status == 200) == deliver)
    }

    @Test(arguments: [
        (#"{"close":"before"}"#, false), (#"{"close":"before","deliver":true}"#, true), (#"{"close":"after"}"#, true),
        (#"{"close":"after","deliver":false}"#, false), (#"{"close":"mid_body"}"#, true),
        (#"{"close":"mid_body","status":503}"#, false), (#"{"close":"mid_body","status":503,"deliver":true}"#, true),
        (#"{"goaway":true}"#, true), (#"{"goaway":true,"status":503}"#, false), (#"{"delay_ms":5}"#, true),
    ])
    func `a connection that ends says nothing of the effect`(_ fault: String, _ isDelivered: Bool) throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"do":\#(fault)}]"#)
        let answer = emulator.backend.answer(
            Call("POST", "/v1/projects/p/messages:send", body: Array(#"{"message":{"topic":"t"}}"#.utf8)))
        let told: JSONValue = answer.ending == .unanswered ? .null : fault.contains("503") ? 503 : 200
        #expect(try emulator.requests().map { $0["status"] } == [told])
        #expect(try emulator.ledger().map { $0["status"] } == (isDelivered ? [told] : []))
        #expect((answer.ending == .unanswered) == (fault.contains("before") || fault.contains("after")))
    }
}
