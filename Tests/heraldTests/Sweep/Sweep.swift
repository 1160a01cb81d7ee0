import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// A run with a fault at one call on the files of its state, and later runs until nothing is left to do.
struct Sweep {
    let drawn: SweepWorkspace
    let fault: StateFault?
    /// The call at which the fault happens, from 1.
    var call = 0
    /// Whether the emulator is killed at that call, and started again with the data it kept.
    var killsEmulator = false
    /// Its number among those drawn for the workspace; 0 if it was not drawn.
    var number = 0

    /// How often later runs may repeat a send because the workspace asks for that: by campaign and recipient.
    private typealias Repeats = [String: [String: Int]]

    /// The most runs until nothing is left to do.
    private static let patience = 5

    /// What broke a promise; empty if nothing did.
    func problems() async throws -> [String] {
        try await inSandbox { try await problems(in: $0) }
    }

    /// The calls on the files of its state that a run without a fault makes.
    func calls() async throws -> [RecordCall] {
        try await inSandbox { sandbox in
            let (_, host) = try await sandbox.startEmulator()
            try await begin(in: sandbox, host)
            let trace = "\(sandbox.folder.path)/trace"
            _ = try await run(in: sandbox, host, StateFault.environment(state: sandbox.statePath, trace: trace))
            return RecordCall.all(in: try sandbox.folder.read("trace"))
        }
    }

    /// Ends the sandbox's emulators in any case.
    private func inSandbox<Value>(_ body: (Sandbox) async throws -> Value) async throws -> Value {
        let sandbox = try Sandbox((drawn.hasHistory ? drawn.before : drawn).files)
        let result: Result<Value, any Error>
        do { result = .success(try await body(sandbox)) } catch { result = .failure(error) }
        await sandbox.end()
        return try result.get()
    }

    private func problems(in sandbox: Sandbox) async throws -> [String] {
        let emulator = try await startEmulator(in: sandbox)
        var host = emulator.host
        try await begin(in: sandbox, host)
        let revival = killsEmulator ? Task { try await revive(emulator, in: sandbox) } : nil
        let fault = killsEmulator ? .kill(emulator.process.pid) : fault
        let result = try await run(in: sandbox, host, StateFault.environment(fault, at: call, state: sandbox.statePath))
        var problems = try await ending(of: result, fault, in: sandbox)
        if let revival {
            // The run may have made fewer calls than the one that was counted.
            emulator.process.signal(SIGKILL)
            try await revival.value
            if !isRevived { host = try await startEmulator(in: sandbox).host }
        }
        try await Control(host).put(faults: [])
        var repeats: Repeats = [:]
        var wasKilled = result.wasKilled
        // A crash can follow any fault.
        if call % 4 == 0 {
            try await noteRepeats(in: sandbox, &repeats)
            let again = try await run(
                in: sandbox, host, StateFault.environment(.killBefore, at: call / 2 + 1, state: sandbox.statePath))
            wasKilled = wasKilled || again.wasKilled
        }
        problems += try await complete(in: sandbox, host, &repeats)
        let witness = try await Witness(sandbox, host)
        problems += try await witness.problems(with: drawn, repeats: repeats, isAccountWhole: !wasKilled)
        if let personal = drawn.personal {
            problems += witness.problems(of: personal, final: personal.list(listVersion))
        }
        return problems
    }

    /// Everything up to the run with the fault.
    private func begin(in sandbox: Sandbox, _ host: String) async throws {
        if drawn.hasHistory {
            let first = try await sandbox.herald("apply --auto-approve", host: host)
            try #require(first.status == 0, "the run before it: \(first.errors)")
            for (name, text) in drawn.files { try sandbox.folder.write(text, to: name) }
        }
        try await Control(host).put(faults: drawn.script.json)
    }

    private func run(
        in sandbox: Sandbox, _ host: String, _ environment: [String: String]
    ) async throws -> ChildProcess.Result {
        let command = drawn.hasHistory && call % 2 == 0 ? ["run"] : ["apply", "--auto-approve"]
        return try await HeraldProcess.run(
            ["-w", sandbox.workspace] + command,
            environment: sandbox.environment(host).merging(environment) { _, new in new })
    }

    private func startEmulator(
        in sandbox: Sandbox, port: Int = 0
    ) async throws -> (process: ChildProcess, host: String) {
        guard killsEmulator else { return try await sandbox.startEmulator() }
        return try await sandbox.startEmulator("--data", "\(sandbox.folder.path)/emulator.data", "--port", "\(port)")
    }

    /// Whether a killed emulator starts again during the run. Otherwise the run cannot reach it.
    private var isRevived: Bool { drawn.script != .none }

    private func revive(_ emulator: (process: ChildProcess, host: String), in sandbox: Sandbox) async throws {
        _ = await emulator.process.wait()
        if isRevived { _ = try await startEmulator(in: sandbox, port: Sandbox.port(of: emulator.host)) }
    }

    // MARK: The run with the fault

