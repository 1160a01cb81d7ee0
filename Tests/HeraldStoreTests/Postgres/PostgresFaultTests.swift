import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

@testable import HeraldStore

/// A connection that fails at any moment: no change is lost that was reported as done, and none is done twice.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct PostgresFaultTests {
    /// Some commits of a run, each with an effect, so that the serial tells how often each was done.
    private static let commits: [[StateChange]] = [
        [.open(.tide, .sample()), .outcome(.tide, RecipientSet(1..<500), .intended)],
        [.outcome(.tide, RecipientSet(1..<400), .accepted), .reject(.tide, RecipientSet(400..<410), code: "CODE")],
        [.supersede([2, 3]), .members("tides", RecipientSet(1..<300), .managed, at: .at(1))],
        [.finish(.tide, at: .at(2))],
    ]

    /// Each fault meets every second piece, and each piece every second fault.
    private static let moments = PostgresProxy.Fault.allCases.enumerated().flatMap { number, fault in
        stride(from: number % 2, to: 8, by: 2).map { (fault, $0) }
    }

    /// - Parameter piece: How many pieces of bytes pass before the fault.
    @Test(arguments: moments)
    func `each change is done once, wherever the connection fails`(_ fault: PostgresProxy.Fault, _ piece: Int)
        async throws
    {
        let proxy = try PostgresProxy()
        let server = try PostgresTestServer.newSchema(through: proxy)
        let store = try await PostgresStore.create(server, identity: OpenStore.identity)
        var expected = RecordedState(identity: OpenStore.identity)
        proxy.arm(fault, after: piece)
        let numbers = try await store.intern((1...600).map { Arrival(.fid($0)) }, comparedUpTo: 0)
        #expect(numbers == Array(1...600))
        expected.apply([.register(Dictionary(uniqueKeysWithValues: (1...600).map { (RecipientID($0), .fid($0)) }))])
        for changes in Self.commits {
            try await store.commit(changes)
            expected.apply(changes)
        }
        try #require(await proxy.isSpentSoon(), "the fault never happened: choose an earlier piece")
        #expect(try await store.wholeState() == expected)
        #expect(try await store.wholeState().serial == Int64(Self.commits.count))
    }

    @Test func `a state that an earlier try makes while the next one looks for it is made once`() async throws {
        let proxy = try PostgresProxy()
        var server = try PostgresTestServer.newSchema(through: proxy)
        // Only what makes the state is given up early.
        server.times.answer = .seconds(10)
        let direct = PostgresServer(
            name: "test", schema: server.schema, parameters: try PostgresTestServer.running().parameters,
            times: PostgresTimes())
        proxy.arm(.silenceBefore, at: .text("CREATE SCHEMA"))
        // What was given up is done after the next try has seen that there is nothing, and before it hears so.
        proxy.act(at: .text("SELECT lineage"), before: false) {
            let isMade = DispatchSemaphore(value: 0)
            Task {
                _ = try? await PostgresStore.create(direct, identity: OpenStore.identity)
                isMade.signal()
            }
            isMade.wait()
        }
        let store = try await PostgresStore.create(server, identity: OpenStore.identity)
        try #require(await proxy.isSpentSoon())
        #expect(try await store.wholeState() == RecordedState(identity: OpenStore.identity))
        // Another one is refused as before.
        await #expect(throws: StateError.exists(path: "test")) {
            _ = try await PostgresStore.create(server, identity: OpenStore.identity)
        }
    }

    @Test func `a server that is away for longer is an error, and the state is as it was`() async throws {
        let proxy = try PostgresProxy()
        let server = try PostgresTestServer.newSchema(through: proxy)
        let store = try await PostgresStore.create(server, identity: OpenStore.identity)
        proxy.refuse(true)
        proxy.endConnections()
        let error = await #expect(throws: StateError.self) { try await store.commit([.spendPlan("secret-plan")]) }
        guard case .inaccessible(_, let detail, _)? = error else { return #expect(error == nil) }
        #expect(!detail.contains("secret-plan"))
        proxy.refuse(false)
        #expect(try await store.snapshot().spentPlans == [])
        // What was given up does not come back, and the next change is done.
        try await store.commit([.spendPlan("next")])
        #expect(try await store.snapshot().spentPlans == ["next"])
    }

    @Test func `a backend that is killed in the middle loses nothing`() async throws {
        let server = try PostgresTestServer.newSchema()
        let store = try await PostgresStore.create(server, identity: OpenStore.identity)
        for round in 0..<5 {
            let backend = try await store.session.perform(for: server.patience) { connection, _ in connection.backend }
            try #require(kill(backend, SIGTERM) == 0)
            try await store.commit([.open(OccurrenceID(rawValue: "c\(round)@once"), .sample("c\(round)"))])
        }
        #expect(try await store.snapshot().occurrences.count == 5)
        #expect(try await store.snapshot().serial == 5)
    }

    @Test func `a time limit of its role ends no change`() async throws {
        let server = try PostgresTestServer.newSchema()
        let owner = try await PostgresStore.create(server, identity: OpenStore.identity)
        // As where somebody else holds a lock for a while.
        for text in [
            """
            CREATE FUNCTION @dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_sleep(1.2); RETURN NEW; END $$
            """,
            "CREATE TRIGGER dawdle BEFORE INSERT ON @pause FOR EACH ROW EXECUTE FUNCTION @dawdle()",
        ] {
            _ = try await owner.writing(under: nil) { $0.run(PostgresStatement(text)) }
        }
        let limited = PostgresServer(
            name: "test", schema: server.schema,
            parameters: server.parameters.merging(["options": "-c statement_timeout=1s"]) { $1 }, times: server.times)
        let store = try await PostgresStore.open(limited)
        try await store.commit([.pause("tide")])
        #expect(try await owner.snapshot().pauses.campaigns == ["tide"])
    }

    @Test func `a read-only server is read, and refuses changes with a reason`() async throws {
        let server = try PostgresTestServer.newSchema()
        let store = try await PostgresStore.create(server, identity: OpenStore.identity)
        try await store.commit([.pause("tide")])
        let other = try await PostgresStore.open(server)
        // As a standby answers.
        try await other.session.perform(for: server.patience) { connection, _ in
            _ = try connection.perform(
                "CREATE FUNCTION @deny() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cannot execute INSERT in a read-only transaction' USING ERRCODE = '25006'; END $$",
                until: server.deadline)
            _ = try connection.perform(
                "CREATE TRIGGER deny BEFORE INSERT ON @commit_mark FOR EACH STATEMENT EXECUTE FUNCTION @deny()",
                until: server.deadline)
        }
        let error = await #expect(throws: StateError.self) { try await store.commit([.resume("tide")]) }
        #expect(error?.description == "the state test cannot be used: the server is read-only")
        #expect(try await store.snapshot().pauses.campaigns == ["tide"])
    }
}

extension PostgresProxy {
    /// Whether the fault has happened, and what it does later, too.
    func isSpentSoon() async throws -> Bool {
        let begin = ContinuousClock.now
        while !isSpent {
            guard ContinuousClock.now - begin < .seconds(60) else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }
}
