import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// Promises 1 and 2 (docs/explanation/promises.md#promises) on PostgreSQL, for one process and for three: something
/// goes wrong at a commit of one of them. Later runs go on until nothing is left to do. Then what the emulator accepted
/// is compared with the state and all reports.
@Suite(.serialized, .enabled(if: PostgresTestServer.isInstalled)) struct SharedSweepTests {
    private static let seed: UInt64 = 20_261_121
    private static let alone = SweepWorkspace(seed: seed, isPlain: true)
    /// Enough to be shared.
    private static let together = SweepWorkspace(seed: seed, isPlain: true, people: 600)

    @Test func `whatever fails at whichever commit of a run, whatever is sent is sent once and accounted for`()
        async throws
    {
        let commits = try #require(try await SharedSweep.commits(Self.alone, workers: 0)[.run])
        #expect(commits > 10, "a run that commits so seldom meets no faults")
        let faults: [SharedSweep.Fault] = [
            .killBefore, .late, .killAfter, .connection(.cutBefore), .killBefore, .sleep, .connection(.cutAfter),
            .killAfter, .connection(.cutPromptly), .killBefore, .connection(.delay), .connection(.cutInAnswer),
        ]
        let sweeps = faults.enumerated().map { place, fault in
            SharedSweep(drawn: Self.alone, fault: fault, commit: 1 + place * (commits - 1) / (faults.count - 1))
        }
        await fewAtATime(sweeps) { try await $0.problems() }
    }

    @Test func `and of a run that two others help, and of one that helps`() async throws {
        let commits = try await SharedSweep.commits(Self.together, workers: 2)
        let faults: [(SharedSweep.Role, [SharedSweep.Fault])] = [
            (.run, [.killBefore, .late, .killAfter, .sleep, .connection(.cutAfter), .late]),
            (.worker, [.late, .killAfter, .killBefore, .sleep, .late, .sleep, .connection(.cutPromptly)]),
        ]
        let sweeps = try faults.flatMap { role, faults in
            let count = try #require(commits[role])
            #expect(count > 5, "a \(role) commits \(count) times")
            // Not the first few, where nothing is shared yet. Who helps may get less to do another time.
            return faults.enumerated().map { place, fault in
                SharedSweep(
                    drawn: Self.together, workers: 2, role: role, fault: fault,
                    commit: role == .worker ? 4 + place : 1 + (place + 1) * (count - 1) / (faults.count + 1))
            }
        }
        await fewAtATime(sweeps) { try await $0.problems() }
    }

    @Test(.enabled(if: Torture.seconds != nil, "make torture")) func `torture by faults of a shared state`()
        async throws
    {
        var torture = Torture(share: 0.2)
        while let seed = torture.nextSeed() {
            let alone = SweepWorkspace(seed: seed, isPlain: true)
            let together = SweepWorkspace(seed: seed, isPlain: true, people: 600)
            print("workspace \(seed), shared")
            let counts = [
                try await SharedSweep.commits(alone, workers: 0), try await SharedSweep.commits(together, workers: 2),
            ]
            let numbers = (1...Self.casesOfWorkspace).filter { Torture.onlyCase == nil || Torture.onlyCase == $0 }
            await fewAtATime(numbers.map { Self.draw($0, alone, together, counts) }) { try await $0.problems() }
        }
        #expect(torture.worlds > 0)
    }

    private static let casesOfWorkspace = 12

    private static func draw(
        _ number: Int, _ alone: SweepWorkspace, _ together: SweepWorkspace, _ counts: [[SharedSweep.Role: Int]]
    ) -> SharedSweep {
        var random = SeededRandom(seed: alone.seed &* 1000 &+ UInt64(number))
        let faults: [SharedSweep.Fault] =
            [.killBefore, .killAfter, .sleep, .late]
            + [.cutBefore, .cutPromptly, .cutAfter, .cutInAnswer, .delay].map { .connection($0) }
        let fault = faults[Int.random(in: 0..<faults.count, using: &random)]
        // Two of three with workers.
        let role: SharedSweep.Role? = [nil, .run, .worker][number % 3]
        let count = counts[role == nil ? 0 : 1][role ?? .run] ?? 1
        let commit = Int.random(in: 1...max(1, count), using: &random)
        return SharedSweep(
            drawn: role == nil ? alone : together, workers: role == nil ? 0 : 2, role: role ?? .run, fault: fault,
            commit: Torture.onlyCall ?? commit, number: number)
    }
}
