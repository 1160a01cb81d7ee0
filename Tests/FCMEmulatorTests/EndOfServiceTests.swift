import FCM
import Testing

@testable import FCMEmulator

/// The services that Google ends on 2027-09-29.
@Suite struct EndOfServiceTests {
    private func emulator(_ day: String) throws -> ManualEmulator {
        ManualEmulator(today: try Date("\(day)T00:00:00Z", strategy: .iso8601))
    }

    private static let calls = [
        ("POST", "/iid/v1:batchAdd", #"{"to":"/topics/t","registration_tokens":["\#(token(1))"]}"#),
        ("POST", "/iid/v1:batchRemove", #"{"to":"/topics/t","registration_tokens":["\#(token(1))"]}"#),
        ("POST", "/iid/v1/\(token(1))/rel/topics/t", ""), ("GET", "/iid/info/\(token(1))", ""),
        (
            "POST", "/fcm/notification",
            #"{"operation":"create","notification_key_name":"g","registration_ids":["\#(token(1))"]}"#
        ),
    ]

    private func call(_ emulator: ManualEmulator, _ call: (String, String, String)) -> Reply {
        emulator.call(call.0, call.1, call.2, headers: ["access_token_auth": "true", "project_id": "1"])
    }

    @Test(arguments: ["2026-11-01", "2027-09-28"]) func `until then they answer`(_ day: String) throws {
        let emulator = try emulator(day)
        try emulator.enrol(token(1))
        for request in Self.calls { #expect(call(emulator, request).status == 200, "\(request.1)") }
    }

    @Test(arguments: ["2027-09-29", "2027-10-01", "2040-01-01"]) func `from then on they are gone`(_ day: String) throws
    {
        let emulator = try emulator(day)
        try emulator.enrol(token(1))
        for request in Self.calls {
            let reply = call(emulator, request)
            #expect(reply.status == 404, "\(request.1)")
            #expect(reply.contentType.hasPrefix("text/html"))
        }
        #expect(emulator.subscribe(token(1), to: "t").status == 200)
        #expect(emulator.send(#"{"message":{"topic":"t"}}"#).status == 200)
        #expect(emulator.call("POST", "/emulator/v1/reset").status == 200)
        for request in Self.calls { #expect(call(emulator, request).status == 404, "\(request.1) after a reset") }
    }

    @Test func `a group's key is dead then, and no later start delivers what was refused`() throws {
        let place = try JournalPlace()
        var key = ""
        do {
            let emulator = try ManualEmulator(data: place.path)
            key = try #require(try call(emulator, Self.calls[4]).json()["notification_key"]?.string)
        }
        let message = #"{"message":{"token":"\#(key)","data":{"k":"v"}}}"#
        for _ in 1...2 {
            let emulator = try ManualEmulator(data: place.path, today: EndOfService.begin)
            let dead = emulator.send(message)
            #expect(dead.status == 404)
            #expect(dead.text.contains("UNREGISTERED"))
            #expect(try emulator.ledger().isEmpty)
        }
        let before = try ManualEmulator(data: place.path)
        #expect(before.send(message).status == 200)
        #expect(try before.ledger().count == 1)
    }
}
