import Foundation
import HeraldCore
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldStore

/// A primary that dies and a standby that takes its place, with real servers.
@Suite(.serialized, .enabled(if: PostgresTestServer.isInstalled)) struct FailoverTests {
    private final class Notes: Sendable {
        private let all = Mutex<[String]>([])
        var texts: [String] { all.withLock(\.self) }
        func add(_ text: String) { all.withLock { $0.append(text) } }
    }

    private let notes = Notes()

    private func server(_ hosts: String...) -> PostgresServer {
        PostgresServer(
            name: "test", schema: "herald",
            parameters: [
                "host": hosts.joined(separator: ","), "dbname": "postgres", "user": "herald",
                "target_session_attrs": "read-write",
            ])
    }

    private func location(_ server: PostgresServer, requiresStandby: Bool = false) -> StateDatabase {
        var times = LeaseTimes()
        (times.length, times.renewal, times.margin) = (.seconds(60), .milliseconds(200), .milliseconds(100))
        return StateDatabase(
            server, .init(project: "p", endpoint: .emulator, workspace: "tide"), folder: "/none/.herald", times: times,
            requiresStandby: requiresStandby
        ) { [notes] in notes.add($0) }
    }

    /// Waits until the standby has what the primary has.
    private func follow(_ primary: PostgresCluster, _ standby: PostgresCluster) async throws {
        let place = try await primary.ask("SELECT pg_current_wal_lsn()")
        let begin = ContinuousClock.now
        while try await standby.ask("SELECT coalesce(pg_last_wal_replay_lsn() >= '\(place)', false)") != "t" {
            try #require(ContinuousClock.now - begin < .seconds(30), "the standby does not follow")
        }
    }

    @Test(arguments: [false, true])
    func `what was open is in doubt after a failover, unless commits waited for the standby`(
        _ isSynchronous: Bool
    ) async throws {
        let primary = try await PostgresCluster()
        try await location(server(primary.folder)).initialize(created: Date())
        let standby = try await PostgresCluster(following: primary)
        if isSynchronous {
            try await primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
            try await primary.reload()
            let begin = ContinuousClock.now
            while try await primary.ask("SELECT sync_state FROM pg_stat_replication") != "sync" {
                try #require(ContinuousClock.now - begin < .seconds(30))
            }
        }
        let before = location(server(primary.folder), requiresStandby: isSynchronous)
        try await before.lock(for: "first").hold {
            let store = try await before.open(for: .changing)
            _ = try await store.intern([Arrival(.fid(1)), Arrival(.fid(2))], comparedUpTo: 0)
            try await store.commit([
                .open(.tide, .sample()), .outcome(.tide, [1], .intended), .open("wind@once", .sample("wind")),
                .outcome("wind@once", [1], .accepted), .finish("wind@once", at: Date()),
            ])
        }
        #expect(notes.texts.contains { $0.contains("1 server follows this database") } == !isSynchronous)
        if !isSynchronous {
            await #expect(throws: StateError.self) {
                try await location(server(primary.folder), requiresStandby: true).lock(for: "strict")
            }
        }
        try await follow(primary, standby)
        let serial = try await before.open(for: .reading).snapshot().serial
        try await primary.stop()
        try await standby.promote()

        let after = location(server(primary.folder, standby.folder))
        try await after.lock(for: "second").hold {}
        let state = try await after.open(for: .reading).snapshot()
        #expect(state.occurrences[.tide]?.isInDoubt == !isSynchronous)
        #expect(state.occurrences["wind@once"]?.isInDoubt == false)
        #expect(notes.texts.contains { $0.contains("1 open occurrence held") } == !isSynchronous)
        #expect((state.serial > serial) == !isSynchronous)
        // It is said once.
        try await after.open(for: .changing).commit([.doubt(.tide, false)])
        try await after.lock(for: "third").hold {}
        #expect(try await after.open(for: .reading).snapshot().occurrences[.tide]?.isInDoubt == false)
    }

    @Test(arguments: [false, true])
    func `a run goes on over a failover only if nothing can be lost`(_ isSynchronous: Bool) async throws {
        let primary = try await PostgresCluster()
        let standby = try await PostgresCluster(following: primary)
        let both = server(primary.folder, standby.folder)
        if isSynchronous {
            try await primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
            try await primary.reload()
            let begin = ContinuousClock.now
            while try await primary.ask("SELECT sync_state FROM pg_stat_replication") != "sync" {
                try #require(ContinuousClock.now - begin < .seconds(30))
            }
        }
        let location = location(both)
        try await location.initialize(created: Date())
        try await location.lock(for: "run").hold {
            let store = try await location.open(for: .changing)
            try await store.commit([.open(.tide, .sample()), .outcome(.tide, [1], .intended)])
            try await follow(primary, standby)
            // New commits wait for nobody once it is promoted.
            try await primary.stop()
            try await standby.ask("ALTER SYSTEM SET synchronous_standby_names = ''")
            try await standby.promote()
            let error: (any Error)?
            do {
                // It reconnects by itself.
                try await store.commit([.outcome(.tide, [1], .accepted)])
                error = nil
            } catch let failure { error = failure }
            #expect(error as? StateError == (isSynchronous ? nil : .failedOver(path: "test")))
        }
        let expected: RecipientSet = isSynchronous ? [1] : []
        #expect(try await location.open(for: .reading).snapshot().occurrences[.tide]?.accepted == expected)
    }

    @Test func `a state in another cluster is known as moved, until a person takes it`() async throws {
        let (one, other) = (try await PostgresCluster(), try await PostgresCluster())
        let first = location(server(one.folder))
        try await first.initialize(created: Date())
        #expect(try await !first.hasMoved())
        try await first.lock(for: "run").hold {}
        #expect(try await !first.hasMoved())
        // As after a restored dump.
        let system = try await one.ask("SELECT system FROM herald.server")
        let second = location(server(other.folder))
        try await second.initialize(created: Date())
        try await second.lock(for: "run").hold {}
        try await other.ask("UPDATE herald.server SET system = '\(system)', timeline = '0000000F'")
        #expect(try await second.hasMoved())
        try await second.lock(for: "run").hold {
            #expect(try await second.hasMoved())
            try await second.acceptMove()
            try await second.open(for: .changing).commit([.pause("tide")])
        }
        #expect(try await !second.hasMoved())
        // Whose WAL began anew is no standby of the old one.
        #expect(!notes.texts.contains { $0.contains("failed over") })
    }

    @Test(arguments: ["fsync", "full_page_writes", "synchronous_commit"])
    func `a server that may lose what it confirmed is no place for a state`(_ setting: String) async throws {
        let careless = try await PostgresCluster("\(setting) = off")
        let location = location(server(careless.folder))
        await #expect(throws: StateError.self) { try await location.initialize(created: Date()) }
        let error = await #expect(throws: StateError.self) { try await location.open(for: .inspecting) }
        #expect("\(try #require(error))".contains("'\(setting)' is off there"))
    }

    @Test func `an immediate stop loses nothing, and a run waits for the server to come back`() async throws {
        let primary = try await PostgresCluster()
        let location = location(server(primary.folder))
        try await location.initialize(created: Date())
        try await location.lock(for: "run").hold {
            let store = try await location.open(for: .changing)
            try await store.commit([.open(.tide, .sample()), .outcome(.tide, [1], .intended)])
            try await primary.stop()
            async let written: Void = store.commit([.outcome(.tide, [1], .accepted)])
            try await primary.start()
            try await written
            #expect(try await store.snapshot().occurrences[.tide]?.accepted == [1])
            #expect(try await store.snapshot().occurrences[.tide]?.isInDoubt == false)
        }
    }
}
