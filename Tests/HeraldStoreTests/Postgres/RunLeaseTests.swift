import Foundation
import HeraldCore
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldStore

/// One conductor at a time: whoever lost the lease writes nothing more, and nobody waits for a holder that died.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct RunLeaseTests {
    /// A clock that a test moves on, as when the machine slept.
    private final class Clock: Sendable {
        private let offset = Mutex(Duration.zero)

        func sleep(_ duration: Duration) { offset.withLock { $0 += duration } }
        var now: ContinuousClock.Instant { .now + offset.withLock(\.self) }
    }

    /// Faster than in earnest. A lease still outlives a moment in which a busy machine stands still.
    private static func times(_ clock: Clock = Clock()) -> LeaseTimes {
        var times = LeaseTimes()
        (times.length, times.renewal, times.margin) = (.seconds(5), .milliseconds(250), .milliseconds(100))
        times.now = { clock.now }
        return times
    }

    private let server: PostgresServer

    init() async throws {
        server = try PostgresTestServer.newSchema()
        _ = try await PostgresStore.create(server, identity: OpenStore.identity)
    }

    private func server(through proxy: PostgresProxy, times: PostgresTimes = PostgresTimes()) -> PostgresServer {
        PostgresServer(
            name: "test", schema: server.schema, parameters: server.parameters.merging(["host": proxy.folder]) { $1 },
            times: times)
    }

    private func eventually(_ isSo: () async throws -> Bool) async throws {
        let begin = ContinuousClock.now
        while try await !isSo() {
            try #require(ContinuousClock.now - begin < .seconds(60), "it did not come about")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func `while one holds the lease, another is told who does, and comes next`() async throws {
        let lease = try await RunLease.take(server, run: "first", Self.times())
        let epoch = lease.epoch
        await lease.hold {
            let error = await #expect(throws: StateError.self) {
                try await RunLease.take(server, run: "second", Self.times())
            }
            guard case .locked(_, let holder)? = error else { return #expect(error == nil) }
            #expect(holder.hasPrefix("run first (process \(getpid()) on "))
            let named = try? await RunLease.holder(of: server)
            #expect(named?.contains("run first ") == true)
        }
        #expect(try await RunLease.holder(of: server) == nil)
        let next = try await RunLease.take(server, run: "second", Self.times())
        #expect(next.epoch > epoch)
        await next.release()
    }

    @Test func `a lease is renewed for as long as it is held`() async throws {
        let times = Self.times()
        let lease = try await RunLease.take(server, run: "first", times)
        let begin = ContinuousClock.now
        let before = lease.deadline
        try await eventually { ContinuousClock.now - begin > times.length * 1.5 }
        #expect(lease.holds)
        #expect(lease.deadline > before)
        await #expect(throws: StateError.self) { try await RunLease.take(server, run: "second", times) }
        await lease.release()
        #expect(!lease.holds)
    }

    @Test func `nobody waits longer than the lease for a holder that is cut off, and it stops before that`()
        async throws
    {
        let proxy = try PostgresProxy()
        let cut = server(through: proxy)
        let lease = try await RunLease.take(cut, run: "first", Self.times())
        let store = try await PostgresStore.open(server, under: lease)
        try await store.commit([.spendPlan("one")])
        proxy.refuse(true)
        proxy.endConnections()
        var stopped = false
        var next: RunLease?
        try await eventually {
            let mayStill = lease.holds
            guard let taken = try? await RunLease.take(server, run: "second", Self.times()) else { return false }
            // It had stopped before the other began.
            stopped = !mayStill
            next = taken
            return true
        }
        #expect(stopped)
        #expect(lease.loss?.description.contains("no connection") == true)
        await #expect(throws: StateError.leaseLost(holder: "first")) { try await store.commit([.spendPlan("two")]) }
        #expect(try await store.snapshot().spentPlans == ["one"])
        await lease.release()
        let taken = try #require(next)
        #expect(taken.holds)
        #expect(try await RunLease.holder(of: server)?.contains("run second ") == true)
        await taken.release()
    }

    @Test func `a run that cannot have the connection for its renewals does not begin, and keeps nobody out`()
        async throws
    {
        let proxy = try PostgresProxy()
        var impatient = PostgresTimes()
        impatient.patience = .zero
        let narrow = server(through: proxy, times: impatient)
        let session = PostgresSession(narrow.parameters, schema: narrow.schema)
        try await session.perform(for: narrow.patience) { connection, _ in
            _ = try connection.perform("SELECT 1::bigint", until: narrow.deadline)
        }
        proxy.refuse(true)
        let error = await #expect(throws: StateError.self) {
            try await RunLease.take(narrow, run: "first", Self.times(), over: session)
        }
        #expect(error?.description.contains("no connection") == true)
        #expect(try await RunLease.holder(of: server) == nil)
    }

    /// The server has a part of what was sent together, and waits for the rest.
    @Test func `nobody waits longer than the lease and a lock for a holder that stopped in the middle of a commit`()
        async throws
    {
        let proxy = try PostgresProxy()
        let stopping = server(through: proxy)
        let lease = try await RunLease.take(stopping, run: "first", Self.times())
        let store = try await PostgresStore.open(stopping, under: lease)
        // More than the proxy reads at once (1 MiB). What this process sends after the first piece stays where it is, also
        // the end of its connection.
        let arrivals = (1...8_000).map { Arrival(.token($0)) }
        let isHeld = Mutex(false)
        defer { proxy.letGo() }
        proxy.act(at: .text("unnest("), before: false) {
            proxy.hold()
            isHeld.withLock { $0 = true }
        }
        async let interned: Result<[RecipientID], any Error> = {
            do { return .success(try await store.intern(arrivals, comparedUpTo: 0)) } catch { return .failure(error) }
        }()
        try await eventually { isHeld.withLock(\.self) }
        var next: RunLease?
        try await eventually {
            next = try? await RunLease.take(server, run: "second", Self.times())
            return next != nil
        }
        proxy.letGo()
        let numbers = await interned
        #expect(throws: StateError.self) { try numbers.get() }
        #expect(!lease.holds)
        let taken = try #require(next)
        let after = try await PostgresStore.open(server, under: taken)
        #expect(try await after.intern([Arrival(.fid(1))], comparedUpTo: 0) == [1])
        await lease.release()
        await taken.release()
    }

    @Test(arguments: [true, false])
    func `a run reads again for as long as it holds the lease, and others for as long as they have patience`(
        _ isRun: Bool
    ) async throws {
        let proxy = try PostgresProxy()
        var impatient = PostgresTimes()
        impatient.patience = .zero
        let cut = server(through: proxy, times: impatient)
        let lease = try await RunLease.take(server, run: "first", LeaseTimes())
        let store = try await PostgresStore.open(cut, under: isRun ? lease : nil)
        proxy.arm(.cutBefore, after: 0)
        if isRun {
            #expect(try await store.snapshot().identity == OpenStore.identity)
        } else {
            await #expect(throws: StateError.self) { try await store.snapshot() }
        }
        #expect(proxy.isSpent)
        await lease.release()
    }

    @Test func `it is given back also where the connection was cut since it was renewed`() async throws {
        let proxy = try PostgresProxy()
        var times = LeaseTimes()
        times.renewal = .seconds(20)
        let lease = try await RunLease.take(server(through: proxy), run: "first", times)
        proxy.endConnections()
        await lease.release()
        #expect(try await RunLease.holder(of: server) == nil)
    }

    /// - Parameter isTold: whether the run hears that it lost the lease, before the lease ends by its own clock.
    @Test(arguments: [true, false])
    func `a server that stands still keeps no run that lost its lease`(isTold: Bool) async throws {
        let proxy = try PostgresProxy()
        var times = PostgresTimes()
        (times.answer, times.reading, times.patience) = (.seconds(4), .seconds(60), .zero)
        let still = server(through: proxy, times: times)
        let lease = try await RunLease.take(still, run: "first", Self.times())
        let store = try await PostgresStore.open(still, under: lease)
        // Its connections stay open.
        proxy.hold()
        if isTold { lease.lose() }
        let begin = ContinuousClock.now
        await #expect(throws: StateError.self) { try await store.pauses() }
        #expect(!lease.holds)
        #expect(ContinuousClock.now - begin < .seconds(40))
        proxy.letGo()
        await lease.release()
    }

    /// Each question would take as long as a connection may.
    @Test func `a run that lost its lease does not ask a server that stands still again and again`() async throws {
        let proxy = try PostgresProxy()
        var times = PostgresTimes()
        (times.answer, times.patience) = (.seconds(10), .seconds(20))
        let parameters = server.parameters.merging(["host": proxy.folder, "connect_timeout": "3"]) { $1 }
        let still = PostgresServer(name: "test", schema: server.schema, parameters: parameters, times: times)
        let lease = try await RunLease.take(still, run: "first", Self.times())
        let store = try await PostgresStore.open(still, under: lease)
        proxy.hold()
        await #expect(throws: StateError.self) { try await store.commit([.pause("tide")]) }
        let begin = ContinuousClock.now
        for _ in 1...5 {
            await #expect(throws: StateError.self) { try await store.commit([.pause("tide")]) }
            await #expect(throws: StateError.self) { try await store.pauses() }
        }
        await lease.release()
        #expect(ContinuousClock.now - begin < .seconds(15))
        proxy.letGo()
    }

    @Test func `a machine that slept stops at once when it wakes`() async throws {
        let clock = Clock()
        let lease = try await RunLease.take(server, run: "first", Self.times(clock))
        #expect(lease.holds)
        clock.sleep(.seconds(60))
        #expect(!lease.holds)
        // Also after the next time to renew: others may have worked meanwhile.
        try await eventually { lease.deadline <= clock.now }
        #expect(!lease.holds)
        await lease.release()
    }

    @Test func `a person can take the lease from a run, which then writes nothing more`() async throws {
        let lease = try await RunLease.take(server, run: "first", Self.times())
        let store = try await PostgresStore.open(server, under: lease)
        try await store.commit([.pause("tide")])
        #expect(try await !RunLease.end("another", on: server))
        #expect(try await RunLease.end("first", on: server))
        await #expect(throws: StateError.leaseLost(holder: "first")) { try await store.commit([.resume("tide")]) }
        await #expect(throws: StateError.leaseLost(holder: "first")) {
            try await store.intern([Arrival(.fid(1))], comparedUpTo: 0)
        }
        try await eventually { !lease.holds }
        #expect(lease.loss == nil)
        #expect(try await store.snapshot().pauses.campaigns == ["tide"])
        await lease.release()
    }

    @Test func `whoever takes the lease from a run hears of it, also if the first answer was lost`() async throws {
        let proxy = try PostgresProxy()
        let lease = try await RunLease.take(server, run: "first", Self.times())
        proxy.arm(.cutAfter, at: .text("RETURNING epoch"))
        #expect(try await RunLease.end("first", on: server(through: proxy)))
        #expect(proxy.isSpent)
        await lease.release()
    }

    @Test func `a renewal that waits for a lock ends with the wait, and leaves nobody waiting at the server`()
        async throws
    {
        var times = Self.times()
        times.length = .seconds(60)
        let lease = try await RunLease.take(server, run: "first", times)
        let holder = try PostgresConnection(server.parameters, schema: server.schema)
        try holder.perform(
            ["BEGIN", "LOCK TABLE @lease IN ACCESS EXCLUSIVE MODE"].map { PostgresStatement($0) },
            until: .now + .seconds(5))
        let waiting = PostgresStatement(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
            .text("%\(server.quotedSchema)%lease%"))
        let watch = try PostgresConnection(server.parameters, schema: server.schema)
        func count() throws -> Int64 { try watch.perform([waiting], until: .now + .seconds(5))[0].first?.int(0) ?? -1 }
        // Several renewals come and go.
        var turns = 0
        try await eventually {
            let before = try count()
            #expect(before <= 1)
            if before == 0 { turns += 1 }
            return turns > 5
        }
        try holder.rollBack(until: .now + .seconds(5))
        let before = lease.deadline
        try await eventually { lease.deadline > before }
        await lease.release()
    }

    @Test func `a take-over waits for a commit that has begun, and a renewal does not`() async throws {
        let lease = try await RunLease.take(server, run: "first", Self.times())
        let (server, epoch) = (server, lease.epoch)
        let other = PostgresSession(server.parameters, schema: server.schema)
        try await other.perform(for: server.patience) { connection, _ in
            _ = try connection.perform(
                [
                    "BEGIN",
                    PostgresStatement("SELECT @begin_commit($1, $2, $3)", .uuid(UUID()), .int(1), .int(epoch)),
                ], until: server.deadline)
        }
        let before = lease.deadline
        try await eventually { lease.deadline > before }
        let isOver = Mutex(false)
        async let ended: Bool = {
            let ended = try await RunLease.end("first", on: server)
            isOver.withLock { $0 = true }
            return ended
        }()
        // The server says that somebody waits for a lock.
        try await eventually {
            try await PostgresSession(server.parameters, schema: server.schema).perform(for: server.patience) {
                connection, _ in
                try connection.perform(
                    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
                    .text("%\(server.schema.replacing("\"", with: "\"\""))%lease%"), until: server.deadline
                ).count > 0
            }
        }
        #expect(isOver.withLock(\.self) == false)
        try await other.perform(for: server.patience) { connection, _ in
            _ = try connection.perform("COMMIT", until: server.deadline)
        }
        #expect(try await ended)
        await lease.release()
    }
}
