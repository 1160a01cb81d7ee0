import FCM
import Testing

@testable import FCMEmulator

/// What goes wrong at the endpoints that issue access tokens. The forms are those of RFC 6749, RFC 8693 and of Google's
/// APIs.
@Suite struct SignInFaultTests {
    private static let scope = #"{"scope":["https://www.googleapis.com/auth/firebase.messaging"]}"#
    private static let refresh = "grant_type=refresh_token&client_id=i&client_secret=s&refresh_token=r"

    /// Asks one endpoint for what it gives.
    private func ask(_ emulator: ManualEmulator, _ endpoint: String, bearer: String = "any") throws -> Reply {
        switch endpoint {
        case "token": emulator.requestToken(try SignedAssertion().form())
        case "exchange":
            emulator.requestToken(
                ExchangeTests.form.map { "\($0.key)=\($0.value)" }.joined(separator: "&"), at: "/v1/token")
        case "impersonation":
            emulator.call(
                "POST", "/v1/projects/-/serviceAccounts/a@b.example:generateAccessToken", Self.scope,
                headers: ["Authorization": "Bearer \(bearer)"])
        case "metadata":
            emulator.call(
                "GET", "/computeMetadata/v1/instance/service-accounts/default/token",
                headers: ["Metadata-Flavor": "Google"])
        default: emulator.call("GET", "/oidc/token?audience=a", headers: ["Authorization": "bearer job"])
        }
    }

    private static let endpoints = ["token", "exchange", "impersonation", "metadata", "oidc"]

