import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// A run that meets a fault at one call on the files of its state, and runs after it until nothing is left to do.
struct Sweep {
    let drawn: SweepWorld
    let fault: StateFault?
    /// The call that the fault meets, from 1.
    var call = 0
    /// Whether the emulator is killed at that call, and started again with what it had kept.
    var killsEmulator = false
    /// Among those that are drawn for the world; 0 for none of them.
    var number = 0

    /// What a later run may repeat, because somebody wants it so: by campaign and recipient, how often.
    private typealias Repeats = [String: [String: Int]]

    /// Runs that may be needed until nothing is left to do.
    private static let patience = 5

    /// What went otherwise than promised; empty when nothing did.
    func problems() async throws -> [String] {
        try await inWorld { try await problems(in: $0) }
    }

    /// The calls on the files of its state that a run makes that no fault meets.
    func calls() async throws -> [RecordCall] {
        try await inWorld { world in
            let (_, host) = try await world.startEmulator()
            try await begin(in: world, host)
            let trace = "\(world.folder.path)/trace"
            _ = try await run(in: world, host, StateFault.environment(state: world.statePath, trace: trace))
            return RecordCall.all(in: try world.folder.read("trace"))
        }
    }

    /// Ends the world's emulators whatever happens in it.
    private func inWorld<Value>(_ body: (World) async throws -> Value) async throws -> Value {
        let world = try World((drawn.hasHistory ? drawn.before : drawn).files)
        let result: Result<Value, any Error>
        do { result = .success(try await body(world)) } catch { result = .failure(error) }
        await world.end()
        return try result.get()
    }

    private func problems(in world: World) async throws -> [String] {
        let emulator = try await startEmulator(in: world)
        var host = emulator.host
        try await begin(in: world, host)
        let revival = killsEmulator ? Task { try await revive(emulator, in: world) } : nil
        let fault = killsEmulator ? .kill(emulator.process.pid) : fault
        let result = try await run(in: world, host, StateFault.environment(fault, at: call, state: world.statePath))
        var problems = try await ending(of: result, fault, in: world)
        if let revival {
            // Where the run made fewer calls than the one that was counted.
            emulator.process.signal(SIGKILL)
            try await revival.value
            if !isRevived { host = try await startEmulator(in: world).host }
        }
        try await Control(host).put(faults: [])
        var repeats: Repeats = [:]
        var wasKilled = result.wasKilled
        // A crash may follow upon anything.
        if call % 4 == 0 {
            try await noteRepeats(in: world, &repeats)
            let again = try await run(
                in: world, host, StateFault.environment(.killBefore, at: call / 2 + 1, state: world.statePath))
            wasKilled = wasKilled || again.wasKilled
        }
        problems += try await complete(in: world, host, &repeats)
        let witness = try await Witness(world, host)
        problems += try await witness.problems(
            with: drawn, repeats: repeats, isAccountWhole: !wasKilled)
        return problems
    }

    /// Up to the run that meets the fault.
    private func begin(in world: World, _ host: String) async throws {
        if drawn.hasHistory {
            let first = try await world.herald("apply --auto-approve", host: host)
            try #require(first.status == 0, "the run before it: \(first.errors)")
            for (name, text) in drawn.files { try world.folder.write(text, to: name) }
        }
        try await Control(host).put(faults: drawn.script.json)
    }

    private func run(
        in world: World, _ host: String, _ environment: [String: String]
    ) async throws -> ChildProcess.Result {
        let command = drawn.hasHistory && call % 2 == 0 ? ["run"] : ["apply", "--auto-approve"]
        return try await HeraldProcess.run(
            ["-w", world.workspace] + command,
            environment: world.environment(host).merging(environment) { _, new in new })
    }

    private func startEmulator(
        in world: World, port: Int = 0
    ) async throws -> (process: ChildProcess, host: String) {
        guard killsEmulator else { return try await world.startEmulator() }
        return try await world.startEmulator("--data", "\(world.folder.path)/emulator.data", "--port", "\(port)")
    }

    /// Whether a killed emulator is there again while the run goes on; else the run finds nobody.
    private var isRevived: Bool { drawn.script != .none }

    private func revive(_ emulator: (process: ChildProcess, host: String), in world: World) async throws {
        _ = await emulator.process.wait()
        if isRevived { _ = try await startEmulator(in: world, port: World.port(of: emulator.host)) }
    }

