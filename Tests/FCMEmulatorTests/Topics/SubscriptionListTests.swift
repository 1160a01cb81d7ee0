import FCM
import Testing

@testable import FCMEmulator

/// Herald's own question for a registration's topics, put to the emulator.
@Suite struct SubscriptionListTests {
    private func ask(
        _ registration: String, after mark: SubscriptionPage.Mark? = nil, in emulator: ManualEmulator
    ) throws -> ReadVerdict<SubscriptionPage> {
        let registration = try #require(Registration(registration))
        let wire = Request.read(.subscriptions(of: registration, after: mark)).wire(project: Project(id: "p"))
        let reply = emulator.call(wire.method, wire.path, String(decoding: wire.body, as: UTF8.self))
        return .init(subscriptions: .response(Response(status: reply.status, body: Array(reply.text.utf8))))
    }

    @Test func `one page holds as many topics as an installation can have`() throws {
        let emulator = ManualEmulator()
        let names = (1...2000).map { "t\($0)" }
        try emulator.enrol(token(1), topics: names)
        let topics = names.compactMap { TopicName(rawValue: $0) }.sorted()
        #expect(try ask(token(1), in: emulator) == .value(SubscriptionPage(topics: topics)))
    }

    @Test func `a page that is asked for begins behind the one before`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), topics: ["a", "b", "c"])
        let short = emulator.call("GET", "/v1/projects/p/registrations/\(token(1))/topicSubscriptions?page_size=2")
        let mark = try #require(try short.json()["nextPageToken"]?.string)
        let rest = try ask(token(1), after: .init(rawValue: mark), in: emulator)
        #expect(rest == .value(SubscriptionPage(topics: [try #require(TopicName(rawValue: "c"))])))
    }

    @Test func `a registration that is gone is dead, and nobody's topics are shown`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), state: "unregistered")
        guard case .dead = try ask(token(1), in: emulator) else {
            Issue.record("not dead")
            return
        }
    }

    @Test func `to ask changes nothing`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), topics: ["a"])
        _ = try ask(token(1), in: emulator)
        let members = try emulator.call("GET", "/emulator/v1/topics/a").json()
        #expect(members == [.string(token(1))])
    }
}
