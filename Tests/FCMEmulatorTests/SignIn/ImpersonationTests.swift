import CryptoExtras
import FCM
import Testing

@testable import FCMEmulator

@Suite struct ImpersonationTests {
    private static let account = "herald@tide-app-prod.iam.gserviceaccount.com"

    private func generate(
        _ emulator: ManualEmulator, _ body: String, account: String = account, bearer: String? = "any"
    ) -> Reply {
        let target = "/v1/projects/-/serviceAccounts/\(account):generateAccessToken"
        guard let bearer else { return emulator.call("POST", target, body) }
        return emulator.call("POST", target, body, headers: ["Authorization": "Bearer \(bearer)"])
    }

    private static let scope = #""scope":["https://www.googleapis.com/auth/firebase.messaging"]"#

    /// The emulator's clock is at 08:00:00.250, but Google's libraries read whole seconds only.
    @Test(arguments: [
        (#""delegates":[],"lifetime":"3600s","#, "2026-12-01T09:00:00Z"),
        (#""lifetime":"600s","#, "2026-12-01T08:10:00Z"), ("", "2026-12-01T09:00:00Z"),
    ])
    func `a principal gets a token of the account's`(_ members: String, _ end: String) throws {
        let reply = generate(ManualEmulator(), "{\(members)\(Self.scope)}")
        #expect(reply.status == 200)
        let answer = try #require(try reply.json().object)
        #expect(answer.keys.sorted() == ["accessToken", "expireTime"])
        #expect(answer["accessToken"]?.string?.hasPrefix("ya29.") == true)
        #expect(answer["expireTime"] == .string(end))
    }

    @Test func `the end of a token is told by the caller's clock, whatever a test makes of the emulator's`() throws {
        let emulator = ManualEmulator()
        try emulator.advanceWorld("2h")
        #expect(try generate(emulator, "{\(Self.scope)}").json()["expireTime"] == "2026-12-01T09:00:00Z")
        let identity = emulator.call("GET", "/oidc/token", headers: ["Authorization": "Bearer job"])
        let parts = try #require(try identity.json()["value"]?.string).split(separator: ".")
        let claims = try JSONValue(parsing: try #require([UInt8](base64URL: parts[1])))
        #expect(claims["exp"] == 1_796_112_300)
    }

    @Test func `the token is good until its lifetime is over`() throws {
        let emulator = ManualEmulator(signIn: SignIn(isRequired: true))
        let own = try emulator.signIn()
        let reply = generate(emulator, "{\"lifetime\":\"600s\",\(Self.scope)}", bearer: own)
        let token = try #require(try reply.json()["accessToken"]?.string)
        func send() -> Int {
            emulator.call(
                "POST", "/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#,
                headers: ["Authorization": "Bearer \(token)"]
            ).status
        }
        emulator.advance(by: 599.5)
        #expect(send() == 200)
        emulator.advance(by: 0.5)
        #expect(send() == 401)
    }

    @Test(arguments: [nil, "of somebody else"])
    func `nobody acts for an account without a token`(_ bearer: String?) throws {
        let reply = generate(ManualEmulator(signIn: SignIn(isRequired: true)), "{\(Self.scope)}", bearer: bearer)
        #expect(reply.status == 401)
        let detail = try #require(try reply.json()["error"]?["details"]?.array?.first)
        #expect(detail["metadata"] == ["service": "iamcredentials.googleapis.com"])
    }

    @Test func `a bearer is wanted even where any will do`() {
        #expect(generate(ManualEmulator(), "{\(Self.scope)}", bearer: nil).status == 401)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"scope":[]}"#, #"{"scope":"all"}"#, "{\(scope),\"audience\":\"x\"}",
        "{\(scope),\"lifetime\":3600}", "{\(scope),\"lifetime\":\"3601s\"}", "{\(scope),\"lifetime\":\"0s\"}",
        "{\(scope),\"lifetime\":\"-1s\"}", "{\(scope),\"delegates\":[1]}",
    ])
    func `a wrong wish is refused as Google's APIs refuse`(_ body: String) throws {
        let reply = generate(ManualEmulator(), body)
        #expect(reply.status == 400)
        #expect(try reply.json()["error"]?["status"] == "INVALID_ARGUMENT")
    }

    @Test func `only accounts that there are can be acted for, where they are known`() throws {
        let key = try #require(SignedAssertion.key)
        let emulator = ManualEmulator(signIn: SignIn(accounts: [SignedAssertion.issuer: key.publicKey]))
        #expect(generate(emulator, "{\(Self.scope)}", account: SignedAssertion.issuer).status == 200)
        let reply = generate(emulator, "{\(Self.scope)}", account: "else@p.iam.gserviceaccount.com")
        #expect(reply.status == 404)
        #expect(
            try reply.json() == [
                "error": [
                    "code": 404, "message": "Not found; Gaia id not found for email else@p.iam.gserviceaccount.com",
                    "status": "NOT_FOUND",
                ]
            ])
    }

    @Test(arguments: [
        ("GET", "/v1/projects/-/serviceAccounts/a@b:generateAccessToken"),
        ("POST", "/v1/projects/-/serviceAccounts/a@b:generateIdToken"),
        ("POST", "/v1/projects/p/serviceAccounts/a@b:generateAccessToken"),
    ])
    func `another path or method is not found, in HTML`(_ method: String, _ target: String) {
        let reply = ManualEmulator().call(method, target, "{}", headers: ["Authorization": "Bearer any"])
        #expect(reply.status == 404)
        #expect(reply.contentType.hasPrefix("text/html"))
    }
}
