import FCM
import Foundation
import HeraldTestSupport
import Logging
import NIOHTTP1
import Synchronization
import Testing

@testable import FCMClient

/// The whole sign-in, against token endpoints on loopback.
@Suite(.timeLimit(.minutes(5)))
struct TokenFetcherTests {
    /// Noon of 2026-12-01, UTC
    private static let noon = Date(timeIntervalSince1970: 1_796_126_400)

    private func source(_ url: String, authorities: String? = nil) throws -> TokenSource {
        try TokenSource(
            KeyFile.credential(tokenURI: url), timeout: .seconds(240), certificateAuthorities: authorities,
            clock: ManualClock(), now: { Self.noon }, random: SeededRandom(seed: 1),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The result of one request for a token if every answer is this one, and the number of attempts.
    private func outcome(
        _ status: HTTPResponseStatus, _ body: String, headers: HTTPHeaders = [:]
    ) async throws -> (error: TokenError?, requests: Int) {
        var found: (TokenError?, Int) = (nil, 0)
        try await PlainServer.with({ _ in .reply(status, headers, Array(body.utf8)) }) { server in
            let source = try source("\(server.endpoint)/token")
            do throws(TokenError) { _ = try await source.token() } catch { found.0 = error }
            await source.shutdown()
            found.1 = server.arrivals.requests.count
        }
        return found
    }

    private static let grant = #"{"access_token":"ya29.abc","expires_in":3599,"token_type":"Bearer"}"#

    @Test func `the assertion is posted as a form over TLS, without any header that signs in`() async throws {
        let certificate = try Certificate()
        let grant = PlainServer.Answer.reply(.ok, [:], Array(Self.grant.utf8))
        try await PlainServer.with(certificate: certificate, { _ in grant }) { server in
            let source = try source("\(server.endpoint)/token", authorities: certificate.certificatePath)
            #expect(try await source.token().rawValue == "ya29.abc")
            #expect(try await source.token().rawValue == "ya29.abc")
            await source.shutdown()
            #expect(server.arrivals.requests.count == 1)
            let request = try #require(server.arrivals.requests.first)
            #expect(request.method == "POST")
            #expect(request.path == "/token")
            #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
            #expect(request.headers["authorization"] == nil)
            let assertion = try await KeyFile.assertion(at: 1_796_126_400)
            #expect(
                String(decoding: request.body, as: UTF8.self)
                    == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)")
        }
    }

    @Test func `a token endpoint that is not trusted gets nothing`() async throws {
        let grant = PlainServer.Answer.reply(.ok, [:], Array(Self.grant.utf8))
        try await PlainServer.with(certificate: Certificate(), { _ in grant }) { server in
            let source = try source("\(server.endpoint)/token")
            let error = await #expect(throws: TokenError.self) { try await source.token() }
            #expect(
                error?.description
                    == "no access token could be had: \(server.endpoint): the TLS handshake failed: check the "
                    + "server's certificate and the trusted authorities")
            await source.shutdown()
            #expect(server.arrivals.requests.isEmpty)
        }
    }