    @Test(arguments: endpoints)
    func `a fault is for one endpoint, and each is counted`(_ endpoint: String) throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"match":{"service":"oauth","endpoint":"\#(endpoint)","first":1},"do":{"status":503}}]"#)
        for other in Self.endpoints {
            #expect(try ask(emulator, other).status == (other == endpoint ? 503 : 200), "\(other)")
        }
        #expect(try ask(emulator, endpoint).status == 200)
        let counts = try emulator.call("GET", "/emulator/v1/sign-ins").json()
        for other in Self.endpoints {
            #expect(counts[other] == ["requests": other == endpoint ? 2 : 1, "granted": 1], "\(other)")
        }
    }

    @Test func `looking around at the metadata server is no sign-in`() throws {
        let emulator = ManualEmulator()
        _ = emulator.call("GET", "/computeMetadata/v1/project/project-id", headers: ["Metadata-Flavor": "Google"])
        let counts = try emulator.call("GET", "/emulator/v1/sign-ins").json()
        #expect(counts["metadata"] == ["requests": 0, "granted": 0])
    }

    @Test(arguments: [
        ("exchange", #"{"code":"invalid_grant"}"#, "The given credential is rejected by the attribute condition."),
        ("token", #"{"code":"invalid_grant"}"#, "Invalid JWT Signature."),
        ("token", #"{"status":400,"code":"invalid_scope"}"#, "Bad Request"),
    ])
    func `a revoked credential is refused in Google's words`(
        _ endpoint: String, _ fault: String, _ text: String
    ) throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"match":{"service":"oauth"},"do":\#(fault)}]"#)
        let reply = try ask(emulator, endpoint)
        #expect(reply.status == 400)
        #expect(try reply.json()["error_description"] == .string(text))
    }

    @Test func `a person's sign-in is revoked in other words`() throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"match":{"service":"oauth"},"do":{"code":"invalid_grant"}}]"#)
        let reply = emulator.requestToken(Self.refresh)
        #expect(
            try reply.json()
                == ["error": "invalid_grant", "error_description": "Token has been expired or revoked."])
    }

    @Test(arguments: [#"{"status":403}"#, #"{"code":"IAM_PERMISSION_DENIED"}"#])
    func `who may not act for an account is told the permission`(_ fault: String) throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"match":{"service":"oauth","endpoint":"impersonation"},"do":\#(fault)}]"#)
        let error = try #require(try ask(emulator, "impersonation").json()["error"])
        #expect(error["code"] == 403)
        #expect(error["status"] == "PERMISSION_DENIED")
        #expect(error["message"]?.string?.contains("iam.serviceAccounts.getAccessToken") == true)
        #expect(error["details"]?.array?.first?["reason"] == "IAM_PERMISSION_DENIED")
    }

    @Test(arguments: endpoints)
    func `every endpoint can answer with a page, and ask to wait`(_ endpoint: String) throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"match":{"service":"oauth"},"do":{"status":429,"body":"html","retry_after":"7"}}]"#)
        let reply = try ask(emulator, endpoint)
        #expect(reply.status == 429)
        #expect(reply.contentType.hasPrefix("text/html"))
        #expect(reply.headers["Retry-After"] == "7")
    }

    @Test func `a token is refused before its time`() throws {
        let emulator = ManualEmulator(signIn: SignIn(isRequired: true))
        emulator.script(#"[{"match":{"service":"oauth","first":2},"do":{"accepted_ms":500}}]"#)
        func send(_ token: String) -> Int {
            emulator.call(
                "POST", "/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#,
                headers: ["Authorization": "Bearer \(token)"]
            ).status
        }
        let short = try emulator.signIn()
        let reply = try ask(emulator, "impersonation", bearer: short)
        let other = try #require(try reply.json()["accessToken"]?.string)
        #expect([send(short), send(other)] == [200, 200])
        emulator.advance(by: 0.5)
        #expect([send(short), send(other)] == [401, 401])
        let good = try emulator.signIn()
        emulator.advance(by: 60)
        #expect(send(good) == 200)
    }

    /// The assertion is made at 08:00:00 for an hour; the emulator's clock is at 08:00:00.250.
    @Test(arguments: [
        (0, 200, nil), (600_000, 200, "Tue, 01 Dec 2026 08:10:00 GMT"),
        (-290_000, 200, "Tue, 01 Dec 2026 07:55:10 GMT"),
        (-600_000, 400, "Tue, 01 Dec 2026 07:50:00 GMT"), (3_600_000, 400, "Tue, 01 Dec 2026 09:00:00 GMT"),
        (-86_400_000, 400, "Mon, 30 Nov 2026 08:00:00 GMT"),
    ])
    func `a server whose clock is off judges by it, and tells it`(
        _ offset: Int, _ status: Int, _ date: String?
    ) throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"do":{"clock_off_ms":\#(offset)}}]"#)
        let reply = try ask(emulator, "token")
        #expect(reply.status == status)
        #expect(reply.headers["Date"] == date)
        #expect(emulator.send(#"{"message":{"topic":"t"}}"#).headers["Date"] == date)
    }

    @Test func `a job gets its identity only with its bearer`() throws {
        let emulator = ManualEmulator()
        let reply = try ask(emulator, "oidc")
        #expect(try reply.json().object?.keys.sorted() == ["value"])
        let parts = try #require(try reply.json()["value"]?.string).split(separator: ".")
        #expect(parts.count == 3)
        let claims = try JSONValue(parsing: try #require([UInt8](base64URL: parts[1])))
        #expect(claims["aud"] == "a")
        #expect(claims["exp"] == 1_796_112_300)
        for headers in [[:], ["Authorization": "Basic job"], ["Authorization": "Bearer "]] as [KeyValuePairs] {
            #expect(emulator.call("GET", "/oidc/token?audience=a", headers: headers).status == 401)
        }
        #expect(emulator.call("POST", "/oidc/token").status == 404)
    }

    @Test(arguments: [
        ("SERVICE_DISABLED", "SERVICE_DISABLED"), ("IAM_PERMISSION_DENIED", "IAM_PERMISSION_DENIED"),
        ("USER_PROJECT_DENIED", "USER_PROJECT_DENIED"), ("QUOTA_PROJECT_MISSING", "SERVICE_DISABLED"),
    ])
    func `a project that is set up wrongly is told so`(_ code: String, _ reason: String) throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"do":{"code":"\#(code)"}}]"#)
        for reply in [emulator.send("{}"), emulator.subscribe(token(1), to: "t")] {
            let error = try #require(try reply.json()["error"])
            #expect(error["code"] == 403)
            #expect(error["status"] == "PERMISSION_DENIED")
            #expect(error["details"]?.array?.compactMap { $0["reason"]?.string } == [reason])
        }
    }

    @Test func `a project's quota has the limit that the script says`() throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"do":{"quota":"project","quota_limit":1200}}]"#)
        let details = try #require(try emulator.send("{}").json()["error"]?["details"]?.array)
        #expect(details.compactMap { $0["metadata"]?["quota_limit_value"] } == ["1200"])
    }
}
