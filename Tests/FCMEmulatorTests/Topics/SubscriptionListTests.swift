import FCM
import Testing

@testable import FCMEmulator

/// Herald's own question for a registration's topics, put to the emulator.
@Suite struct SubscriptionListTests {
    private func ask(
        _ registration: String, after mark: SubscriptionPage.Mark? = nil, in emulator: ManualEmulator
    ) throws -> ReadVerdict<SubscriptionPage> {
        let registration = try #require(Registration(registration))
        return try ask(.subscriptions(of: registration, after: mark), in: emulator)
    }

    private func ask(_ query: Query, in emulator: ManualEmulator) throws -> ReadVerdict<SubscriptionPage> {
        let project = Project(id: "p")
        let wire = Request.read(query).wire(project: project)
        let headers = wire.headers.map { (name: $0.name, value: $0.value) }
        let reply = Reply(emulator.backend.answer(Call(wire.method, wire.path, headers: headers, body: wire.body)))
        return .init(
            .response(Response(status: reply.status, body: Array(reply.text.utf8))), to: query, of: project)
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

    @Test func `both services tell the same`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), topics: ["surf", "tides"])
        try emulator.enrol(token(2), state: "unregistered")
        let registration = try #require(Registration(token(1)))
        let topics = ["surf", "tides"].compactMap { TopicName(rawValue: $0) }
        #expect(try ask(.information(about: registration), in: emulator) == .value(SubscriptionPage(topics: topics)))
        let dead = try ask(.information(about: try #require(Registration(token(2)))), in: emulator)
        guard case .dead(let failure) = dead else {
            Issue.record("\(dead)")
            return
        }
        #expect(failure.code == "NOT_FOUND")
    }

    @Test func `to ask changes nothing`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), topics: ["a"])
        _ = try ask(token(1), in: emulator)
        let members = try emulator.call("GET", "/emulator/v1/topics/a").json()
        #expect(members == [.string(token(1))])
    }
}