    @Test func `a client signs in with it and renews what Google refused`() async throws {
        let certificate = try Certificate()
        let count = Mutex(0)
        let grants: @Sendable (Arrivals.Request) -> PlainServer.Answer = { _ in
            let word = count.withLock { count in
                count += 1
                return count == 1 ? "old" : "new"
            }
            return .reply(.ok, [:], Array(#"{"access_token":"ya29.\#(word)","expires_in":3599}"#.utf8))
        }
        try await PlainServer.with(certificate: certificate, grants) { oauth in
            try await PlainServer.with({ request in
                .reply(request.headers["authorization"] == "Bearer ya29.old" ? .unauthorized : .ok)
            }) { fcm in
                let source = try source("\(oauth.endpoint)/token", authorities: certificate.certificatePath)
                try await FCMClient.with(fcm.endpoint, authorization: source.authorization) { client in
                    #expect(await client.send() == .response(Response(status: 401)))
                    #expect(await client.send() == .response(Response(status: 200)))
                    #expect(await client.send() == .response(Response(status: 200)))
                }
                await source.shutdown()
                #expect(
                    fcm.arrivals.requests.map { $0.headers["authorization"] }
                        == ["Bearer ya29.old", "Bearer ya29.new", "Bearer ya29.new"])
            }
        }
    }

    @Test(arguments: [408, 429, 500, 503, 504])
    func `a passing failure is tried three times`(_ status: Int) async throws {
        let (error, requests) = try await outcome(HTTPResponseStatus(statusCode: status), "<html>")
        #expect(requests == 3)
        #expect(error?.isPermanent == false)
        #expect(error?.description == "no access token could be had: the token endpoint answered HTTP \(status)")
    }

    /// How far the clock goes ahead with each failure, and the requests that are made then.
    @Test(
        arguments: [
            (0, ["/sts", "/act", "/act", "/act"]), (61, ["/sts", "/act", "/sts", "/act", "/sts", "/act"]),
        ] as [(Double, [String])])
    func `only the leg that failed is repeated, unless what it needs is too old`(
        _ leap: Double, _ paths: [String]
    ) async throws {
        let failures = Mutex(0)
        let answers: @Sendable (Arrivals.Request) -> PlainServer.Answer = { request in
            if request.path == "/sts" { return .reply(.ok, [:], Array(Self.grant.utf8)) }
            let number = failures.withLock { count in
                count += 1
                return count
            }
            let token = #"{"accessToken":"ya29.abc","expireTime":"2026-12-02T12:00:00Z"}"#
            return number < 3 ? .reply(.serviceUnavailable) : .reply(.ok, [:], Array(token.utf8))
        }
        try await PlainServer.with(answers) { server in
            let folder = try TemporaryFolder(["token": "a.b.c"])
            let file: JSONValue = [
                "type": "external_account", "audience": "a", "subject_token_type": "b",
                "token_url": .string("\(server.endpoint)/sts"),
                "service_account_impersonation_url": .string("\(server.endpoint)/act"),
                "credential_source": ["file": .string("\(folder.path)/token")],
            ]
            let source = TokenSource(
                try Credential(file: file.bytes()), timeout: .seconds(240), clock: ManualClock(),
                now: { Self.noon + leap * Double(failures.withLock { $0 }) }, random: SeededRandom(seed: 1),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            #expect(try await source.token().rawValue == "ya29.abc")
            await source.shutdown()
            #expect(server.arrivals.requests.map(\.path) == paths)
        }
    }

    @Test(arguments: ["server_error", "temporarily_unavailable", "internal_failure"])
    func `so is one that only its word tells`(_ word: String) async throws {
        let (error, requests) = try await outcome(.badRequest, #"{"error":"\#(word)"}"#)
        #expect(requests == 3)
        #expect(error?.isPermanent == false)
    }

    @Test(arguments: [
        (
            400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#,
            "Google refused the credential: invalid_grant, Invalid JWT Signature."
        ),
        (401, #"{"error":"invalid_client"}"#, "Google refused the credential: invalid_client"),
        (400, #"{"error":"a\nb\u001b[31m"}"#, "Google refused the credential: a (…)"),
        (404, "<html>", "the token endpoint answered HTTP 404, not as Google's does"),
        (400, "{}", "the token endpoint answered HTTP 400, not as Google's does"),
        (301, "", "the token endpoint answered HTTP 301, not as Google's does"),
    ])
    func `a lasting refusal is final`(_ status: Int, _ body: String, _ message: String) async throws {
        let (error, requests) = try await outcome(HTTPResponseStatus(statusCode: status), body)
        #expect(requests == 1)
        #expect(error?.isPermanent == true)
        #expect(error?.description == message)
    }

    /// The local clock is at noon.
    @Test(arguments: [
        ("Tue, 01 Dec 2026 11:53:00 GMT", " (the clock here is 7 min ahead)"),
        ("Tue, 01 Dec 2026 12:07:30 GMT", " (the clock here is 7 min behind)"),
        ("Mon, 30 Nov 2026 12:00:00 GMT", " (the clock here is 24 h ahead)"),
        ("Tue, 01 Dec 2026 11:59:30 GMT", ""),
        ("Tue, 01 Dec 2026 12:01:00 GMT", ""),
        ("yesterday", ""),
        ("", ""),
    ])
    func `a refusal says when the clocks differ`(_ date: String, _ suffix: String) async throws {
        let (error, _) = try await outcome(.badRequest, #"{"error":"invalid_grant"}"#, headers: ["Date": date])
        #expect(error?.description == "Google refused the credential: invalid_grant" + suffix)
    }

    @Test(arguments: [
        "", "<html>", "[]", "{}", #"{"access_token":"","expires_in":1}"#, #"{"access_token":7,"expires_in":1}"#,
        #"{"access_token":"a b","expires_in":1}"#, #"{"access_token":"a\r\nx: y","expires_in":1}"#,
        #"{"access_token":"ya29.sekret"}"#, #"{"access_token":"ya29.sekret","expires_in":0}"#,
        #"{"access_token":"ya29.sekret","expires_in":-1}"#, #"{"access_token":"ya29.sekret","expires_in":1e300}"#,
        #"{"access_token":"ya29.sekret","expires_in":"soon"}"#,
        #"{"access_token":"ya29.sekret","expires_in":9,"token_type":"MAC"}"#,
        #"{"id_token":"ya29.sekret","expires_in":9}"#,
    ])
    func `an answer without a usable token is no token`(_ body: String) async throws {
        let (error, requests) = try await outcome(.ok, body)
        #expect(requests == 1)
        #expect(
            error?.description
                == "no access token could be had: the token endpoint's answer holds no usable access token")
    }

    @Test(arguments: [
        #"{"access_token":"ya29.abc","expires_in":9223372036854775807}"#,
        #"{"access_token":"ya29.abc","expires_in":"3599","token_type":"bearer","scope":"x"}"#,
    ])
    func `an unusual answer is taken for what it is worth`(_ body: String) async throws {
        #expect(try await outcome(.ok, body).error == nil)
    }

    @Test func `nothing of the credential is in any error, though the server repeats it`() async throws {
        let assertion = try await KeyFile.assertion(at: 1_796_126_400)
        for words in [assertion, "bad assertion \(assertion), \(assertion)"] {
            let body = JSONValue.object(["error": .string(words), "error_description": .string(words)])
            let (error, _) = try await outcome(.badRequest, String(decoding: body.bytes(), as: UTF8.self))
            let shown = "\(try #require(error)) \(String(reflecting: error))"
            for secret in try KeyFile.secrets + assertion.split(separator: ".").map(String.init) {
                #expect(!shown.contains(secret))
            }
            #expect(shown.contains("(…)"))
        }
    }

    @Test func `printing a token shows nothing of it`() throws {
        let token = try #require(AccessToken(rawValue: "ya29.sekret"))
        var dumped = ""
        dump(TokenGrant(token: token, lifetime: .seconds(1)), to: &dumped)
        #expect(!"\(token) \(String(reflecting: token)) \([token]) \(dumped)".contains("sekret"))
    }
}
