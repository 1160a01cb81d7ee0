import FCM
import Testing

@testable import FCMEmulator

@Suite struct FaultScriptTests {
    static let wrong: [(String, String)] = [
        ("", "this is no JSON: "), ("{", "this is no JSON: "), ("{}", "faults are a JSON array of objects"),
        ("[1]", "[0]: not an object"), ("[{}]", "[0]: 'do' is missing"),
        (#"[{"do":{}},{"do":[]}]"#, "[1].do: not an object"),
        (#"[{"do":{},"match":7}]"#, "[0].match: not an object"),
        (#"[{"do":{},"when":{}}]"#, "[0]: unknown key 'when'"),
        (#"[{"do":{"stauts":503}}]"#, "[0].do: unknown key 'stauts'"),
        (#"[{"match":{"services":"send"},"do":{}}]"#, "[0].match: unknown key 'services'"),
        (#"[{"match":{"service":"fcm"},"do":{}}]"#, "[0].match.service: not one of send, topics, iid, groups, oauth"),
        (#"[{"match":{"registration":""},"do":{}}]"#, "[0].match.registration: not a registration"),
        (#"[{"match":{"topic":"a b"},"do":{}}]"#, "[0].match.topic: not a topic's name"),
        (#"[{"match":{"every":0},"do":{}}]"#, "[0].match.every: not a whole number from 1 on"),
        (#"[{"match":{"first":"5"},"do":{}}]"#, "[0].match.first: not a whole number from 1 on"),
        (#"[{"match":{"after":-1},"do":{}}]"#, "[0].match.after: not a whole number from 0 on"),
        (#"[{"match":{"probability":1.5},"do":{}}]"#, "[0].match.probability: not a number from 0 to 1"),
        (#"[{"match":{"probability":"0.5"},"do":{}}]"#, "[0].match.probability: not a number from 0 to 1"),
        (#"[{"match":{"seed":1},"do":{}}]"#, "[0].match.seed: means nothing without 'probability'"),
        (
            #"[{"match":{"first":5,"after":5},"do":{}}]"#,
            "[0].match: 'every', 'first' and 'after' together let no request through"
        ),
        (
            #"[{"match":{"every":10,"first":9},"do":{}}]"#,
            "[0].match: 'every', 'first' and 'after' together let no request through"
        ),
        (
            #"[{"match":{"every":9223372036854775807,"after":9223372036854775807},"do":{}}]"#,
            "[0].match: 'every', 'first' and 'after' together let no request through"
        ),
        (
            #"[{"match":{"service":"oauth","topic":"a"},"do":{}}]"#,
            "[0].match: a request to 'oauth' names no registration and no topic"
        ),
        (
            #"[{"match":{"service":"groups","topic":"a"},"do":{}}]"#,
            "[0].match.topic: a request to 'groups' names no topic"
        ),
        (#"[{"do":{"status":"503"}}]"#, "[0].do.status: not a whole number from 200 to 599"),
        (#"[{"do":{"status":503.5}}]"#, "[0].do.status: not a whole number from 200 to 599"),
        (#"[{"do":{"status":600}}]"#, "[0].do.status: not a whole number from 200 to 599"),
        (#"[{"do":{"status":302}}]"#, "[0].do.status: not an error's, 400 to 599; 200 only with a code and for 'iid'"),
        (
            #"[{"match":{"service":"send"},"do":{"status":200,"code":"INTERNAL"}}]"#,
            "[0].do.status: not an error's, 400 to 599; 200 only with a code and for 'iid'"
        ),
        (
            #"[{"match":{"service":"send"},"do":{"status":503,"code":"Try later"}}]"#,
            "[0].do.code: not a code such as UNAVAILABLE, or a reason of APNs such as BadDeviceToken"
        ),
        (
            #"[{"match":{"service":"oauth"},"do":{"status":503,"code":"UNAVAILABLE"}}]"#,
            "[0].do.code: not a code such as invalid_grant"
        ),
        (#"[{"do":{"status":503,"code":"a\nb"}}]"#, "[0].do.code: not a line of printable ASCII"),
        (
            #"[{"match":{"endpoint":"token"},"do":{}}]"#,
            "[0].match.endpoint: means nothing without 'service': 'oauth'"
        ),
        (
            #"[{"match":{"service":"oauth","endpoint":"sts"},"do":{}}]"#,
            "[0].match.endpoint: not one of token, exchange, impersonation, metadata, oidc"
        ),
        (
            #"[{"match":{"service":"oauth"},"do":{"code":"quite_new"}}]"#, "[0].do.code: needs a 'status'"
        ),
        (
            #"[{"match":{"service":"send"},"do":{"accepted_ms":1}}]"#,
            "[0].do.accepted_ms: is for a token that 'oauth' issues"
        ),
        (
            #"[{"match":{"service":"oauth"},"do":{"status":503,"accepted_ms":1}}]"#,
            "[0].do.accepted_ms: is for a token that 'oauth' issues"
        ),
        (#"[{"do":{"quota":"topic","quota_limit":5}}]"#, "[0].do.quota_limit: goes with 'quota': 'project'"),
        (
            #"[{"do":{"clock_off_ms":86400001}}]"#,
            "[0].do.clock_off_ms: not a whole number from -86400000 to 86400000"
        ),
        (#"[{"do":{"code":"QUITE_NEW"}}]"#, "[0].do.code: needs a 'status'"),
        (#"[{"do":{"quota":"app"}}]"#, "[0].do.quota: not one of project, topic, device"),
        (#"[{"do":{"quota":"topic","status":503}}]"#, "[0].do.quota: goes with status 429 and code QUOTA_EXCEEDED"),
        (
            #"[{"do":{"quota":"topic","code":"INTERNAL"}}]"#,
            "[0].do.quota: goes with status 429 and code QUOTA_EXCEEDED"
        ),
        (
            #"[{"match":{"service":"iid"},"do":{"quota":"topic"}}]"#,
            "[0].do.quota: 'send' and 'topics' alone tell of quotas"
        ),
        (#"[{"do":{"retry_after":2,"status":503}}]"#, "[0].do.retry_after: not a line of printable ASCII"),
        (#"[{"do":{"retry_after":"2\r\nX: y","status":503}}]"#, "[0].do.retry_after: not a line of printable ASCII"),
        (#"[{"do":{"retry_after":"2"}}]"#, "[0].do.retry_after: needs a 'status'"),
        (#"[{"do":{"delay_ms":-1}}]"#, "[0].do.delay_ms: not a whole number from 0 to 3600000"),
        (#"[{"do":{"delay_ms":3600001}}]"#, "[0].do.delay_ms: not a whole number from 0 to 3600000"),
        (#"[{"do":{"deliver":"yes","status":503}}]"#, "[0].do.deliver: not true or false"),
        (#"[{"do":{"deliver":true}}]"#, "[0].do.deliver: means nothing without 'status' or 'close'"),
        (#"[{"do":{"deliver":false,"goaway":true}}]"#, "[0].do.deliver: means nothing without 'status' or 'close'"),
        (#"[{"do":{"close":"later"}}]"#, "[0].do.close: not one of before, after, mid_body"),
        (
            #"[{"do":{"close":"after","status":503}}]"#,
            "[0].do.close: there is no answer that could have a status"
        ),
        (
            #"[{"do":{"close":"mid_body","deliver":false}}]"#,
            "[0].do.deliver: without 'status' it is the true answer that is cut: it had its effect"
        ),
        (#"[{"do":{"close":"mid_body","goaway":true}}]"#, "[0].do.goaway: the connection is closed already"),
        (#"[{"do":{"body":"text","status":503}}]"#, "[0].do.body: not one of html"),
        (#"[{"do":{"body":"html"}}]"#, "[0].do.body: needs a 'status'"),
        (#"[{"do":{"body":"html","status":503,"code":"INTERNAL"}}]"#, "[0].do.body: a page has neither code nor quota"),
        (
            "[" + Array(repeating: #"{"do":{}}"#, count: 1001).joined(separator: ",") + "]",
            "1001 entries are more than 1000"
        ),
    ]

    @Test(arguments: wrong)
    func `a wrong script is refused where it is wrong, and the old one stays`(_ body: String, _ message: String) throws
    {
        let emulator = ManualEmulator()
        emulator.script(#"[{"match":{},"do":{"status":418}}]"#)
        let reply = emulator.call("PUT", "/emulator/v1/faults", body)
        #expect(reply.status == 400)
        let told = try #require(try reply.json()["error"]?["message"]?.string)
        #expect(message.hasSuffix(": ") ? told.hasPrefix(message) : told == message)
        #expect(emulator.send(#"{"message":{"topic":"t"}}"#).status == 418)
    }

    @Test(arguments: HostileTests.bodies)
    func `a hostile script is refused`(_ body: [UInt8]) {
        let call = Call("PUT", "/emulator/v1/faults", body: body)
        #expect(ManualEmulator().backend.answer(call).status == 400)
    }
}