    // MARK: The run that meets the fault

    private func ending(
        of result: ChildProcess.Result, _ fault: StateFault?, in world: World
    ) async throws -> [String] {
        var problems: [String] = []
        let text = "exit \(result.status)\(result.wasKilled ? " by signal" : ""): \(result.errors)"
        let uncertain = try await uncertain(in: world).values.joined().count
        switch fault {
        case .killBefore, .killWithin, .killAfter:
            if !drawn.script.isLossy, uncertain > World.inFlight {
                problems.append("\(uncertain) unknown after a crash")
            }
            // Where it makes fewer calls this time, it comes to its end.
            if result.wasKilled ? result.status != SIGKILL : ![0, 4, 6].contains(result.status) {
                problems.append(text)
            }
        case .signal(let number):
            // Before it listens, or after it has ended all else, it ends as programs do.
            let isInterrupted = !result.wasKilled && result.status == 128 + number
            if isInterrupted, !drawn.script.isLossy, uncertain > 0 {
                problems.append("\(uncertain) unknown after a drain")
            }
            if result.wasKilled ? result.status != number : !isInterrupted && ![0, 4, 6].contains(result.status) {
                problems.append(text)
            }
        case .full, .fullOnce, .fullTorn, .broken, .brokenOnce:
            if result.wasKilled || ![0, 1, 4, 6].contains(result.status) { problems.append(text) }
            // What lasts is still so when the run ends. Of a run that fails for other reasons, that may be all it is.
            let lasts = ![.fullOnce, .brokenOnce].contains(fault) && drawn.script == .none
            if lasts, [1, 4].contains(result.status), !result.errors.contains(world.statePath) {
                problems.append("nothing names the state: \(result.errors)")
            }
        case .clock, .kill, nil:
            if result.wasKilled || ![0, 4, 6].contains(result.status) { problems.append(text) }
            if case .kill = fault, uncertain > World.inFlight { problems.append("\(uncertain) unknown at once") }
        }
        return problems
    }

    /// By campaign, whom nobody knows whether they got it.
    private func uncertain(in world: World) async throws -> [String: [String]] {
        guard FileManager.default.fileExists(atPath: world.statePath) else { return [:] }
        let store = try SQLiteStore.open(at: world.statePath)
        var names: [String: [String]] = [:]
        for occurrence in try await store.wholeState().occurrences.values {
            names[occurrence.campaign, default: []] += try await Witness.names(of: occurrence.uncertain, in: store)
        }
        return names
    }

    // MARK: The runs after it

    /// Before a run: whom it is to send to again.
    private func noteRepeats(in world: World, _ repeats: inout Repeats) async throws {
        let resending = Set(drawn.sendings.filter(\.resends).map(\.name))
        for (campaign, names) in try await uncertain(in: world) where resending.contains(campaign) {
            for name in names { repeats[campaign, default: [:]][name, default: 0] += 1 }
        }
    }

    private func complete(in world: World, _ host: String, _ repeats: inout Repeats) async throws -> [String] {
        if case .signal(SIGINT) = fault { _ = try await world.herald("resume", host: host) }
        // A pause holds what a crash left of a campaign as well.
        if call % 5 == 0, FileManager.default.fileExists(atPath: world.statePath) {
            try await noteRepeats(in: world, &repeats)
            for command in ["pause each", "apply --auto-approve", "resume"] {
                _ = try await world.herald(command, host: host)
            }
        }
        for _ in 0..<Self.patience {
            try await noteRepeats(in: world, &repeats)
            let result = try await world.herald("apply --auto-approve", host: host)
            guard !result.wasKilled, [0, 4, 6].contains(result.status) else {
                return ["a run after it ended with \(result.status): \(result.errors)"]
            }
            if try await world.herald("plan --detailed-exitcode", host: host).status == 0 { return [] }
        }
        let plan = try await world.herald("plan --detailed-exitcode", host: host)
        return ["after \(Self.patience) runs there is still something to do: \(plan.output)\(plan.errors)"]
    }
}

extension Sweep: CustomStringConvertible {
    var description: String {
        let fault = killsEmulator ? "the emulator killed" : fault.map { "\($0)" } ?? "nothing"
        let replay = number > 0 ? "; again: \(Torture.replay(drawn.seed, case: number, call: call))" : ""
        return "world \(drawn.seed), emulator: \(drawn.script), at call \(call): \(fault)\(replay)"
    }
}
