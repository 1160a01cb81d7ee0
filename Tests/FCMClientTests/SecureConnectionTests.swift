import FCM
import NIOCore
import NIOHTTP2
import NIOPosix
import Synchronization
import Testing

@testable import FCMClient

/// How HTTP/2 connections open, close and share exchanges.
@Suite(.timeLimit(.minutes(5)))
struct SecureConnectionTests {
    @Test func `trusts a certificate by name and by address`() async throws {
        try await SecureServer.with({ _, _ in [.reply()] }) { server in
            for host in ["localhost", "127.0.0.1"] {
                let authorities = server.certificate.certificatePath
                try await FCMClient.with(server.endpoint(host: host), certificateAuthorities: authorities) { client in
                    #expect(await client.send().kind == .response)
                }
            }
        }
    }

    @Test(arguments: ["no authority", "another authority", "another name"])
    func `sends nothing to a server it cannot trust`(_ flaw: String) async throws {
        let certificate = flaw == "another name" ? try Certificate(for: "DNS:example.com") : try Certificate()
        let other = try Certificate()
        try await SecureServer.with(certificate: certificate, { _, _ in [.reply()] }) { server in
            let authorities: String? =
                switch flaw {
                case "no authority": nil
                case "another authority": other.certificatePath
                default: certificate.certificatePath
                }
            for host in ["localhost", "127.0.0.1"] {
                try await FCMClient.with(server.endpoint(host: host), certificateAuthorities: authorities) { client in
                    let reason =
                        "the TLS handshake failed: check the server's certificate and the trusted authorities"
                    #expect(await client.send() == .notSent(reason: reason))
                }
            }
            #expect(server.arrivals.requests.isEmpty)
        }
    }

    @Test(arguments: [[], ["http/1.1"]])
    func `sends nothing to a server without HTTP/2`(_ protocols: [String]) async throws {
        try await SecureServer.with(protocols: protocols, { _, _ in [.reply()] }) { server in
            try await FCMClient.with(server) { client in #expect(await client.send().kind == .notSent) }
            #expect(server.arrivals.requests.isEmpty)
        }
    }

    @Test func `says that a server has no HTTP/2`() async throws {
        try await SecureServer.with(protocols: [], { _, _ in [.reply()] }) { server in
            try await FCMClient.with(server) { client in
                let reason = "the server does not offer HTTP/2 (no h2 in its ALPN answer)"
                #expect(await client.send() == .notSent(reason: reason))
            }
        }
    }

    @Test func `a server that never shakes hands costs the time allowed and is safe to try again`() async throws {
        let mute = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let endpoint = try Endpoint(scheme: .https, host: "127.0.0.1", port: try #require(mute.localAddress?.port))
        try await FCMClient.with(endpoint, timeout: .milliseconds(50)) { client in
            #expect(await client.send().kind == .notSent)
        }
        try await mute.close()
    }

    @Test func `opens one connection for all who wait, at first and after each loss`() async throws {
        try await SecureServer.with({ request, _ in request.body == [0x78] ? [.close] : [.reply()] }) { server in
            try await FCMClient.with(server) { client in
                for round in 1...3 {
                    #expect(await client.sendAtOnce(80).allSatisfy { $0.kind == .response })
                    #expect(server.arrivals.connections == round)
                    #expect(await client.send("x").kind == .lost)
                }
            }
        }
    }

    @Test(arguments: [1, 7])
    func `keeps to the streams that the server allows`(_ limit: Int) async throws {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: limit)]
        let held = Held(until: limit)
        try await SecureServer.with(settings: settings, { _, stream in held.hold(stream) }) { server in
            try await FCMClient.with(server) { client in
                #expect(await client.sendAtOnce(limit * 6).allSatisfy { $0.kind == .response })
            }
            #expect(server.arrivals.connections == 1)
        }
    }

