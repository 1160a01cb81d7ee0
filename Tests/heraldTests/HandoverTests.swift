import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCommands

@Suite struct HandoverTests {
    @Test(arguments: [(0, 1000), (0.02, 256), (0.5, 16), (0.9, 8)] as [(Double, Int)])
    func `a slow database is told of fewer at once, and so of all`(_ seconds: Double, _ rows: Int) {
        var size = Handover.Size()
        for _ in 1...20 {
            let elapsed = seconds * Double(size.rows)
            #expect(elapsed < 30, "a statement is not given longer")
            size.note(.seconds(elapsed))
        }
        #expect(size.rows == rows)
    }

    /// - Parameters:
    ///   - seconds: how long each statement takes.
    ///   - taken: which rows the database takes. Others come again in halves, which takes more statements.
    ///   - sizes: how many it took, statement by statement.
    @Test(
        .enabled(if: PostgresTestServer.isInstalled),
        arguments: [
            (1, 200, "number > 1", [16, 8, 4, 2, 1, 64, 104]), (6, 100, "number > 1", [16, 8, 4, 2, 1, 32, 32, 4]),
            (12, 60, "true", [32, 16, 8, 4]),
        ] as [(Int, Int, String, [Int])])
    func `the slowest statement says how many come next, and refused rows do not`(
        seconds: Int, dead: Int, taken: String, sizes: [Int]
    ) async throws {
        let (name, address) = try await PostgresTestServer.newDatabase()
        try await PostgresTestServer.ask(
            """
            CREATE TABLE batch (place bigint GENERATED ALWAYS AS IDENTITY, size bigint);
            CREATE TABLE gone (number bigint CHECK (\(taken)));
            CREATE ROLE told_\(name) LOGIN; GRANT INSERT ON batch, gone TO told_\(name);
            """, at: address)
        let statement = """
            WITH noted AS (INSERT INTO batch (size) SELECT cardinality($2))
            INSERT INTO gone SELECT number FROM unnest($2, $3, $4) AS dead (number, registration, at) WHERE $1 = 'run'
            """
        let people = Dictionary(uniqueKeysWithValues: (1...dead).map { (RecipientID($0), Registration.fid($0)) })
        let identity = RecordedState.Identity(lineage: "l", project: "p", endpoint: .emulator, created: Date())
        let store = MemoryStore(
            RecordedState(identity: identity), registrations: people, fingerprintKey: Array(0..<32))
        try store.commit([.forget(RecipientSet(1...RecipientID(dead)), at: Date()), .numberDeaths(run: "run")])
        let elapsed = Mutex(Duration.zero)
        let begin = ContinuousClock.now
        var handover = Handover(to: statement, from: store) {
            let passed = elapsed.withLock { elapsed -> Duration in
                elapsed += .seconds(seconds)
                return elapsed
            }
            return begin + passed
        }
        let role = try PostgresAddress(
            ofList: address.replacing("herald@", with: "told_\(name)@"), isFromFile: false, variables: [:], ca: nil)
        let told = try PostgresTelling(role, isStopped: { false })
        try await handover.tellAll { told }
        let noted = try await PostgresTestServer.ask("SELECT size FROM batch ORDER BY place", at: address)
        #expect(noted.split(separator: "\n").compactMap { Int($0) } == sizes)
        #expect(handover.refused == dead - sizes.reduce(0, +))
    }

    /// Deaths are told of under the run and a number, perhaps by several workspaces to one table.
    @Test func `runs that begin in one second have names of their own`() {
        let name = RunRequest(.workspace(PlanScope()), now: { Date(timeIntervalSince1970: 1_800_000_000) }).id
        #expect(name.wholeMatch(of: #/20270115T080000Z-[0-9a-f]{8}/#) != nil, "\(name)")
    }
}
