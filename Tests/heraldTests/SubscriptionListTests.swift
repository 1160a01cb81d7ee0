import FCM
import FCMClient
import FCMEmulator
import Foundation
import HeraldTestSupport
import Logging
import Testing

/// The client asks a running emulator for a registration's topics.
@Suite struct SubscriptionListTests {
    @Test func `the client brings back a registration's topics`() async throws {
        let emulator = Emulator(.init(), now: { Date() })
        let (endpoints, listening) = AsyncStream<Emulator.Endpoint>.makeStream()
        let serving = Task { try await emulator.run { listening.yield($0) } }
        let port = try #require(await endpoints.first { _ in true }).port
        let host = "127.0.0.1:\(port)"
        let control = try Control(host)
        try await control.put([.fid(1)], state: "active", topics: ["tides", "surf"])
        let client = try FCMClient(
            endpoints: Endpoints(try Endpoint("http://\(host)")), project: Project(id: "demo-project"),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))

        let known = await client.exchange(.read(.subscriptions(of: .fid(1), after: nil)))
        let topics = ["surf", "tides"].compactMap { TopicName(rawValue: $0) }
        #expect(ReadVerdict(subscriptions: known) == .value(SubscriptionPage(topics: topics)))

        let unknown = await client.exchange(.read(.subscriptions(of: .fid(2), after: nil)))
        #expect(ReadVerdict(subscriptions: unknown) == .value(SubscriptionPage(topics: [])))
        #expect(try await control.members(ofTopic: "tides") == [Registration.fid(1).rawValue])

        await client.shutdown()
        serving.cancel()
        _ = try? await serving.value
    }
}
