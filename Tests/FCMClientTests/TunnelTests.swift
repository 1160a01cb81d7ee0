import FCM
import Foundation
import Logging
import NIOHTTP1
import Testing

@testable import FCMClient

/// Calls through a proxy on loopback, to servers whose names only the proxy knows.
@Suite(.timeLimit(.minutes(5)))
struct TunnelTests {
    private static let grant = Array(#"{"access_token":"ya29.abc","expires_in":3599,"token_type":"Bearer"}"#.utf8)

    private func client(
        _ url: String, through proxy: String, authorities: String, exceptions: String = ""
    ) throws -> FCMClient {
        try FCMClient(
            endpoints: Endpoints(Endpoint(url)), project: Project(id: "demo"), timeout: .seconds(240),
            certificateAuthorities: authorities,
            proxies: ProxySettings(environment: ["https_proxy": proxy, "no_proxy": exceptions]),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test(arguments: [nil, "user:s3cret@"] as [String?])
    func `requests go through the proxy's tunnel over HTTP/2`(_ user: String?) async throws {
        let certificate = try Certificate(for: "DNS:fcm.example")
        try await SecureServer.with(certificate: certificate, { _, _ in [.reply()] }) { server in
            try await ProxyServer.with(.tunnel(to: server.endpoint.port)) { proxy in
                let client = try self.client(
                    "https://fcm.example", through: "http://\(user ?? "")127.0.0.1:\(proxy.port)",
                    authorities: certificate.certificatePath)
                for _ in 1...3 { #expect(await client.send() == .response(Response(status: 200, retryAfter: "0"))) }
                await client.shutdown()
                #expect(server.arrivals.requests.count == 3)
                #expect(server.arrivals.requests.allSatisfy { $0.headers["proxy-authorization"] == nil })
                #expect(proxy.heads.count == 1)
                let head = try #require(proxy.heads.first)
                #expect(head.hasPrefix("CONNECT fcm.example:443 HTTP/1.1\r\nHost: fcm.example:443\r\n"))
                #expect(head.contains("\r\nProxy-Authorization: Basic dXNlcjpzM2NyZXQ=\r\n") == (user != nil))
            }
        }
    }

    @Test func `a token is asked for through the tunnel, too`() async throws {
        let certificate = try Certificate(for: "DNS:oauth2.googleapis.com")
        let answer = PlainServer.Answer.reply(.ok, [:], Self.grant)
        try await PlainServer.with(certificate: certificate, { _ in answer }) { server in
            try await ProxyServer.with(.tunnel(to: server.endpoint.port)) { proxy in
                let source = TokenSource(
                    try KeyFile.credential(), certificateAuthorities: certificate.certificatePath,
                    proxies: try ProxySettings(environment: ["https_proxy": "127.0.0.1:\(proxy.port)"]),
                    now: { Date() }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                #expect(try await source.token().rawValue == "ya29.abc")
                await source.shutdown()
                #expect(server.arrivals.requests.count == 1)
                #expect(proxy.heads.first?.hasPrefix("CONNECT oauth2.googleapis.com:443 HTTP/1.1\r\n") == true)
            }
        }
    }

    @Test(arguments: [
        (403, "answered HTTP 403: check HTTPS_PROXY and NO_PROXY"),
        (407, "answered HTTP 407: put its user and password into HTTPS_PROXY"),
        (502, "answered HTTP 502: check HTTPS_PROXY and NO_PROXY"),
    ])
    func `a refused tunnel is nothing sent, and says who refused it`(_ status: Int, _ words: String) async throws {
        let certificate = try Certificate()
        try await ProxyServer.with(.answer("HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\nno")) { proxy in
            let client = try self.client(
                "https://fcm.example", through: "http://user:s3cret@127.0.0.1:\(proxy.port)",
                authorities: certificate.certificatePath)
            #expect(await client.send() == .notSent(reason: "the proxy 127.0.0.1:\(proxy.port) \(words)"))
            await client.shutdown()
        }
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.9\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nmore", "HTTP/1.1 100 Continue\r\n\r\n"])
    func `what is no proxy gets nothing either`(_ answer: String) async throws {
        let certificate = try Certificate()
        try await ProxyServer.with(.answer(answer)) { proxy in
            let client = try self.client(
                "https://fcm.example", through: "127.0.0.1:\(proxy.port)", authorities: certificate.certificatePath)
            #expect(
                await client.send()
                    == .notSent(
                        reason:
                            "what answers at the proxy's address 127.0.0.1:\(proxy.port) is no HTTP proxy: check HTTPS_PROXY"
                    ))
            await client.shutdown()
        }
    }

    @Test func `a proxy that hangs up or is not there is told`() async throws {
        let certificate = try Certificate()
        var port = 0
        try await ProxyServer.with(.close) { proxy in
            port = proxy.port
            let client = try self.client(
                "https://fcm.example", through: "127.0.0.1:\(port)", authorities: certificate.certificatePath)
            #expect(await client.send().kind == .notSent)
            await client.shutdown()
        }
        let client = try self.client(
            "https://fcm.example", through: "127.0.0.1:\(port)", authorities: certificate.certificatePath)
        #expect(
            await client.send()
                == .notSent(reason: "the proxy 127.0.0.1:\(port) could not be reached: check HTTPS_PROXY and NO_PROXY"))
        await client.shutdown()
    }

    @Test func `a server at the tunnel's other end must have the right certificate`() async throws {
        let certificate = try Certificate(for: "DNS:other.example")
        try await SecureServer.with(certificate: certificate, { _, _ in [.reply()] }) { server in
            try await ProxyServer.with(.tunnel(to: server.endpoint.port)) { proxy in
                let client = try self.client(
                    "https://fcm.example", through: "127.0.0.1:\(proxy.port)", authorities: certificate.certificatePath)
                #expect(await client.send().kind == .notSent)
                await client.shutdown()
                #expect(server.arrivals.requests.isEmpty)
            }
        }
    }
}
