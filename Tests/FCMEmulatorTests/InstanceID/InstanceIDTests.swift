import FCM
import Testing

@testable import FCMEmulator

@Suite struct InstanceIDTests {
    private static let headers: KeyValuePairs = [
        "Content-Type": "application/json", "Authorization": "Bearer any", "access_token_auth": "true",
    ]
    private let emulator = ManualEmulator()

    private func batch(_ method: String, _ tokens: [String], to target: String = "/topics/news") -> Reply {
        let tokens = tokens.map { "\"\($0)\"" }.joined(separator: ",")
        return emulator.call(
            "POST", "/iid/v1:\(method)", #"{"to":"\#(target)","registration_tokens":[\#(tokens)]}"#,
            headers: Self.headers)
    }

    private func members(_ topic: String = "news") throws -> JSONValue {
        try emulator.call("GET", "/emulator/v1/topics/\(topic)").json()
    }

    @Test func `a batch answers for each registration in its place`() throws {
        try emulator.enrol(token(1), state: "unregistered")
        try emulator.enrol(token(2), state: "other_sender")
        try emulator.enrol(token(3), state: "apns_dead")
        let tokens = [token(1), token(4), "malformed", token(2), fid(5), token(3)]
        let results: JSONValue = [
            ["error": "NOT_FOUND"], [:], ["error": "INVALID_ARGUMENT"], ["error": "INVALID_ARGUMENT"], [:], [:],
        ]
        let added = batch("batchAdd", tokens)
        #expect(added.status == 200)
        #expect(try added.json() == ["results": results])
        #expect(try members() == [.string(token(3)), .string(token(4)), .string(fid(5))])
        let removed = batch("batchRemove", tokens)
        #expect(removed.status == 200)
        #expect(try removed.json() == ["results": results])
        #expect(try members() == [])
    }

