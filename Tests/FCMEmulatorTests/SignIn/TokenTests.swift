import CryptoExtras
import FCM
import Testing

@testable import FCMEmulator

@Suite struct TokenTests {
    /// A emulator that knows the issuer of the assertions.
    private func emulator() throws -> ManualEmulator {
        let key = try #require(SignedAssertion.key)
        return ManualEmulator(signIn: SignIn(accounts: [SignedAssertion.issuer: key.publicKey]))
    }

    @Test(arguments: ["/token", "/o/oauth2/token", "/oauth2/v4/token", "/token?alt=json"])
    func `a service account gets a token`(_ target: String) throws {
        let emulator = try emulator()
        let reply = emulator.requestToken(try SignedAssertion().form(), at: target)
        #expect(reply.status == 200)
        let answer = try #require(try reply.json().object)
        #expect(answer.keys.sorted() == ["access_token", "expires_in", "token_type"])
        #expect(answer["access_token"]?.string?.hasPrefix("ya29.") == true)
        #expect(answer["expires_in"] == 3599)
        #expect(answer["token_type"] == "Bearer")
        let again = try emulator.requestToken(try SignedAssertion().form(), at: target).json()
        #expect(again["access_token"] != answer["access_token"])
        #expect(try emulator.requests().map { $0["path"] } == [.string(target), .string(target)])
    }

