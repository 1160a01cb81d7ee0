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

    private func location(
        _ server: PostgresServer, requiresStandby: Bool = false, renewal: Duration = .milliseconds(200)
    ) -> StateDatabase {
        var times = LeaseTimes()
        (times.length, times.renewal, times.margin) = (.seconds(60), renewal, .milliseconds(100))
        return StateDatabase(
            server, .init(project: "p", endpoint: .emulator, workspace: "tide"), folder: "/none/.herald", times: times,
            requiresStandby: requiresStandby
        ) { [notes] in notes.add($0) }
    }

    /// How two servers follow a primary, the first of which takes its place.
    enum Following: CaseIterable {
        case asynchronous
        /// Every commit waits for both.
        case synchronous
        /// Every commit waits for one of them, which is the other one: the first receives nothing more.
        case quorum
        /// Commits waited for both, until somebody switched that off.
        case switchedOff

        func begin(_ primary: PostgresCluster, _ one: PostgresCluster, _ other: PostgresCluster) async throws {
            let names = "(\"\(one.name)\", \"\(other.name)\")"
            switch self {
            case .asynchronous: break
            case .synchronous, .switchedOff: try await primary.setSynchronous("FIRST 2 \(names)", until: "sync,sync")
            case .quorum: try await primary.setSynchronous("ANY 1 \(names)", until: "quorum,quorum")
            }
        }

        /// From now on the first server may lack commits.
        func lag(_ primary: PostgresCluster, _ one: PostgresCluster) async throws {
            try await primary.await(one)
            switch self {
            case .synchronous: break
            case .asynchronous, .quorum: try await one.stopFollowing()
            case .switchedOff:
                try await primary.setSynchronous("", until: "async,async")
                try await one.stopFollowing()
            }
        }
    }

    @Test(arguments: Following.allCases)
    func `whatever commits waited for, what was open is held after a failover`(_ following: Following) async throws {
        let primary = try await PostgresCluster()
        try await location(server(primary.folder)).initialize(created: Date())
        let (standby, other) = (
            try await PostgresCluster(following: primary), try await PostgresCluster(following: primary)
        )
        try await following.begin(primary, standby, other)
        let before = location(server(primary.folder))
        try await before.lock(for: "first").hold {
            let store = try await before.open(for: .changing)
            _ = try await store.intern([Arrival(.fid(1)), Arrival(.fid(2))], comparedUpTo: 0)
            try await store.commit([
                .open(.tide, .sample()), .outcome(.tide, [1], .intended), .open("wind@once", .sample("wind")),
                .outcome("wind@once", [1], .accepted), .finish("wind@once", at: Date()),
            ])
            try await following.lag(primary, standby)
            try await store.commit([.outcome(.tide, [2], .intended)])
        }
        let serial = try await before.open(for: .reading).snapshot().serial
        try await primary.stop()
        try await standby.setSynchronous("", until: "")
        try await standby.promote()

        let after = location(server(primary.folder, standby.folder))
        // A plan says it before a run does.
        let known = try await after.open(for: .reading).snapshot().occurrences
        #expect(known[.tide]?.halt == .failedOver && known["wind@once"]?.halt == nil)
        // That the first run gave its lease back may be what is lacking.
        if following != .synchronous { try? await after.takeLock(from: "first") }
        try await after.lock(for: "second").hold {}
        let state = try await after.open(for: .reading).snapshot()
        #expect(state.occurrences[.tide]?.halt == .failedOver)
        #expect(state.occurrences["wind@once"]?.halt == nil)
        #expect(notes.texts.contains { $0.contains("failed over") && $0.contains("1 open occurrence held") })
        if following == .synchronous { #expect(state.serial > serial) }
        // It is said once.
        let count = notes.texts.count { $0.contains("failed over") }
        try await after.open(for: .changing).commit([.halt(.tide, nil)])
        try await after.lock(for: "third").hold {}
        #expect(try await after.open(for: .reading).snapshot().occurrences[.tide]?.halt == nil)
        #expect(notes.texts.count { $0.contains("failed over") } == count)
    }

    @Test func `a failover is told, too, when nothing was open`() async throws {
        let primary = try await PostgresCluster()
        let standby = try await PostgresCluster(following: primary)
        let location = location(server(primary.folder, standby.folder))
        try await location.initialize(created: Date())
        try await primary.await(standby)
        try await primary.stop()
        try await standby.promote()
        try await location.lock(for: "run").hold {}
        #expect(notes.texts.contains { $0.contains("failed over") && $0.contains("no occurrence was open") })
    }

    @Test(arguments: Following.allCases)
    func `whatever commits waited for, a run that is under way stops at a failover`(
        _ following: Following
    ) async throws {
        let primary = try await PostgresCluster()
        let (standby, other) = (
            try await PostgresCluster(following: primary), try await PostgresCluster(following: primary)
        )
        try await following.begin(primary, standby, other)
        let location = location(server(primary.folder, standby.folder))
        try await location.initialize(created: Date())
        let lock = try await location.lock(for: "run")
        try await lock.hold {
            let store = try await location.open(for: .changing)
            try await store.commit([.open(.tide, .sample()), .outcome(.tide, [1], .intended)])
            try await following.lag(primary, standby)
            try await store.commit([.outcome(.tide, [2], .intended)])
            try await primary.stop()
            try await standby.setSynchronous("", until: "")
            try await standby.promote()
            // It reconnects by itself.
            await #expect(throws: StateError.failedOver(path: "test")) {
                try await store.commit([.outcome(.tide, [1], .accepted)])
            }
            #expect(lock.mayWrite?() == false)
        }
        #expect(try await location.open(for: .reading).snapshot().occurrences[.tide]?.accepted == [])
    }

    @Test func `a commit that fails names the failover, also where its lease learnt of it first`() async throws {
        let primary = try await PostgresCluster()
        let location = location(server(primary.folder))
        try await location.initialize(created: Date())
        let lock = try await location.lock(for: "run")
        try await lock.hold {
            let store = try #require(try await location.open(for: .changing) as? PostgresStore)
            await #expect(throws: StateError.failedOver(path: "test")) {
                _ = try await store.writing(under: nil) { _ in
                    store.lease?.loseByFailover()
                    throw PostgresError.unexpected("it ends")
                }
            }
        }
    }

    @Test func `a run that commits nothing stops at a failover, too`() async throws {
        let primary = try await PostgresCluster()
        let standby = try await PostgresCluster(following: primary)
        let location = location(server(primary.folder, standby.folder))
        try await location.initialize(created: Date())
        let lock = try await location.lock(for: "run")
        try await lock.hold {
            try await primary.await(standby)
            try await primary.stop()
            try await standby.promote()
            let begin = ContinuousClock.now
            while lock.mayWrite?() == true {
                try #require(ContinuousClock.now - begin < .seconds(55), "it goes on")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    @Test func `a run writes nothing to a server with another history, though its timeline has the same number`()
        async throws
    {
        let primary = try await PostgresCluster()
        let (one, other) = (
            try await PostgresCluster(following: primary), try await PostgresCluster(following: primary)
        )
        let start = location(server(primary.folder))
        try await start.initialize(created: Date())
        for standby in [one, other] { try await primary.await(standby) }
        try await primary.stop()
        try await one.promote()
        // It does not renew its lease in between, so it could go on there.
        let first = location(server(one.folder, other.folder), renewal: .seconds(50))
        try await first.lock(for: "first").hold {
            let store = try await first.open(for: .changing)
            try await store.commit([.open(.tide, .sample()), .outcome(.tide, [1], .intended)])
            try await one.stop()
            try await other.promote()
            #expect(try await other.ask("SELECT pg_walfile_name(pg_current_wal_lsn())").hasPrefix("00000002"))
            // Somebody else works there. It is the first run there, too.
            let second = location(server(other.folder))
            try await second.lock(for: "second").hold {
                let there = try await second.open(for: .changing)
                try await there.commit([.open(.tide, .sample()), .outcome(.tide, [2], .intended)])
                await #expect(throws: StateError.leaseLost(holder: "first")) {
                    try await store.commit([.outcome(.tide, [1], .accepted)])
                }
                let ledger = try await there.snapshot().occurrences[.tide]
                #expect(ledger?.accepted == [] && ledger?.intended == [2])
            }
        }
    }

    @Test(
        arguments: [
            ("", "async,async", "2 servers follow"), ("FIRST 1 (%1, %2)", "potential,sync", "1 server follows"),
            ("ANY 1 (%1, %2)", "quorum,quorum", "2 servers follow"), ("ANY 1 (*)", "quorum,quorum", "2 servers follow"),
            ("%1", "async,sync", "1 server follows"), ("FIRST 2 (%1, %2)", "sync,sync", nil),
            ("2 (*)", "sync,sync", nil),
            ("any 2 (%2, %1)", "quorum,quorum", nil),
        ] as [(String, String, String?)])
    func `every run warns unless all standby servers have each commit, and may be forbidden then`(
        _ names: String, _ states: String, _ warning: String?
    ) async throws {
        let scene = try await Self.threesome.value
        let names = names.replacing("%1", with: "\"\(scene.standbys[0].name)\"")
            .replacing("%2", with: "\"\(scene.standbys[1].name)\"")
        try await scene.primary.setSynchronous(names, until: states)
        let server = server(scene.primary.folder)
        try await location(server).lock(for: "run").hold {}
        #expect(notes.texts.contains { $0.contains("this database") } == (warning != nil))
        guard let warning else { return try await location(server, requiresStandby: true).lock(for: "strict").hold {} }
        let text = "\(warning) this database without every commit"
        #expect(notes.texts.contains { $0.contains(text) }, "\(notes.texts)")
        await #expect(throws: StateError.self) { try await location(server, requiresStandby: true).lock(for: "strict") }
    }

    /// A primary with a state, and two servers that follow it, for all cases of a test.
    private static let threesome = Task {
        let primary = try await PostgresCluster()
        let standbys = [
            try await PostgresCluster(following: primary), try await PostgresCluster(following: primary),
        ]
        let server = PostgresServer(
            name: "test", schema: "herald",
            parameters: ["host": primary.folder, "dbname": "postgres", "user": "herald"])
        try await StateDatabase(
            server, .init(project: "p", endpoint: .emulator, workspace: "tide"), folder: "/none/.herald"
        ) { _ in }.initialize(created: Date())
        return (primary: primary, standbys: standbys)
    }

    @Test func `a state in another cluster is known as moved, until a person takes it`() async throws {
        let (one, other) = (try await PostgresCluster(), try await PostgresCluster())
        let first = location(server(one.folder))
        try await first.initialize(created: Date())
        #expect(try await !first.hasMoved())
        try await first.lock(for: "run").hold {}
        #expect(try await !first.hasMoved())
        try await PostgresTestServer.copy("herald", from: one.address(), to: other.address())
        try await other.ask("UPDATE herald.server SET timeline = '0000000F'")
        let second = location(server(other.folder))
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
        let made = await #expect(throws: StateError.self) {
            try await location(server(careless.folder)).initialize(created: Date())
        }
        #expect("\(try #require(made))".contains("'\(setting)' is off there"))
        // Nothing was made that would be in the way once the server is mended.
        try await careless.restart(with: "\(setting) = on")
        try await location(server(careless.folder)).initialize(created: Date())
        try await careless.restart(with: "\(setting) = off")
        let opened = await #expect(throws: StateError.self) {
            try await location(server(careless.folder)).open(for: .inspecting)
        }
        #expect("\(try #require(opened))".contains("'\(setting)' is off there"))
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
            #expect(try await store.snapshot().occurrences[.tide]?.halt == nil)
        }
    }

    @Test func `a standby is read-only, and a run that meets it waits for the primary`() async throws {
        let primary = try await PostgresCluster()
        let standby = try await PostgresCluster(following: primary)
        var reading = PostgresServer(
            name: "test", schema: "herald",
            parameters: ["host": standby.folder, "dbname": "postgres", "user": "herald"])
        reading.times.patience = .zero
        // No address says that it must be the primary.
        let location = location(
            PostgresServer(
                name: "test", schema: "herald",
                parameters: [
                    "host": "\(primary.folder),\(standby.folder)", "dbname": "postgres", "user": "herald",
                ]))
        try await location.initialize(created: Date())
        try await location.lock(for: "run").hold {
            let store = try await location.open(for: .changing)
            try await store.commit([.open(.tide, .sample()), .outcome(.tide, [1], .intended)])
            try await primary.await(standby)
            try await primary.stop()
            async let written: Void = store.commit([.outcome(.tide, [1], .accepted)])
            let refused = await #expect(throws: StateError.self) {
                try await self.location(reading).open(for: .changing).commit([.pause("tide")])
            }
            #expect(refused?.description == "the state test cannot be used: the server is read-only")
            #expect(refused?.help == "connect to the server that takes writes")
            await #expect(throws: StateError.self) { try await self.location(reading).requireChanging() }
            #expect(try await self.location(reading).open(for: .reading).snapshot().occurrences[.tide]?.halt == nil)
            try await primary.start()
            try await written
            #expect(try await store.snapshot().occurrences[.tide]?.accepted == [1])
        }
    }
}
