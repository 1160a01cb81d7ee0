import FCM
import Testing

@testable import FCMEmulator

@Suite struct AuthorizationTests {
    /// A call to each service, and whether its 401 is one of Google's RPC errors.
    static let calls = [
        ("POST", "/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#, true),
        ("POST", "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions?topic_name=t", "{}", true),
        ("GET", "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions", "", true),
        (
            "POST", "/fcm/notification",
            #"{"operation":"create","notification_key_name":"g","registration_ids":["\#(token(1))"]}"#, false
        ),
        ("POST", "/iid/v1:batchAdd", #"{"to":"/topics/t","registration_tokens":["\#(token(1))"]}"#, false),
        ("GET", "/iid/info/\(token(1))", "", false),
    ]

    private func call(
        _ emulator: ManualEmulator, _ call: (String, String, String, Bool), _ authorization: String?
    ) -> Reply {
        let (method, target, body, _) = call
        guard let authorization else {
            return emulator.call(
                method, target, body, headers: ["access_token_auth": "true", "project_id": "1"])
        }
        return emulator.call(
            method, target, body,
            headers: ["authorization": authorization, "access_token_auth": "true", "project_id": "1"])
    }

    private func expectRefusal(
        _ reply: Reply, isRPC: Bool, _ reason: String, _ complaint: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(reply.status == 401, sourceLocation: sourceLocation)
        guard isRPC else {
            #expect(try reply.json() == ["error": "Unauthorized"], sourceLocation: sourceLocation)
            return
        }
        let challenge = #"Bearer realm="https://accounts.google.com/""#
        #expect(
            reply.headers == [
                "WWW-Authenticate": challenge + (complaint == Self.missing ? "" : #", error="invalid_token""#)
            ], sourceLocation: sourceLocation)
        let message = """
            \(complaint) Expected OAuth 2 access token, login cookie or other valid authentication credential. \
            See https://developers.google.com/identity/sign-in/web/devconsole-project.
            """
        #expect(
            try reply.json() == [
                "error": [
                    "code": 401, "message": .string(message), "status": "UNAUTHENTICATED",
                    "details": [
                        [
                            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason),
                            "domain": "googleapis.com", "metadata": ["service": "fcm.googleapis.com"],
                        ]
                    ],
                ]
            ], sourceLocation: sourceLocation)
    }

    private static let missing = "Request is missing required authentication credential."
    private static let invalid = "Request had invalid authentication credentials."

    @Test(arguments: calls)
    func `an emulator that asks for nothing takes any bearer, and none`(
        _ method: String, _ target: String, _ body: String, _ isRPC: Bool
    ) throws {
        for authorization in [nil, "Bearer owner", "bearer ya29.of-google"] {
            #expect(call(ManualEmulator(), (method, target, body, isRPC), authorization).status == 200)
        }
        for authorization in ["key=AAAA", "Basic YTpi", "Bearer", "Bearer ", ""] {
            let reply = call(ManualEmulator(), (method, target, body, isRPC), authorization)
            try expectRefusal(reply, isRPC: isRPC, "ACCESS_TOKEN_TYPE_UNSUPPORTED", Self.invalid)
        }
    }

    @Test(arguments: calls)
    func `a token of the emulator's is good until it expires`(
        _ method: String, _ target: String, _ body: String, _ isRPC: Bool
    ) throws {
        for required in [false, true] {
            let emulator = ManualEmulator(
                signIn: SignIn(isRequired: required, lifetime: .seconds(3599), accepted: .milliseconds(90_500)))
            let token = try emulator.signIn()
            emulator.advance(by: 90)
            #expect(call(emulator, (method, target, body, isRPC), "Bearer \(token)").status == 200)
            emulator.advance(by: 0.5)
            let reply = call(emulator, (method, target, body, isRPC), "Bearer \(token)")
            try expectRefusal(reply, isRPC: isRPC, "ACCESS_TOKEN_EXPIRED", Self.invalid)
        }
    }

    @Test(arguments: calls)
    func `an emulator that asks for a sign-in takes only its own tokens`(
        _ method: String, _ target: String, _ body: String, _ isRPC: Bool
    ) throws {
        let emulator = ManualEmulator(signIn: SignIn(isRequired: true))
        let call = { self.call(emulator, (method, target, body, isRPC), $0) }
        try expectRefusal(call(nil), isRPC: isRPC, "CREDENTIALS_MISSING", Self.missing)
        try expectRefusal(call("Bearer owner"), isRPC: isRPC, "ACCESS_TOKEN_TYPE_UNSUPPORTED", Self.invalid)
        let token = try emulator.signIn()
        #expect(call("Bearer \(token)").status == 200)
        _ = emulator.call("POST", "/emulator/v1/reset")
        try expectRefusal(
            call("Bearer \(token)"), isRPC: isRPC, "ACCESS_TOKEN_TYPE_UNSUPPORTED", Self.invalid)
    }

    @Test func `the emulator's own interface needs no sign-in`() {
        let emulator = ManualEmulator(signIn: SignIn(isRequired: true))
        #expect(emulator.call("GET", "/emulator/v1/ledger").status == 200)
        #expect(emulator.call("GET", "/emulator/v1/ledger", headers: ["Authorization": "key=A"]).status == 200)
    }

    @Test func `a refused call changes nothing and is logged`() throws {
        let emulator = ManualEmulator(signIn: SignIn(isRequired: true))
        _ = emulator.subscribe(fid(1), to: "t")
        #expect(try emulator.call("GET", "/emulator/v1/topics/t").json() == [])
        #expect(try emulator.requests().map { $0["status"] } == [401])
    }
}
