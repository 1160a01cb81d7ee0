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

        let topics = ["surf", "tides"].compactMap { TopicName(rawValue: $0) }
        let project = Project(id: "demo-project")
        for (registration, expected) in [(Registration.fid(1), topics), (.fid(2), [])] {
            for query in [Query.subscriptions(of: registration, after: nil), .information(about: registration)] {
                let answer = await client.exchange(.read(query))
                #expect(ReadVerdict(answer, to: query, of: project) == .value(SubscriptionPage(topics: expected)))
            }
        }
        #expect(try await control.members(ofTopic: "tides") == [Registration.fid(1).rawValue])

        await client.shutdown()
        serving.cancel()
        _ = try? await serving.value
    }
}