    @Test func `adding and removing twice is as good as once`() throws {
        for _ in 1...2 { #expect(try batch("batchAdd", [token(1), token(1)]).json() == ["results": [[:], [:]]]) }
        #expect(try members() == [.string(token(1))])
        for _ in 1...2 { #expect(try batch("batchRemove", [token(1)]).json() == ["results": [[:]]]) }
        #expect(try members() == [])
    }

    @Test func `what one service subscribes the other knows`() throws {
        _ = batch("batchAdd", [token(1)])
        #expect(emulator.subscribe(token(1), to: "news").status == 409)
        _ = emulator.call("DELETE", "/v1/projects/p/registrations/\(token(1))/topicSubscriptions/news")
        #expect(try members() == [])
        _ = emulator.subscribe(token(2), to: "news")
        _ = batch("batchRemove", [token(2)])
        #expect(try members() == [])
    }

    @Test func `an installation follows at most two thousand topics`() throws {
        try emulator.enrol(token(1), topics: (1...2000).map { "t\($0)" })
        #expect(
            try batch("batchAdd", [token(1), token(2)]).json() == ["results": [["error": "TOO_MANY_TOPICS"], [:]]])
        #expect(try batch("batchAdd", [token(1)], to: "/topics/t7").json() == ["results": [[:]]])
    }

    @Test func `a batch holds at most a thousand registrations`() throws {
        let tokens = (1...1001).map { token($0) }
        #expect(try batch("batchAdd", Array(tokens.dropLast())).json()["results"]?.array?.count == 1000)
        let refused = batch("batchAdd", tokens, to: "/topics/other")
        #expect(refused.status == 400)
        #expect(try refused.json() == ["error": "INVALID_ARGUMENT"])
        #expect(try members("other") == [])
    }

    @Test(arguments: [
        (#"{"to":"news","registration_tokens":["\#(token(1))"]}"#, "Topic name format is invalid"),
        (#"{"to":"/topics/","registration_tokens":["\#(token(1))"]}"#, "Topic name format is invalid"),
        (#"{"to":"/topics/a b","registration_tokens":["\#(token(1))"]}"#, "Topic name format is invalid"),
        (#"{"registration_tokens":["\#(token(1))"]}"#, "Topic name format is invalid"),
        (#"{"to":"/topics/news","registration_tokens":[]}"#, "MissingIIdToken"),
        (#"{"to":"/topics/news"}"#, "MissingIIdToken"),
        (#"{"to":"/topics/news","registration_tokens":[1]}"#, "INVALID_ARGUMENT"),
        ("[]", "INVALID_ARGUMENT"), ("", "INVALID_ARGUMENT"), ("{", "INVALID_ARGUMENT"),
    ])
    func `a wrong batch is refused whole, with a text`(_ body: String, _ text: String) throws {
        for method in ["batchAdd", "batchRemove"] {
            let reply = emulator.call("POST", "/iid/v1:\(method)", body, headers: Self.headers)
            #expect(reply.status == 400)
            #expect(try reply.json() == ["error": .string(text)])
        }
        #expect(try emulator.call("GET", "/emulator/v1/registrations").json() == [])
    }

    @Test(arguments: [
        ("POST", "/iid/v1:batchAdd"), ("POST", "/iid/v1:batchRemove"), ("GET", "/iid/info/\(token(1))"),
        ("POST", "/iid/v1/\(token(1))/rel/topics/news"),
    ])
    func `a call must say that its bearer is an OAuth token`(_ method: String, _ target: String) throws {
        for headers: KeyValuePairs in [["Authorization": "Bearer any"], ["access_token_auth": "no"]] {
            let reply = emulator.call(method, target, "{}", headers: headers)
            #expect(reply.status == 401)
            #expect(try reply.json() == ["error": "Unauthorized"])
        }
    }

    @Test func `one registration is subscribed by its path`() throws {
        func subscribe(_ token: String, _ topic: String) -> Reply {
            emulator.call("POST", "/iid/v1/\(token)/rel/topics/\(topic)", headers: Self.headers)
        }
        try emulator.enrol(token(2), state: "unregistered")
        for _ in 1...2 {
            let reply = subscribe(token(1).replacing(":", with: "%3A"), "100%25")
            #expect(reply.status == 200)
            #expect(try reply.json() == [:])
        }
        #expect(try members("100%25") == [.string(token(1))])
        let dead = subscribe(token(2), "news")
        #expect(dead.status == 404)
        #expect(try dead.json() == ["error": "NOT_FOUND"])
        let malformed = subscribe("malformed", "news")
        #expect(malformed.status == 400)
        #expect(try malformed.json() == ["error": "INVALID_ARGUMENT"])
        #expect(subscribe(token(1), "a%20b").status == 400)
    }

    @Test func `an instance tells its platform and, when asked, its topics with their days`() throws {
        func info(_ path: String) -> Reply { emulator.call("GET", "/iid/info/\(path)", headers: Self.headers) }
        try emulator.enrol(token(1), platform: "ios", topics: ["news"])
        emulator.advance(by: 86_400)
        _ = batch("batchAdd", [token(1)], to: "/topics/tides")
        let told = try #require(try info("\(token(1))?details=true").json().object)
        #expect(told["platform"] == "IOS")
        #expect(told["rel"] == ["topics": ["news": ["addDate": "2026-12-01"], "tides": ["addDate": "2026-12-02"]]])
        #expect(told["authorizedEntity"]?.string?.wholeMatch(of: /[0-9]+/) != nil)
        #expect(told["application"]?.string != nil)
        #expect(
            try emulator.call("GET", "/iid/\(token(1))?details=true", headers: Self.headers).json()["rel"]
                == told["rel"])
        #expect(try info(token(1)).json()["rel"] == nil)
        #expect(try info("\(token(2))?details=true").json().object?.keys.contains("rel") == false)
        #expect(try info(token(2)).json()["platform"] == "ANDROID")

        try emulator.enrol(token(3), platform: "web")
        #expect(try info(token(3)).json()["platform"] == "CHROME")
        try emulator.enrol(token(3), state: "unregistered")
        #expect(info(token(3)).status == 404)
        #expect(try info(token(3)).json() == ["error": "No information found about this instance id."])
        #expect(info("malformed").status == 400)
        #expect(try info("malformed").json() == ["error": "InvalidToken"])
    }

    @Test func `only enrolled registrations exist where the emulator is strict`() throws {
        let emulator = ManualEmulator(strict: true)
        try emulator.enrol(token(1))
        let body = #"{"to":"/topics/news","registration_tokens":["\#(token(1))","\#(token(2))"]}"#
        let reply = emulator.call("POST", "/iid/v1:batchAdd", body, headers: Self.headers)
        #expect(try reply.json() == ["results": [[:], ["error": "NOT_FOUND"]]])
    }

    @Test(arguments: [
        ("GET", "/iid/v1:batchAdd"), ("POST", "/iid/info/\(token(1))"), ("POST", "/iid/v1:batchGet"), ("GET", "/iid"),
        ("DELETE", "/iid/v1/\(token(1))/rel/topics/news"), ("POST", "/iid/v1/\(token(1))/rel/groups/news"),
    ])
    func `another path or method is not found, in HTML`(_ method: String, _ target: String) {
        let reply = emulator.call(method, target, headers: Self.headers)
        #expect(reply.status == 404)
        #expect(reply.contentType.hasPrefix("text/html"))
    }
}