    private func ending(
        of result: ChildProcess.Result, _ fault: StateFault?, in sandbox: Sandbox
    ) async throws -> [String] {
        var problems: [String] = []
        let text = "exit \(result.status)\(result.wasKilled ? " by signal" : ""): \(result.errors)"
        let uncertain = try await uncertain(in: sandbox).values.joined().count
        switch fault {
        case .killBefore, .killWithin, .killAfter:
            if !drawn.script.isLossy, uncertain > Sandbox.inFlight {
                problems.append("\(uncertain) unknown after a crash")
            }
            // If it makes fewer calls this time, it runs to its end.
            if result.wasKilled ? result.status != SIGKILL : ![0, 4, 6].contains(result.status) {
                problems.append(text)
            }
        case .signal(let number):
            // A signal before herald listens, or after everything else has ended, ends it as it ends any program.
            let isInterrupted = !result.wasKilled && result.status == 128 + number
            if isInterrupted, !drawn.script.isLossy, uncertain > 0 {
                problems.append("\(uncertain) unknown after a drain")
            }
            if result.wasKilled ? result.status != number : !isInterrupted && ![0, 4, 6].contains(result.status) {
                problems.append(text)
            }
        case .full, .fullOnce, .fullTorn, .broken, .brokenOnce:
            if result.wasKilled || ![0, 1, 4, 6].contains(result.status) { problems.append(text) }
            // A fault that lasts is still there when the run ends. With a script, the run may also fail for other
            // reasons.
            let lasts = ![.fullOnce, .brokenOnce].contains(fault) && drawn.script == .none
            if lasts, [1, 4].contains(result.status), !result.errors.contains(sandbox.statePath) {
                problems.append("nothing names the state: \(result.errors)")
            }
        case .clock, .kill, nil:
            if result.wasKilled || ![0, 4, 6].contains(result.status) { problems.append(text) }
            if case .kill = fault, uncertain > Sandbox.inFlight { problems.append("\(uncertain) unknown at once") }
        }
        return problems
    }

    /// Recipients with an unknown outcome, by campaign.
    private func uncertain(in sandbox: Sandbox) async throws -> [String: [String]] {
        guard FileManager.default.fileExists(atPath: sandbox.statePath) else { return [:] }
        let store = try SQLiteStore.open(at: sandbox.statePath)
        var names: [String: [String]] = [:]
        for occurrence in try await store.wholeState().occurrences.values {
            names[occurrence.campaign, default: []] += try await Witness.names(of: occurrence.uncertain, in: store)
        }
        return names
    }

    // MARK: Later runs

    /// Notes, before a run, which recipients it must send to again.
    private func noteRepeats(in sandbox: Sandbox, _ repeats: inout Repeats) async throws {
        let resending = Set(drawn.sendings.filter(\.resends).map(\.name))
        for (campaign, names) in try await uncertain(in: sandbox) where resending.contains(campaign) {
            for name in names { repeats[campaign, default: [:]][name, default: 0] += 1 }
        }
    }

    /// The list of the personal campaign's audience that the later runs find.
    private var listVersion: Int { call % 3 }

    private func changeList(in sandbox: Sandbox) throws {
        guard let personal = drawn.personal else { return }
        try sandbox.folder.write(personal.list(listVersion), to: "workspace/members.csv")
    }

    private func complete(in sandbox: Sandbox, _ host: String, _ repeats: inout Repeats) async throws -> [String] {
        if case .signal(SIGINT) = fault { _ = try await sandbox.herald("resume", host: host) }
        // A pause also holds what a crash left of a campaign.
        if call % 5 == 0, FileManager.default.fileExists(atPath: sandbox.statePath) {
            try await noteRepeats(in: sandbox, &repeats)
            for command in ["pause each", "apply --auto-approve", "resume"] {
                _ = try await sandbox.herald(command, host: host)
            }
        }
        if drawn.personal != nil, listVersion > 0 { try changeList(in: sandbox) }
        for _ in 0..<Self.patience {
            try await noteRepeats(in: sandbox, &repeats)
            let result = try await sandbox.herald("apply --auto-approve", host: host)
            guard !result.wasKilled, [0, 4, 6].contains(result.status) else {
                return ["a run after it ended with \(result.status): \(result.errors)"]
            }
            if try await sandbox.herald("plan --detailed-exitcode", host: host).status == 0 { return [] }
        }
        let plan = try await sandbox.herald("plan --detailed-exitcode", host: host)
        return ["after \(Self.patience) runs there is still something to do: \(plan.output)\(plan.errors)"]
    }
}

extension Sweep: CustomStringConvertible {
    var description: String {
        let fault = killsEmulator ? "the emulator killed" : fault.map { "\($0)" } ?? "nothing"
        let replay = number > 0 ? "; again: \(Torture.replay(drawn.seed, case: number, call: call))" : ""
        return "workspace \(drawn.seed), emulator: \(drawn.script), at call \(call): \(fault)\(replay)"
    }
}
