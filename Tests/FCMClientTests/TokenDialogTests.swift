import FCM
import Foundation
import Testing

@testable import FCMClient

/// The way from each kind of credential to an access token, without any I/O. Requests and answers are those of Google's
/// documentation and of the RFCs that it names.
struct TokenDialogTests {
    /// Noon of 2026-12-01, UTC
    private static let noon = 1_796_126_400.0

    /// Goes a way: each answer is given to the step before it.
    private func steps(
        _ file: [String: JSONValue], quotaProject: String? = nil, _ answers: [TokenAnswer]
    ) throws -> [TokenStep] {
        let credential = try Credential(file: JSONValue.object(file).bytes())
        return try steps(credential, quotaProject: quotaProject, answers)
    }

    private func steps(
        _ credential: Credential, quotaProject: String? = nil, isFound: Bool = false, _ answers: [TokenAnswer]
    ) throws -> [TokenStep] {
        var dialog = credential.dialog(quotaProject: quotaProject, isFound: isFound)
        var steps = [try dialog.step(at: Self.noon)]
        for answer in answers { steps.append(try dialog.take(answer, at: Self.noon)) }
        return steps
    }

    private static func answer(_ body: String, status: Int = 200, date: String? = nil) -> TokenAnswer {
        .response(Response(status: status, date: date, body: Array(body.utf8)))
    }

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let grant = answer(#"{"access_token":"ya29.a","expires_in":3599,"token_type":"Bearer"}"#)
    private static let impersonated = answer(
        #"{"accessToken":"ya29.b","expireTime":"2026-12-01T13:00:00Z"}"#, date: "Tue, 01 Dec 2026 12:00:00 GMT")

    @Test func `a service account posts a signed assertion`() throws {
        let steps = try steps(KeyFile.members(), [.signed("a.b.c"), Self.grant])
        guard case .sign(let assertion) = steps[0] else {
            Issue.record("nothing is signed")
            return
        }
        #expect(assertion.issuer == KeyFile.email)
        #expect(assertion.scope == Self.scope)
        #expect(assertion.issuedAt == 1_796_126_400)
        let call = try #require(steps[1].call)
        #expect(call.line == "POST https://oauth2.googleapis.com/token")
        #expect(call.form == ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "a.b.c"])
        #expect(call.fields == ["content-type": "application/x-www-form-urlencoded"])
        #expect(steps[2].grant?.token.rawValue == "ya29.a")
        #expect(steps[2].grant?.lifetime == .seconds(3599))
    }

    @Test func `a person's refresh token is exchanged`() throws {
        let steps = try steps(CredentialSamples.user, [Self.grant])
        let call = try #require(steps[0].call)
        #expect(call.line == "POST https://oauth2.googleapis.com/token")
        #expect(
            call.form == [
                "grant_type": "refresh_token", "client_id": "764.apps.googleusercontent.com",
                "client_secret": "d-CLIENTSECRET", "refresh_token": "1//REFRESHTOKEN",
            ])
        #expect(steps[1].grant?.token.rawValue == "ya29.a")
    }

    @Test func `a token_uri of Google's is not needed, and another one only taken on this machine`() throws {
        var file = CredentialSamples.user
        file["token_uri"] = "https://evil.example/token"
        #expect(try steps(file, [])[0].call?.line == "POST https://oauth2.googleapis.com/token")
        file["token_uri"] = "http://127.0.0.1:9/token"
        #expect(try steps(file, [])[0].call?.line == "POST http://127.0.0.1:9/token")
    }

    @Test func `a workload exchanges its token and acts for a service account`() throws {
        let steps = try steps(
            CredentialSamples.external, quotaProject: "tide-billing",
            [.bytes(Array("SUBJECT.TOKEN.SIGNATURE\n".utf8)), Self.grant, Self.impersonated])
        guard case .read("/var/run/token") = steps[0] else {
            Issue.record("no file is read")
            return
        }
        let exchange = try #require(steps[1].call)
        #expect(exchange.line == "POST https://sts.googleapis.com/v1/token")
        #expect(
            exchange.form == [
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
                "audience": CredentialSamples.audience, "scope": "https://www.googleapis.com/auth/iam",
                "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
                "subject_token": "SUBJECT.TOKEN.SIGNATURE",
                "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
            ])
        #expect(exchange.fields == ["content-type": "application/x-www-form-urlencoded"])
        let call = try #require(steps[2].call)
        #expect(call.line == "POST \(CredentialSamples.impersonation)")
        #expect(
            try JSONValue(parsing: call.body.rawValue.utf8)
                == ["delegates": [], "scope": [.string(Self.scope)], "lifetime": "3600s"])
        #expect(
            call.fields == [
                "content-type": "application/json", "authorization": "Bearer ya29.a",
                "x-goog-user-project": "tide-billing",
            ])
        #expect(steps[3].grant?.token.rawValue == "ya29.b")
        #expect(steps[3].grant?.lifetime == .seconds(3600))
    }

    @Test func `a workload that is allowed itself asks for what it needs`() throws {
        var file = CredentialSamples.external
        file["service_account_impersonation_url"] = nil
        let steps = try steps(file, [.bytes(Array("a.b.c".utf8)), Self.grant])
        #expect(steps[1].call?.form["scope"] == Self.scope)
        #expect(steps[2].grant?.token.rawValue == "ya29.a")
    }

    @Test func `GitHub's token comes from an address, out of JSON`() throws {
        var file = CredentialSamples.external
        file["credential_source"] = [
            "url": "https://run-actions.example/token?audience=x", "headers": ["Authorization": "Bearer REQUESTTOKEN"],
            "format": ["type": "json", "subject_token_field_name": "value"],
        ]
        let steps = try steps(file, [Self.answer(#"{"count":1,"value":"SUBJECT.TOKEN.SIGNATURE"}"#)])
        let call = try #require(steps[0].call)
        #expect(call.line == "GET https://run-actions.example/token?audience=x")
        #expect(call.fields == ["authorization": "Bearer REQUESTTOKEN"])
        #expect(call.body.rawValue.isEmpty)
        #expect(steps[1].call?.form["subject_token"] == "SUBJECT.TOKEN.SIGNATURE")
    }

    @Test func `the lifetime that the file wants is asked for`() throws {
        var file = CredentialSamples.external
        file["service_account_impersonation"] = ["token_lifetime_seconds": 2800]
        let call = try #require(try steps(file, [.bytes(Array("a.b.c".utf8)), Self.grant])[2].call)
        #expect(try JSONValue(parsing: call.body.rawValue.utf8)["lifetime"] == "2800s")
    }

    @Test func `people of a workforce pool name a project or a client`() throws {
        var file = CredentialSamples.external
        file["workforce_pool_user_project"] = "tide"
        let call = try #require(try steps(file, [.bytes(Array("a.b.c".utf8))])[1].call)
        #expect(call.form["options"] == "%7B%22userProject%22%3A%22tide%22%7D")
        (file["client_id"], file["client_secret"]) = ("client", "s3cret")
        let other = try #require(try steps(file, [.bytes(Array("a.b.c".utf8))])[1].call)
        #expect(other.form["options"] == nil)
        #expect(other.fields["authorization"] == "Basic Y2xpZW50OnMzY3JldA==")
    }

    @Test func `a person acts for a service account`() throws {
        let steps = try steps(CredentialSamples.impersonated, [Self.grant, Self.impersonated])
        #expect(steps[0].call?.form["refresh_token"] == "1//REFRESHTOKEN")
        let call = try #require(steps[1].call)
        #expect(call.line == "POST \(CredentialSamples.impersonation)")
        #expect(
            try JSONValue(parsing: call.body.rawValue.utf8) == [
                "delegates": ["hop@tide-app-prod.iam.gserviceaccount.com"], "scope": [.string(Self.scope)],
                "lifetime": "3600s",
            ])
        #expect(call.fields == ["content-type": "application/json", "authorization": "Bearer ya29.a"])
        #expect(steps[2].grant?.token.rawValue == "ya29.b")
    }

    @Test func `a service account acts for another one`() throws {
        var file = CredentialSamples.impersonated
        file["source_credentials"] = .object(try KeyFile.members())
        let steps = try steps(file, [.signed("a.b.c"), Self.grant, Self.impersonated])
        guard case .sign(let assertion) = steps[0] else {
            Issue.record("nothing is signed")
            return
        }
        #expect(assertion.scope == "https://www.googleapis.com/auth/iam")
        #expect(steps[3].grant?.token.rawValue == "ya29.b")
    }

    @Test func `the metadata server is looked for once and then asked for a token`() throws {
        let credential = Credential(try MetadataServer(environment: [:]))
        var page = Response(status: 200)
        page.metadataFlavor = "Google"
        var token = try #require(Self.grant.response)
        token.metadataFlavor = "Google"
        let steps = try steps(credential, [.response(page), .response(token)])
        #expect(steps[0].call?.line == "GET http://169.254.169.254/")
        #expect(steps[0].call?.tries == 3)
        #expect(steps[0].call?.timeout == .seconds(3))
        let address =
            "GET http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token"
            + "?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Ffirebase.messaging"
        #expect(steps[1].call?.line == address)
        #expect(steps.prefix(2).allSatisfy { $0.call?.fields == ["metadata-flavor": "Google"] })
        #expect(steps[2].grant?.margin == .seconds(225))
        #expect(try self.steps(credential, isFound: true, [])[0].call?.line == address)
        // Something else that answers there is no metadata server.
        page.metadataFlavor = nil
        #expect(throws: TokenError.noMetadataServer(at: "169.254.169.254")) {
            try self.steps(credential, [.response(page)])
        }
        token.metadataFlavor = nil
        #expect(throws: TokenError.noMetadataServer(at: "metadata.google.internal")) {
            try self.steps(credential, isFound: true, [.response(token)])
        }
        let failure = #expect(throws: TokenError.self) {
            try self.steps(credential, isFound: true, [Self.answer("<html>", status: 500)])
        }
        #expect(failure?.isWorthRepeating == true)
    }

    @Test func `variables say where the metadata server is`() throws {
        let server = try MetadataServer(environment: [
            "GCE_METADATA_HOST": "127.0.0.1:8", "GCE_METADATA_IP": "127.0.0.1:9", "GCE_METADATA_TIMEOUT": "1",
            "GCE_METADATA_DETECT_RETRIES": "2",
        ])
        #expect(server.isOfThisMachine)
        let call = try steps(Credential(server), [])[0].call
        #expect(call?.line == "GET http://127.0.0.1:9/")
        #expect(call?.tries == 2)
        #expect(call?.timeout == .seconds(1))
        let older = try MetadataServer(environment: ["GCE_METADATA_ROOT": "127.0.0.1:8"])
        #expect(try steps(Credential(older), [])[0].call?.line == "GET http://127.0.0.1:8/")
        for (name, value) in [("GCE_METADATA_HOST", "evil.example"), ("GCE_METADATA_IP", "10.0.0.1")] {
            #expect(throws: CredentialFileError.metadataHost(variable: name)) {
                try MetadataServer(environment: [name: value])
            }
        }
    }

    // MARK: Repeating

    /// How long the Security Token Service's token lasts, and how much later the impersonation is tried again.
    @Test(
        arguments: [
            (3599, 0, true), (3599, 59, true), (3599, 60, false), (3599, -1, false), (10, 9, true), (10, 10, false),
        ] as [(Int, Double, Bool)])
    func `after a failure the leg that failed is repeated while what it needs is good`(
        _ lifetime: Int, _ seconds: Double, _ goesOn: Bool
    ) throws {
        let credential = try Credential(file: JSONValue.object(CredentialSamples.external).bytes())
        var dialog = credential.dialog(quotaProject: nil, isFound: false)
        #expect(!dialog.canGoOn(at: Self.noon), "there is nothing yet")
        _ = try dialog.take(.bytes(Array("a.b.c".utf8)), at: Self.noon)
        let grant = Self.answer(#"{"access_token":"ya29.a","expires_in":\#(lifetime)}"#)
        let call = try dialog.take(grant, at: Self.noon).call
        #expect(throws: TokenError.self) { try dialog.take(Self.answer("", status: 503), at: Self.noon) }
        #expect(dialog.canGoOn(at: Self.noon + seconds) == goesOn)
        let again = try dialog.step(at: Self.noon).call
        #expect(again?.line == call?.line && again?.fields == call?.fields)
        #expect(try dialog.take(Self.impersonated, at: Self.noon).grant?.token.rawValue == "ya29.b")
    }

    // MARK: Hostile answers

    @Test(arguments: [
        #"{"accessToken":"ya29.b"}"#, #"{"accessToken":"ya29.b","expireTime":"soon"}"#,
        #"{"accessToken":"ya29.b","expireTime":"2026-12-01T11:59:59Z"}"#,
        #"{"accessToken":"ya29.b","expireTime":"2026-12-01T12:00:00Z"}"#,
        #"{"access_token":"ya29.b","expires_in":3600}"#, #"{"accessToken":"a\nb","expireTime":"2026-12-01T13:00:00Z"}"#,
        "[]", "<html>",
    ])
    func `an impersonation without a usable token is none`(_ body: String) {
        #expect(throws: TokenError.self) {
            try steps(CredentialSamples.impersonated, [Self.grant, Self.answer(body)])
        }
    }

    /// Whatever the clock here says: the end of a token and the time of its answer are both the server's.
    @Test(arguments: [
        ("2026-12-01T13:00:00Z", "Tue, 01 Dec 2026 12:10:00 GMT", 3000),
        ("2026-12-01T13:00:00.987654321Z", "Tue, 01 Dec 2026 12:10:00 GMT", 3000),
        ("2026-12-01T13:00:00Z", nil, 3600), ("2026-12-01T13:00:00Z", "yesterday", 3600),
        ("9999-12-01T13:00:00Z", nil, 86_400),
    ])
    func `an impersonation's lifetime counts from the answer's date`(_ end: String, _ date: String?, _ lifetime: Int)
        throws
    {
        let answer = Self.answer(#"{"accessToken":"ya29.b","expireTime":"\#(end)"}"#, date: date)
        let grant = try steps(CredentialSamples.impersonated, [Self.grant, answer])[2].grant
        #expect(grant?.lifetime == .seconds(lifetime))
    }

    @Test(
        arguments: [[], [0xff, 0xfe], Array("  \n".utf8), Array(repeating: 0x61, count: (1 << 16) + 1)] as [[UInt8]])
    func `a file without a token is told`(_ bytes: [UInt8]) {
        #expect(throws: TokenError.noSubjectToken) { try steps(CredentialSamples.external, [.bytes(bytes)]) }
    }

    @Test(arguments: [
        ("<html>", 200, TokenError.noSubjectToken), (#"{"value":7}"#, 200, .noSubjectToken),
        (#"{"other":"a"}"#, 200, .noSubjectToken), ("", 401, .unexpected(status: 401, from: .subject)),
        ("", 302, .unexpected(status: 302, from: .subject)),
        (
            "", 503,
            .unavailable(reason: "the source of the subject token answered HTTP 503", isWorthRepeating: true)
        ),
    ])
    func `an address without a token is told`(_ body: String, _ status: Int, _ error: TokenError) throws {
        var file = CredentialSamples.external
        file["credential_source"] = [
            "url": "https://a.example/", "format": ["type": "json", "subject_token_field_name": "value"],
        ]
        #expect(throws: error) { try steps(file, [Self.answer(body, status: status)]) }
    }

    @Test func `an answer that does not belong to the question is no token`() {
        #expect(throws: TokenError.unusableCredential) { try steps(CredentialSamples.user, [.signed("a")]) }
        #expect(throws: TokenError.unusableCredential) { try steps(KeyFile.members(), [Self.grant]) }
        #expect(throws: TokenError.unusableCredential) {
            try steps(CredentialSamples.user, [Self.grant, Self.grant])
        }
    }
}

extension TokenStep {
    fileprivate var call: TokenCall? { if case .call(let call) = self { call } else { nil } }
    fileprivate var grant: TokenGrant? { if case .done(let grant) = self { grant } else { nil } }
}

extension TokenCall {
    fileprivate var line: String { "\(method) \(url.endpoint)\(url.path)" }

    fileprivate var fields: [String: String] {
        Dictionary(headers.map { ($0.name, $0.value.rawValue) }) { "\($0), \($1)" }
    }

    fileprivate var form: [String: String] {
        let pairs = body.rawValue.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(
            pairs.compactMap { pair in
                pair.count == 2 ? (String(pair[0]), pair[1].removingPercentEncoding ?? "") : nil
            }
        ) { "\($0), \($1)" }
    }
}
