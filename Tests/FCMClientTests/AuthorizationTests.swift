import FCM
import FCMClient
import Logging
import NIOHTTP1
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AuthorizationTests {
    @Test func `asks for a token for every exchange and sends it`() async throws {
        try await PlainServer.with({ _ in .reply() }) { server in
            let tokens = Tokens()
            try await FCMClient.with(server.endpoint, authorization: tokens.authorization) { client in
                _ = await client.send()
                _ = await client.send()
            }
            let headers = server.arrivals.requests.map { $0.headers["authorization"] }
            #expect(headers == ["Bearer token-1", "Bearer token-2"])
        }
    }

    @Test(arguments: ["", "two words", "line\r\nx-injected: 1", "caf\u{e9}"])
    func `takes no token that no header can hold`(_ text: String) {
        #expect(AccessToken(rawValue: text) == nil)
    }

    @Test(arguments: [
        (
            TokenError.unavailable(reason: "nobody answers", isWorthRepeating: true),
            Exchange.notSent(reason: "no access token could be had: nobody answers")
        ),
        (
            .refused(code: "invalid_grant", detail: "Invalid JWT.", clockLead: .seconds(425)),
            .refused(
                reason: "Google refused the credential: invalid_grant, Invalid JWT. (the clock here is 7 min ahead)")
        ),
        (
            .refused(code: "invalid_grant", detail: nil, clockLead: .seconds(-90_000)),
            .refused(reason: "Google refused the credential: invalid_grant (the clock here is 25 h behind)")
        ),
    ])
    func `sends nothing without the token it needs, and says whether it is worth another try`(
        _ error: TokenError, _ exchange: Exchange
    ) async throws {
        try await PlainServer.with({ _ in .reply() }) { server in
            let authorization = Authorization(token: { () async throws(TokenError) in throw error })
            try await FCMClient.with(server.endpoint, authorization: authorization) { client in
                #expect(await client.send() == exchange)
            }
            #expect(server.arrivals.connections == 0)
        }
    }

    @Test func `says which token Google refused, and repeats nothing`() async throws {
        try await PlainServer.with({ _ in .reply(.unauthorized) }) { server in
            let tokens = Tokens()
            try await FCMClient.with(server.endpoint, authorization: tokens.authorization) { client in
                #expect(await client.send() == .response(Response(status: 401)))
            }
            #expect(await tokens.rejected == ["token-1"])
            #expect(server.arrivals.requests.count == 1)
        }
    }

    @Test(arguments: [
        (HTTPResponseStatus.ok, ""), (.forbidden, ""), (.serviceUnavailable, ""),
        (.unauthorized, "THIRD_PARTY_AUTH_ERROR"), (.unauthorized, "APNS_AUTH_ERROR"),
    ])
    func `other answers say nothing against the token`(_ status: HTTPResponseStatus, _ code: String) async throws {
        let body = """
            {"error":{"code":401,"status":"UNAUTHENTICATED","details":[
              {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\(code)"}]}}
            """
        try await PlainServer.with({ _ in .reply(status, [:], Array(body.utf8)) }) { server in
            let tokens = Tokens()
            try await FCMClient.with(server.endpoint, authorization: tokens.authorization) { client in
                _ = await client.send()
            }
            #expect(await tokens.rejected.isEmpty)
        }
    }

    @Test func `batches go to the Instance ID service's host, all else to FCM's`() async throws {
        try await PlainServer.with({ _ in .reply() }) { fcm in
            try await PlainServer.with({ _ in .reply() }) { iid in
                let tokens = Tokens()
                let client = try FCMClient(
                    endpoints: Endpoints(fcm: fcm.endpoint, iid: iid.endpoint),
                    project: Project(id: "demo", senderID: SenderID(rawValue: "12")),
                    authorization: tokens.authorization, logger: Logger(label: "test"))
                let topic = try #require(TopicName(rawValue: "t"))
                let name = try #require(GroupName(rawValue: "g"))
                _ = await client.exchange(.batch(.add, topic, []))
                _ = await client.exchange(.group(.retrieve(name)))
                _ = await client.send()
                await client.shutdown()
                #expect(iid.arrivals.requests.map(\.path) == ["/iid/v1:batchAdd"])
                #expect(iid.arrivals.requests.map { $0.headers["authorization"] } == ["Bearer token-1"])
                #expect(
                    fcm.arrivals.requests.map(\.path)
                        == ["/fcm/notification?notification_key_name=g", "/v1/projects/demo/messages:send"])
            }
        }
    }

    @Test func `the project for quota goes with every call`() async throws {
        try await PlainServer.with({ _ in .reply() }) { server in
            let client = try FCMClient(
                endpoints: Endpoints(server.endpoint), project: Project(id: "demo", senderID: SenderID(rawValue: "12")),
                quotaProject: "billing", logger: Logger(label: "test"))
            let topic = try #require(TopicName(rawValue: "t"))
            let name = try #require(GroupName(rawValue: "g"))
            _ = await client.exchange(.batch(.add, topic, []))
            _ = await client.exchange(.group(.retrieve(name)))
            _ = await client.send()
            await client.shutdown()
            #expect(
                server.arrivals.requests.map { $0.headers["x-goog-user-project"] } == ["billing", "billing", "billing"])
        }
    }

    @Test func `each server is spoken to as its address says`() async throws {
        try await SecureServer.with({ _, _ in [.reply()] }) { fcm in
            try await PlainServer.with({ _ in .reply() }) { iid in
                let topic = try #require(TopicName(rawValue: "t"))
                for (sends, batches) in [(fcm.endpoint, iid.endpoint), (iid.endpoint, fcm.endpoint)] {
                    let client = try FCMClient(
                        endpoints: Endpoints(fcm: sends, iid: batches), project: Project(id: "demo"),
                        certificateAuthorities: fcm.certificate.certificatePath, logger: Logger(label: "test"))
                    #expect(await client.exchange(.batch(.add, topic, [])).kind == .response)
                    #expect(await client.send().kind == .response)
                    await client.shutdown()
                }
            }
        }
    }

    @Test func `a device group without the project's number is not asked about`() async throws {
        try await PlainServer.with({ _ in .reply() }) { server in
            try await FCMClient.with(server.endpoint) { client in
                let name = try #require(GroupName(rawValue: "g"))
                let refused = await client.exchange(.group(.retrieve(name)))
                #expect(refused == .refused(reason: FCMClient.noSenderID))
            }
            #expect(server.arrivals.connections == 0)
        }
    }

    @Test(arguments: [
        ("http://localhost", Duration.seconds(1), "/tmp/x.pem" as String?, FCMClientError.authoritiesWithoutTLS),
        ("https://localhost", .seconds(1), "/nowhere/x.pem", .unreadableAuthorities(path: "/nowhere/x.pem")),
        ("https://localhost", .seconds(1), "/dev/null", .unreadableAuthorities(path: "/dev/null")),
        ("https://localhost", .zero, nil, .timeout(.zero)),
    ])
    func `refuses settings that cannot work`(
        _ endpoint: String, _ timeout: Duration, _ authorities: String?, because error: FCMClientError
    ) {
        #expect(throws: error) {
            try FCMClient(
                endpoints: Endpoints(Endpoint(endpoint)), project: Project(id: "demo"), timeout: timeout,
                certificateAuthorities: authorities, logger: Logger(label: "test"))
        }
    }

    @Test(arguments: [("http", 1, 1), ("http", 1000, 32), ("https", 1, 1), ("https", 150, 150), ("https", 1000, 1000)])
    func `carries as many at once as it may`(_ scheme: String, _ maxInFlight: Int, _ capacity: Int) throws {
        let client = try FCMClient(
            endpoints: Endpoints(Endpoint("\(scheme)://localhost")), project: Project(id: "demo"),
            maxInFlight: maxInFlight, logger: Logger(label: "test"))
        #expect(client.capacity == capacity)
    }

    @Test func `refuses to carry nothing at once`() {
        #expect(throws: FCMClientError.maxInFlight(0)) {
            try FCMClient(
                endpoints: .google, project: Project(id: "demo"), maxInFlight: 0, logger: Logger(label: "test"))
        }
    }
}

private actor Tokens {
    private var count = 0
    private(set) var rejected: [String] = []

    nonisolated var authorization: Authorization {
        Authorization(
            token: { () async throws(TokenError) in try await self.next() },
            reject: { await self.reject($0) })
    }

    private func next() throws(TokenError) -> AccessToken {
        count += 1
        guard let token = AccessToken(rawValue: "token-\(count)") else { throw .unusableKey }
        return token
    }

    private func reject(_ token: AccessToken) { rejected.append(token.rawValue) }
}