    @Test func `an exchange that gets no stream until its time is up sends nothing`() async throws {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 0)]
        try await SecureServer.with(settings: settings, { _, _ in [.reply()] }) { server in
            try await FCMClient.with(server, timeout: .seconds(1)) { client in
                #expect(await client.sendAtOnce(3).allSatisfy { $0.kind == .notSent })
            }
            #expect(server.arrivals.requests.isEmpty)
        }
    }

    @Test func `an exchange cancelled while it waits for a stream sends nothing`() async throws {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 1)]
        try await SecureServer.with(settings: settings, { _, _ in [] }) { server in
            let authorities = server.certificate.certificatePath
            try await ConnectionPool.with(server.endpoint, certificateAuthorities: authorities) { pool in
                let first = Task { await pool.send("1", to: server.endpoint) }
                _ = await server.arrivals.next()
                let second = Task { await pool.send("2", to: server.endpoint) }
                second.cancel()
                #expect(await second.value.kind == .notSent)
                first.cancel()
                #expect(await first.value.kind == .lost)
            }
            #expect(server.arrivals.requests.count == 1)
        }
    }

    @Test func `uses as many connections as it takes`() async throws {
        try await SecureServer.with({ _, _ in [] }) { server in
            try await FCMClient.with(server, maxInFlight: 250) { client in
                #expect(client.capacity == 250)
                async let exchanges = client.sendAtOnce(250)
                for _ in 1...250 { _ = await server.arrivals.next() }
                #expect(server.arrivals.connections == 5)
                let each = Dictionary(grouping: server.arrivals.requests, by: \.connection).values.map(\.count)
                #expect(each.sorted() == [50, 50, 50, 50, 50])
                await client.shutdown()
                #expect(await exchanges.allSatisfy { $0.kind == .lost })
            }
        }
    }

    @Test func `carries a thousand exchanges over several connections, each with its own answer`() async throws {
        try await SecureServer.with({ request, _ in [.reply(request.body)] }) { server in
            try await FCMClient.with(server, maxInFlight: 300) { client in
                let bodies = await client.sendAtOnce(1000).map { $0.response?.body }
                #expect(bodies == (1...1000).map { Array(String($0).utf8) })
            }
            #expect(server.arrivals.connections == 6)
            #expect(server.arrivals.resets == 0)
        }
    }

    @Test func `has one connection ready where it was told to prepare`() async throws {
        try await SecureServer.with({ _, _ in [.reply()] }) { server in
            try await FCMClient.with(server, maxInFlight: 1000) { client in
                await client.prepare()
                await client.prepare()
                #expect(await client.openConnections == 1)
                #expect(await client.sendAtOnce(50).allSatisfy { $0.kind == .response })
            }
            #expect(server.arrivals.connections == 1)
        }
    }

    @Test func `preparing for a server that is not there fails nothing`() async throws {
        let endpoint = try Endpoint(scheme: .https, host: "127.0.0.1", port: 1)
        try await FCMClient.with(endpoint) { client in
            await client.prepare()
            #expect(await client.openConnections == 0)
            #expect(await client.send().kind == .notSent)
        }
    }

    @Test func `follows a limit that the server lowers`() async throws {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 5)]
        let lower = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 1)]
        let held = Held(until: 5)
        // After the limit is lowered, the server's own NIO would close the connection if a second stream came.
        let answer: SecureServer.Answer = { request, stream in
            guard let number = Int(String(decoding: request.body, as: UTF8.self)), number <= 5 else {
                return [.reply()]
            }
            let replies = held.hold(stream)
            return replies.isEmpty ? [] : [.settings(lower)] + replies
        }
        try await SecureServer.with(settings: settings, answer) { server in
            try await FCMClient.with(server) { client in
                #expect(await client.sendAtOnce(40).allSatisfy { $0.kind == .response })
            }
            #expect(server.arrivals.connections == 1)
        }
    }

    @Test func `follows a limit that the server raises`() async throws {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 1)]
        let raised = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 3)]
        let held = Held(until: 3)
        let answer: SecureServer.Answer = { _, stream in
            stream == 1 ? [.settings(raised)] + held.hold(stream) : held.hold(stream)
        }
        try await SecureServer.with(settings: settings, answer) { server in
            try await FCMClient.with(server) { client in
                #expect(await client.sendAtOnce(6).allSatisfy { $0.kind == .response })
            }
        }
    }
}

/// Answers only when exactly this many streams are waiting. Fewer make the test hang, more make it fail.
private final class Held: Sendable {
    private let count: Int
    private let streams = Mutex<[HTTP2StreamID]>([])

    init(until count: Int) { self.count = count }

    func hold(_ stream: HTTP2StreamID) -> [SecureServer.Action] {
        streams.withLock { streams in
            streams.append(stream)
            guard streams.count == count else { return [] }
            defer { streams = [] }
            return streams.map { .reply(on: $0) }
        }
    }
}
