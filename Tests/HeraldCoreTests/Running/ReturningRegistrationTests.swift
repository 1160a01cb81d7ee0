import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A list names a newer registration that FCM does not know, and the one before is still subscribed. What herald
/// subscribed stays herald's to end (docs/explanation/promises.md#registrations).
@Suite struct ReturningRegistrationTests {
    private let laboratory = Laboratory(population: 0)
    private let fcm = ModelFCM()

    private static let resources = """
        kind: audience
        name: all
        source: {file: all.csv, columns: {fid: fid, token: token}}
        ---
        kind: topic
        name: tides
        subscribers: [all]

        """
    private static let campaign = """
        ---
        kind: campaign
        name: hello
        target: {audience: all}
        message: {data: {text: hello}}

        """

    /// Plans for a list with these rows of fids and tokens, records it and carries it out.
    private func apply(_ rows: [[Registration?]], and campaign: String = "") async throws {
        let list = rows.map { $0.map { $0?.rawValue ?? "" }.joined(separator: ",") + "\n" }
        let loaded = try WorkspaceLoader.load(files: [
            "all.csv": "fid,token\n" + list.joined(), "resources.yaml": Self.resources + campaign,
        ])
        let workspace = try #require(loaded.workspace, "\(loaded.diagnostics)")
        let index = try #require(try loaded.recipientIndex?.get())
        let memory = laboratory.memory
        let wanted = try await Wanted(
            workspace, index, knownTo: memory, as: memory.snapshot(), noting: nil, keep: nil, sorted: { index })
        var settings = Settings(project: "p")
        settings.fcm = laboratory.fcm
        let plan = Planner.plan(
            .init(desired: wanted.desired, state: memory.snapshot(), settings: settings), at: laboratory.now)
        try await wanted.record(in: memory)
        let others = OtherRegistrations(of: wanted.withOthers) { ids in
            (try? await wanted.others(of: ids, knownTo: memory)) ?? [:]
        }
        _ = try await laboratory.run(plan, fcm, others: others)
    }

    private var subscribed: Set<Registration>? { fcm.now.topics["tides"] }
    private var preexisting: RecipientSet? { laboratory.memory.state().topics["tides"]?.preexisting }

    /// Something else may show in the same run that FCM is to be believed, and a send may meet the dead one first.
    @Test(arguments: [[], [[.fid(3), nil]]] as [[[Registration?]]], ["", campaign])
    func `whoever falls back to the registration that herald subscribed can leave and come back`(
        _ joining: [[Registration?]], _ campaign: String
    ) async throws {
        let stays = [[Registration.fid(2), nil]]
        try await apply([[nil, .token(1)]] + stays)
        fcm.change { $0.dead = [.fid(1)] }
        let renewed = [[nil, Registration.token(1)], [.fid(1), nil]] + stays
        try await apply(renewed + joining, and: campaign)
        #expect(preexisting == [])
        #expect(subscribed?.contains(.token(1)) == true)
        try await apply(stays)
        #expect(subscribed == [.fid(2)])
        let topic = try #require(laboratory.memory.state().topics["tides"])
        #expect(topic.subscribers.count == 1 && topic.subscribing.isEmpty)
        try await apply(renewed)
        #expect(subscribed == [.token(1), .fid(2)])
    }

    @Test(arguments: ["", campaign])
    func `the token of a row joins if the fid beside it is dead`(_ campaign: String) async throws {
        fcm.change { $0.dead = [.fid(1)] }
        try await apply([[.fid(1), .token(1)], [.fid(2), nil]], and: campaign)
        #expect(subscribed == [.token(1), .fid(2)])
    }

    @Test func `an app that subscribed the earlier registration itself keeps it`() async throws {
        let stays = [[Registration.fid(2), nil]]
        fcm.change { $0.topics["tides"] = [.token(1)] }
        try await apply([[nil, .token(1)]] + stays)
        fcm.change { $0.dead = [.fid(1)] }
        try await apply([[nil, .token(1)], [.fid(1), nil]] + stays)
        try await apply(stays)
        #expect(subscribed == [.token(1), .fid(2)])
    }

    /// An earlier herald took its own subscription for somebody else's.
    @Test func `a state that calls it others' is put right by the next plan`() async throws {
        let before = Laboratory.start.adding(.seconds(-3600))
        try laboratory.memory.commit([
            .register([1: .token(1), 2: .fid(2)]), .members("tides", [1, 2], .managed, at: before),
            .supersede([1]), .register([1: .fid(1)]), .forget([1], at: before), .register([1: .token(1)]),
            .members("tides", [1], .preexisting, at: before),
        ])
        fcm.change { ($0.dead, $0.topics["tides"]) = ([.fid(1)], [.token(1), .fid(2)]) }
        try await apply([[nil, .token(1)], [.fid(1), nil], [.fid(2), nil]])
        #expect(preexisting == [])
        try await apply([[.fid(2), nil]])
        #expect(subscribed == [.fid(2)])
        try await apply([[nil, .token(1)], [.fid(1), nil], [.fid(2), nil]])
        #expect(subscribed == [.token(1), .fid(2)])
    }
}