    /// A change to a good assertion, and the expected result.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var claims: [String: JSONValue?] = [:]
        var header: [String: JSONValue?] = [:]
        var error: String?
        var description: String?
    }

    private static let times = """
        Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. \
        Check your iat and exp values in the JWT claim.
        """
    // The emulator's clock is at 1_796_112_000.25.
    static let cases = [
        Case(testDescription: "type left out", header: ["typ": nil]),
        Case(testDescription: "a subject", claims: ["sub": "user@example.com"]),
        Case(testDescription: "this endpoint as audience", claims: ["aud": "http://127.0.0.1:9099/token"]),
        Case(testDescription: "this endpoint by TLS", claims: ["aud": "https://127.0.0.1:9099/token"]),
        Case(testDescription: "five minutes ahead", claims: ["iat": 1_796_112_300, "exp": 1_796_115_900]),
        Case(testDescription: "a second left", claims: ["iat": 1_796_108_401, "exp": 1_796_112_001]),
        Case(
            testDescription: "other endpoint as audience", claims: ["aud": "http://127.0.0.1:9098/token"],
            error: "invalid_grant", description: "Invalid JWT: Failed audience check."),
        Case(
            testDescription: "FCM as audience", claims: ["aud": "https://fcm.googleapis.com/"],
            error: "invalid_grant", description: "Invalid JWT: Failed audience check."),
        Case(
            testDescription: "no audience", claims: ["aud": nil], error: "invalid_grant",
            description: "Invalid JWT: Failed audience check."),
        Case(
            testDescription: "six minutes ahead", claims: ["iat": 1_796_112_360, "exp": 1_796_115_900],
            error: "invalid_grant", description: times),
        Case(
            testDescription: "expired", claims: ["iat": 1_796_108_400, "exp": 1_796_112_000],
            error: "invalid_grant", description: times),
        Case(
            testDescription: "too long", claims: ["exp": 1_796_115_601], error: "invalid_grant", description: times),
        Case(
            testDescription: "backwards", claims: ["iat": 1_796_112_200, "exp": 1_796_112_100],
            error: "invalid_grant", description: times),
        Case(
            testDescription: "time as text", claims: ["iat": "1796112000"], error: "invalid_grant", description: times),
        Case(testDescription: "no end", claims: ["exp": nil], error: "invalid_grant", description: times),
        Case(
            testDescription: "far beyond all clocks", claims: ["iat": .int(.min), "exp": .int(.max)],
            error: "invalid_grant", description: times),
        Case(testDescription: "no issuer", claims: ["iss": nil], error: "invalid_grant"),
        Case(
            testDescription: "other issuer", claims: ["iss": "else@tide-app-prod.iam.gserviceaccount.com"],
            error: "invalid_grant", description: "Invalid grant: account not found"),
        Case(
            testDescription: "no scope", claims: ["scope": nil], error: "invalid_scope",
            description: "Empty or missing scope not allowed."),
        Case(testDescription: "no algorithm", header: ["alg": nil], error: "invalid_grant"),
        Case(testDescription: "unsigned", header: ["alg": "none"], error: "invalid_grant"),
        Case(testDescription: "other algorithm", header: ["alg": "HS256"], error: "invalid_grant"),
        Case(testDescription: "other type", header: ["typ": "at+jwt"], error: "invalid_grant"),
    ]

    @Test(arguments: cases)
    func `an assertion is judged by what it claims`(_ example: Case) throws {
        var assertion = SignedAssertion()
        for (name, value) in example.claims { assertion.claims[name] = value }
        for (name, value) in example.header { assertion.header[name] = value }
        let reply = try emulator().requestToken(try assertion.form())
        #expect(reply.status == (example.error == nil ? 200 : 400))
        #expect(try reply.json()["error"]?.string == example.error)
        if let description = example.description {
            #expect(try reply.json()["error_description"] == .string(description))
        }
    }

    @Test func `a clock that a test puts forward judges no assertion, but ends tokens`() throws {
        let emulator = ManualEmulator(signIn: SignIn(isRequired: true))
        try emulator.advanceWorld("2h")
        let token = try emulator.signIn()
        func send() -> Int {
            emulator.call(
                "POST", "/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#,
                headers: ["Authorization": "Bearer \(token)"]
            ).status
        }
        #expect(send() == 200)
        try emulator.advanceWorld("1h")
        #expect(send() == 401)
    }

    @Test func `a signature must be the issuer's, where the issuer's key is known`() throws {
        var forged = SignedAssertion()
        forged.key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let reply = try emulator().requestToken(try forged.form())
        #expect(reply.status == 400)
        #expect(
            try reply.json() == ["error": "invalid_grant", "error_description": "Invalid JWT Signature."])
        #expect(ManualEmulator().requestToken(try forged.form()).status == 200)

        var unsigned = SignedAssertion()
        unsigned.key = nil
        #expect(try emulator().requestToken(try unsigned.form()).status == 400)
        #expect(ManualEmulator().requestToken(try unsigned.form()).status == 400)
    }

    @Test func `claims that were changed after signing are refused`() throws {
        let parts = try SignedAssertion().text().split(separator: ".")
        var other = SignedAssertion()
        other.claims["sub"] = "admin@example.com"
        let claims = try other.text().split(separator: ".")[1]
        let form = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=\(parts[0]).\(claims).\(parts[2])"
        #expect(try emulator().requestToken(form).status == 400)
    }

    @Test(arguments: [
        ("", "invalid_request"), ("assertion=a.b.c", "invalid_request"),
        ("grant_type=password&username=a&password=b", "unsupported_grant_type"),
        ("grant_type=refresh_token&client_id=1&client_secret=s", "invalid_request"),
        ("grant_type=refresh_token&client_id=1&client_secret=s&refresh_token=", "invalid_request"),
        ("grant_type=refresh_token&client_id=1&refresh_token=1", "invalid_request"),
        ("grant_type=refresh_token&client_secret=s&refresh_token=1", "invalid_request"),
        ("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer", "invalid_request"),
        ("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=", "invalid_request"),
        ("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=a.b", "invalid_grant"),
        ("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=a.b.c.d", "invalid_grant"),
        ("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=e30.e30.e30", "invalid_grant"),
        ("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=W10.W10.W10", "invalid_grant"),
        ("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=e30=.e30=.e30=", "invalid_grant"),
        ("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=%ff.%ff.%ff", "invalid_request"),
    ])
    func `a form that asks for nothing known is refused`(_ form: String, _ error: String) throws {
        let reply = ManualEmulator().requestToken(form)
        #expect(reply.status == 400)
        #expect(try reply.json()["error"] == .string(error))
        #expect(try reply.json()["error_description"]?.string?.isEmpty == false)
    }

    @Test(arguments: [
        (nil, "https://www.googleapis.com/auth/cloud-platform"),
        ("https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/firebase.messaging"),
    ])
    func `a person who signed in before gets a token`(_ scope: String?, _ granted: String) throws {
        let emulator = ManualEmulator(signIn: SignIn(isRequired: true))
        let scope = scope.map { "&scope=\($0.percentEncodedSegment)" } ?? ""
        let reply = emulator.requestToken(
            "grant_type=refresh_token&client_id=1.apps&client_secret=s&refresh_token=1//r\(scope)")
        #expect(reply.status == 200)
        let answer = try #require(try reply.json().object)
        #expect(answer.keys.sorted() == ["access_token", "expires_in", "scope", "token_type"])
        #expect(answer["scope"] == .string(granted))
        let token = try #require(answer["access_token"]?.string)
        let sent = emulator.call(
            "POST", "/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#,
            headers: ["Authorization": "Bearer \(token)"])
        #expect(sent.status == 200)
    }

    @Test func `only a form is read`() throws {
        let reply = ManualEmulator().call(
            "POST", "/token", try SignedAssertion().form(), headers: ["Content-Type": "application/json"])
        #expect(reply.status == 400)
        #expect(try reply.json()["error"] == "invalid_request")
        #expect(ManualEmulator().call("GET", "/token").status == 404)
    }
}
