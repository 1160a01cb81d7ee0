import FCM
import FCMEmulator
import Foundation
import HeraldTestSupport
import Testing

/// Whole runs through an HTTP proxy, as herald is built. Only the proxy knows where Google's names lead: to an emulator
/// in this process, whose certificate is good for them. herald resolves no name itself, so nothing leaves this machine.
@Suite(.timeLimit(.minutes(5))) struct ProxyRunTests {
    private static let recipients = 60
    private static let names = ["fcm.googleapis.com", "oauth2.googleapis.com"]

    /// A workspace, and a proxy before an emulator.
    private struct Scene {
        let sandbox: Sandbox
        let proxy: Relay
        let control: Control
        private let serving: Task<Void, any Error>

        /// The caller must end it.
        ///
        /// - Parameter midRun: What the proxy does at an exact moment of the run.
        init(_ midRun: @escaping @Sendable (Relay) -> Void = { _ in }) async throws {
            sandbox = try Sandbox(Sandbox.small(count: recipients, subscribers: 0))
            let ledger = "\(sandbox.folder.path)/ledger.ndjson"
            var configuration = Emulator.Configuration(tls: true, ledger: ledger, requiresAuthorization: true)
            configuration.allowedHosts = names
            let later = Later<Relay>()
            let point = TurningPoint(ledger: ledger) { midRun(later.value) }
            let emulator = Emulator(configuration, now: { point.now() })
            let (endpoints, listening) = AsyncStream<Emulator.Endpoint>.makeStream()
            serving = Task { try await emulator.run { listening.yield($0) } }
            let endpoint = try #require(await endpoints.first { _ in true })
            proxy = try Self.proxy(to: endpoint.port)
            later.value = proxy
            let authority = try #require(endpoint.certificate)
            control = try Control("https://127.0.0.1:\(endpoint.port)", trusting: authority)
            try sandbox.folder.write(
                """
                herald: 1
                project: demo-project
                fcm: {ca: '\(authority)', rate: 1000/s, ramp: 0s, settle: 0s, max_in_flight: 8}

                """, to: "workspace/herald.yaml")
            let key = try ServiceAccountKey.file(tokens: "https://oauth2.googleapis.com/token")
            try sandbox.folder.write(key, to: "key.json")
        }

        static func proxy(to port: Int) throws -> Relay {
            let relay = try Relay(serverPort: port, isProxy: true)
            relay.start { _, forward in forward() }
            return relay
        }

        func start(through proxy: Relay) throws -> ChildProcess {
            let environment = [
                "GOOGLE_APPLICATION_CREDENTIALS": "\(sandbox.folder.path)/key.json",
                "HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)",
            ]
            return try HeraldProcess.start(
                [
                    "-w", sandbox.workspace, "apply", "--auto-approve", "--override", "fresh_record", "--report",
                    "\(sandbox.folder.path)/report.json",
                ], environment: sandbox.environment(nil).merging(environment) { $1 })
        }

        /// Everybody is in the account, nobody was sent to twice, and who was sent to counts as accepted or unknown.
        func account() throws -> (account: Account, sent: Int) {
            let sent = try sandbox.accepted(in: ["ledger.ndjson"])
            #expect(sent.values.allSatisfy { $0 == 1 }, "somebody was sent to twice")
            let account = Account(try sandbox.report(), steps: "send:")
            #expect(account.addsUp)
            #expect(account.accepted + account.unknown + account.pending == account.planned)
            #expect((account.accepted...account.accepted + account.unknown).contains(sent.count))
            return (account, sent.count)
        }

        func end() async {
            proxy.stop()
            serving.cancel()
            _ = try? await serving.value
        }
    }

    @Test func `a run signs in and sends through the proxy's tunnels`() async throws {
        let scene = try await Scene()
        let apply = try await scene.start(through: scene.proxy).wait()
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        let (account, sent) = try scene.account()
        #expect(account.accepted == sent && sent == account.planned && sent >= Self.recipients)
        #expect(try await scene.control.signIns() == ["token": 1])
        #expect(Set(scene.proxy.tunnels) == Set(Self.names.map { "CONNECT \($0):443 HTTP/1.1" }))
        await scene.end()
    }

    @Test func `when the proxy cuts its tunnels, what was under way is unknown, and the others get theirs`()
        async throws
    {
        let scene = try await Scene { $0.cut() }
        let apply = try await scene.start(through: scene.proxy).wait()
        let (account, sent) = try scene.account()
        #expect((1...8).contains(account.unknown))
        #expect(apply.status == 6, "\(apply.output)\(apply.errors)")
        #expect(account.pending == 0)
        #expect(sent >= Self.recipients - account.unknown)
        await scene.end()
    }

    @Test func `when the proxy goes away, the rest is pending, and the next run sends it through another one`()
        async throws
    {
        let process = Later<ChildProcess>()
        let scene = try await Scene { proxy in
            proxy.stop()
            // Nothing new starts after the signal, so nobody waits until herald gives up.
            process.value.signal(SIGTERM)
        }
        process.value = try scene.start(through: scene.proxy)
        let stopped = await process.value.wait()
        #expect(stopped.status == 143, "\(stopped.output)\(stopped.errors)")
        let (before, _) = try scene.account()
        #expect((1...8).contains(before.unknown) && before.pending > 0)

        let other = try Scene.proxy(to: scene.control.port)
        let next = try await scene.start(through: other).wait()
        other.stop()
        #expect(next.status == 0, "\(next.output)\(next.errors)")
        let sent = try scene.sandbox.accepted(in: ["ledger.ndjson"])
        #expect(sent.values.allSatisfy { $0 == 1 }, "somebody was sent to twice")
        #expect(sent.count >= before.planned - before.unknown)
        await scene.end()
    }
}
