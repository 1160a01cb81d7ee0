import FCM
import Testing

@testable import FCMEmulator

@Suite struct FaultMatchTests {
    /// The numbers, up to `count`, of the requests that a `match` chooses.
    private func chosen(_ match: String, of count: Int = 20) throws -> [Int] {
        var script = try FaultScript(parsing: Array(#"[{"match":\#(match),"do":{"status":503}}]"#.utf8)) { _ in 7 }
        let call = Call("POST", "/token")
        let service = try #require(Service(for: call))
        let subject = try #require(FaultSubject(of: call, to: service, withDetails: true))
        return (1...count).filter { _ in script.fault(for: subject) != nil }
    }

    @Test(
        arguments: [
            ("{}", Array(1...20)), (#"{"first":3}"#, [1, 2, 3]), (#"{"after":17}"#, [18, 19, 20]),
            (#"{"every":7}"#, [7, 14]), (#"{"every":1,"after":0}"#, Array(1...20)),
            (#"{"after":3,"first":5}"#, [4, 5]), (#"{"every":5,"after":5,"first":19}"#, [10, 15]),
            (#"{"probability":0}"#, []), (#"{"probability":1}"#, Array(1...20)),
            (#"{"service":"oauth"}"#, Array(1...20)), (#"{"service":"send"}"#, []),
        ] as [(String, [Int])])
    func `counts choose among the requests that fit`(_ match: String, _ numbers: [Int]) throws {
        #expect(try chosen(match) == numbers)
    }

    @Test func `chance is the seed's, and close to the probability`() throws {
        let half = #"{"probability":0.5,"seed":3}"#
        #expect(try chosen(half) == chosen(half))
        #expect(try chosen(half) != chosen(#"{"probability":0.5,"seed":4}"#))
        #expect(try (4700...5300).contains(chosen(half, of: 10_000).count))
        #expect(try (60...140).contains(chosen(#"{"probability":0.01,"seed":5}"#, of: 10_000).count))
    }

    @Test func `a seed that was drawn is shown, so that the run can be repeated`() throws {
        let body = Array(#"[{"match":{"probability":0.5},"do":{"status":500}}]"#.utf8)
        let shown = try FaultScript(parsing: body) { _ in 41 }.json
        #expect(shown.array?.first?["match"] == ["probability": 0.5.json, "seed": 41])
    }

    @Test func `each entry counts what fits it, and the first that chooses a request has it`() throws {
        let emulator = ManualEmulator()
        emulator.script(
            #"""
            [{"match":{"service":"send","first":2},"do":{"status":503}},
             {"match":{"service":"send","after":3},"do":{"status":500}},
             {"match":{},"do":{"status":429}}]
            """#)
        let statuses = (1...5).map { _ in emulator.send(#"{"message":{"topic":"t"}}"#).status }
        #expect(statuses == [503, 503, 429, 500, 500])
        let shown = try emulator.call("GET", "/emulator/v1/faults").json().array ?? []
        #expect(
            shown.map { $0["counts"] } == [
                ["matched": 5, "faulted": 2], ["matched": 5, "faulted": 2], ["matched": 5, "faulted": 1],
            ])
        #expect(shown.first?["match"] == ["service": "send", "first": 2])
        #expect(shown.first?["do"] == ["status": 503])
    }

    @Test func `an entry that does nothing lets its requests pass the others`() {
        let emulator = ManualEmulator()
        emulator.script(
            #"[{"match":{"topic":"calm"},"do":{}},{"match":{"service":"send"},"do":{"status":503}}]"#)
        #expect(emulator.send(#"{"message":{"topic":"calm"}}"#).status == 200)
        #expect(emulator.send(#"{"message":{"topic":"rough"}}"#).status == 503)
    }

    /// Requests that name token 1 or the topic `news`, with the service that they call.
    static let requests: [(service: String, method: String, target: String, body: String, names: Set<String>)] = [
        ("send", "POST", "/v1/projects/p/messages:send", #"{"message":{"token":"\#(token(1))"}}"#, ["registration"]),
        ("send", "POST", "/v1/projects/p/messages:send", #"{"message":{"topic":"news"}}"#, ["topic"]),
        (
            "send", "POST", "/v1/projects/p/messages:send",
            #"{"message":{"condition":"'other' in topics && !('news' in topics)"}}"#, ["topic"]
        ),
        ("send", "POST", "/v1/projects/p/messages:send", #"{"message":{"fid":"\#(fid(1))"}}"#, []),
        ("send", "POST", "/v1/projects/p/messages:send", "nonsense", []),
        (
            "topics", "POST", "/v1/projects/p/registrations/\(token(1))/topicSubscriptions?topic_name=news", "{}",
            ["registration", "topic"]
        ),
        (
            "topics", "DELETE", "/v1/projects/p/registrations/\(token(1))/topicSubscriptions/news", "",
            ["registration", "topic"]
        ),
        ("topics", "GET", "/v1/projects/p/registrations/\(token(2))/topicSubscriptions", "", []),
        (
            "iid", "POST", "/iid/v1:batchAdd",
            #"{"to":"/topics/news","registration_tokens":["\#(token(2))","\#(token(1))"]}"#, ["registration", "topic"]
        ),
        ("iid", "POST", "/iid/v1/\(token(1))/rel/topics/news", "", ["registration", "topic"]),
        ("iid", "GET", "/iid/info/\(token(1))", "", ["registration"]),
        (
            "groups", "POST", "/fcm/notification",
            #"{"operation":"create","notification_key_name":"news","registration_ids":["\#(token(1))"]}"#,
            ["registration"]
        ),
        ("oauth", "POST", "/token", "", []),
    ]

    @Test(arguments: requests, ["service", "registration", "topic"])
    func `a request is found by its service and by what it names`(
        _ request: (service: String, method: String, target: String, body: String, names: Set<String>), _ key: String
    ) throws {
        let wanted = ["service": request.service, "registration": token(1), "topic": "news"]
        let emulator = ManualEmulator()
        emulator.script(#"[{"match":{"\#(key)":"\#(wanted[key] ?? "")"},"do":{"status":418}}]"#)
        let reply = emulator.call(request.method, request.target, request.body)
        #expect((reply.status == 418) == (key == "service" || request.names.contains(key)))
        // A different service, registration or topic does not match.
        emulator.script(
            #"[{"match":{"\#(key)":"\#(key == "service" ? "none" : "elsewhere")"},"do":{"status":418}}]"#,
            status: key == "service" ? 400 : 200)
        if key != "service" {
            #expect(emulator.call(request.method, request.target, request.body).status != 418)
        }
    }

    @Test func `a group's key is a registration to match`() throws {
        let emulator = ManualEmulator()
        let group = emulator.call(
            "POST", "/fcm/notification",
            #"{"operation":"create","notification_key_name":"g","registration_ids":["\#(token(1))"]}"#,
            headers: ["access_token_auth": "true", "project_id": "1"])
        let key = try #require(try group.json()["notification_key"]?.string)
        emulator.script(#"[{"match":{"registration":"\#(key)"},"do":{"status":503}}]"#)
        #expect(emulator.send(#"{"message":{"token":"\#(key)"}}"#).status == 503)
        #expect(emulator.send(#"{"message":{"token":"\#(token(1))"}}"#).status == 200)
    }

    @Test func `counts start anew at each PUT, and a reset ends the script`() {
        let emulator = ManualEmulator()
        let body = #"{"message":{"topic":"t"}}"#
        for _ in 1...2 {
            emulator.script(#"[{"match":{"first":1},"do":{"status":503}}]"#)
            #expect((1...2).map { _ in emulator.send(body).status } == [503, 200])
        }
        emulator.script(#"[{"match":{},"do":{"status":503}}]"#)
        _ = emulator.call("POST", "/emulator/v1/reset")
        #expect(emulator.send(body).status == 200)
        #expect(emulator.call("GET", "/emulator/v1/faults").text == "[\n\n]")
    }

    @Test func `the emulator's own interface and unknown paths have no faults`() {
        let emulator = ManualEmulator()
        emulator.script(#"[{"match":{},"do":{"status":503}}]"#)
        #expect(emulator.call("GET", "/emulator/v1/ledger").status == 200)
        #expect(emulator.call("GET", "/elsewhere").status == 404)
    }
}

extension Double {
    fileprivate var json: JSONValue { .double(self) }
}

extension ManualEmulator {
    /// Sets the fault script.
    func script(_ body: String, status: Int = 200) {
        let reply = call("PUT", "/emulator/v1/faults", body)
        #expect(reply.status == status, "\(reply.text)")
    }
}
