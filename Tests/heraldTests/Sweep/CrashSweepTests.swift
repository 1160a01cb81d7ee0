import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Promises 1 and 2 (docs/explanation/promises.md#promises), for every call on the state's files at which a run can
/// end. Later runs go on until nothing is left to do. Then what the emulator accepted is compared with the state and
/// all reports.
@Suite(
    .serialized,
    .enabled(if: StateFault.isAvailable, "a library before the system's is how calls are met, and is for Linux only"))
struct CrashSweepTests {
    /// One workspace, which is tested with every commit point.
    private static let plain = SweepWorkspace(seed: 20_261_121, isPlain: true)

    @Test func `at every boundary of the state, whatever is sent is sent once and accounted for`() async throws {
        let calls = try await Sweep(drawn: Self.plain, fault: nil).calls()
        // What is written after a commit point belongs to the next commit. Calls count from 1.
        let beginnings = calls.indices.dropFirst().filter { calls[$0 - 1].isBoundary }.map { $0 + 1 }
        #expect(beginnings.count > 10)
        let others: [StateFault] = [
            .full, .signal(SIGTERM), .broken, .killAfter, .killWithin, .clock(seconds: 7200), .fullOnce,
            .signal(SIGINT),
            .brokenOnce, .clock(seconds: -7200), .fullTorn,
        ]
        // At that call, everything since the last commit point is over and none of it is written.
        var sweeps = beginnings.map { Sweep(drawn: Self.plain, fault: .killBefore, call: $0) }
        // Half as many points again, drawn between commit points.
        for number in 0..<beginnings.count / 2 {
            let call = 1 + number * calls.count / (beginnings.count / 2)
            sweeps.append(Sweep(drawn: Self.plain, fault: others[number % others.count], call: call))
        }
        sweeps.append(Sweep(drawn: Self.plain, fault: nil, call: calls.count / 2, killsEmulator: true))
        await fewAtATime(sweeps) { try await $0.problems() }
    }

    @Test func `a new state has its name once it is on the disk, and then the name is put there`() async throws {
        let calls = try await Sweep(drawn: Self.plain, fault: nil).calls().map(\.name)
        let link = try #require(calls.firstIndex(of: "link"))
        let writes = ["pwrite", "write", "ftruncate"]
        let sync = try #require(calls[..<link].lastIndex { ["fsync", "fdatasync"].contains($0) })
        #expect(!calls[sync..<link].contains { writes.contains($0) })
        #expect(calls[link...].dropFirst().first == "fsync")
    }

    @Test func `crashes while other things go wrong, too`() async throws {
        var sweeps: [Sweep] = []
        // Emulators that cut answers, know a dead registration, deliver what they refuse, or refuse topics or sends for
        // a while.
        for seed in [2, 4, 5, 7, 8] as [UInt64] {
            let workspace = SweepWorkspace(seed: seed)
            let calls = try await Sweep(drawn: workspace, fault: nil).calls().count
            sweeps += (1...2).map { Self.draw($0, in: workspace, calls: calls) }
        }
        await fewAtATime(sweeps) { try await $0.problems() }
    }

    @Test(.enabled(if: Torture.seconds != nil, "make torture")) func `torture by crashes`() async throws {
        var torture = Torture(share: 0.4)
        while let seed = torture.nextSeed() {
            let workspace = SweepWorkspace(seed: seed)
            print("workspace \(seed), emulator: \(workspace.script)")
            let calls = try await Sweep(drawn: workspace, fault: nil).calls().count
            let numbers = (1...Self.casesOfWorkspace).filter { Torture.onlyCase == nil || Torture.onlyCase == $0 }
            await fewAtATime(numbers.map { Self.draw($0, in: workspace, calls: calls) }) { try await $0.problems() }
        }
        #expect(torture.worlds > 0)
    }

    private static let casesOfWorkspace = 12

    private static func draw(_ number: Int, in workspace: SweepWorkspace, calls: Int) -> Sweep {
        var random = SeededRandom(seed: workspace.seed &* 1000 &+ UInt64(number))
        let drawn = Int.random(in: 1...calls, using: &random)
        let call = Torture.onlyCall ?? drawn
        let faults: [StateFault] = [
            .killBefore, .killAfter, .killWithin, .killBefore, .killAfter, .full, .fullOnce, .fullTorn, .broken,
            .brokenOnce, .signal(SIGTERM), .signal(SIGINT),
            .clock(seconds: .random(in: -10_000...10_000, using: &random)),
        ]
        let fault = Int.random(in: 0...faults.count, using: &random)
        let killsEmulator = fault == faults.count
        return Sweep(
            drawn: workspace, fault: killsEmulator ? nil : faults[fault], call: call, killsEmulator: killsEmulator,
            number: number)
    }
}
