import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// A run on a state in PostgreSQL, alone or with two that help, and something that goes wrong when one of them commits.
/// Later runs go on until nothing is left to do.
struct SharedSweep: CustomStringConvertible {
    enum Fault: Hashable {
        /// The process is killed before its commit arrives, or after.
        case killBefore, killAfter
        /// The process stands still until its lease is over and others have done the rest.
        case sleep
        /// What the process sends to the database arrives only then.
        case late
        case connection(PostgresProxy.Fault)
    }

    enum Role: String { case run, worker }

    let drawn: SweepWorkspace
    /// How many processes help.
    var workers = 0
    /// Whose commit it is.
    var role = Role.run
    let fault: Fault
    /// The number of the commit, from 1.
    let commit: Int
    /// Its number among those drawn for the workspace; 0 if it was not drawn.
    var number = 0

    /// What broke a promise; empty if nothing did. A process that is stopped between its look at the lease and the write
    /// still does this one write when it goes on. That moment is so short that it is hardly ever met twice.
    func problems() async throws -> [String] {
        let problems = try await problemsOfOneTry()
        return problems.contains { $0.hasSuffix(Self.late) } ? try await problemsOfOneTry() : problems
    }

    private static let late = "messages came after the lease was over"

    private func problemsOfOneTry() async throws -> [String] {
        let scene = try await SharedScene(drawn, workers: workers)
        let result: Result<[String], any Error>
        do { result = .success(try await problems(in: scene)) } catch { result = .failure(error) }
        await scene.end()
        return try result.get()
    }

    /// How many commits the run makes without a fault, and one that helps it.
    static func commits(_ drawn: SweepWorkspace, workers: Int) async throws -> [Role: Int] {
        let scene = try await SharedScene(drawn, workers: workers)
        let before = scene.workers.first?.proxy.commits ?? 0
        let ended = await (try scene.apply()).wait()
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        let counts = [
            Role.run: scene.proxy.commits, .worker: (scene.workers.first?.proxy.commits ?? before) - before,
        ]
        await scene.end()
        return counts
    }

    private func problems(in scene: SharedScene) async throws -> [String] {
        let victim = Later<ChildProcess>()
        let proxy = role == .run ? scene.proxy : scene.workers[0].proxy
        let reached = AsyncStream<Bool>.makeStream()
        arm(proxy, victim, reached.continuation)
        let run = try scene.apply()
        victim.value = role == .run ? run : scene.workers[0].process
        let ending = Task {
            let result = await run.wait()
            reached.continuation.yield(false)
            return result
        }
        var moments = reached.stream.makeAsyncIterator()
        // The run may make fewer commits this time.
        if await moments.next() == true {
            if let problem = try await trouble(scene, ending, victim.value, proxy) { return [problem] }
        }
        let ended = await ending.value
        var problems = check(ended)
        problems += try await scene.complete()
        if !problems.isEmpty { return problems }
        let witness = try await scene.witness()
        let uncertain = witness.state.occurrences.values.reduce(0) { $0 + $1.uncertain.count }
        let most = Sandbox.inFlight * (role == .run ? workers + 1 : 1)
        if uncertain > most { problems.append("\(uncertain) unknown, and at most \(most) were in flight") }
        problems += try await witness.problems(with: drawn, repeats: [:], isAccountWhole: isAccountWhole(ended))
        if let personal = drawn.personal { problems += witness.problems(of: personal, final: personal.list(0)) }
        let rows = try await PostgresTestServer.ask("SELECT count(*) FROM herald.job_row", at: scene.address)
        if rows != "0" { problems.append("values of \(rows) pieces are left in the state") }
        return problems
    }

    private func arm(_ proxy: PostgresProxy, _ victim: Later<ChildProcess>, _ reached: AsyncStream<Bool>.Continuation) {
        let moment = PostgresProxy.Moment.commit(proxy.commits + commit)
        if case .connection(let fault) = fault { return proxy.arm(fault, at: moment) }
        proxy.act(at: moment, before: fault != .killAfter) { [fault] in
            switch fault {
            case .killBefore, .killAfter: victim.value.signal(SIGKILL)
            case .sleep: victim.value.signal(SIGSTOP)
            case .late: proxy.hold()
            case .connection: break
            }
            reached.yield(true)
        }
    }

    /// Lets the others go on without the process that sleeps or is cut off, and then that one. Returns what was wrong.
    private func trouble(
        _ scene: SharedScene, _ run: Task<ChildProcess.Result, Never>, _ victim: ChildProcess, _ proxy: PostgresProxy
    ) async throws -> String? {
        guard fault == .sleep || fault == .late else { return nil }
        let next = role == .run ? try await scene.goOn() : await run.value
        let (accepted, arrivals) = (try await scene.accepted(), try await scene.arrivals())
        if fault == .sleep { try await wake(victim, proxy, scene) }
        proxy.letGo()
        if role == .run { _ = await run.value } else { try await scene.joined() }
        guard [0, 6].contains(next.status) else {
            return "the others ended with \(next.status): \(next.output)\(next.errors)"
        }
        let late = try await scene.arrivals() - arrivals
        if late > 0 { return "\(late) \(Self.late)" }
        let now = try await scene.accepted()
        let isKept = accepted.allSatisfy { $0.value.subtracting(now[$0.key] ?? []).isEmpty }
        return isKept ? nil : "some are not accepted any more"
    }

    /// A worker cannot even ask at once whether it was missed.
    private func wake(_ victim: ChildProcess, _ proxy: PostgresProxy, _ scene: SharedScene) async throws {
        if role == .worker { proxy.hold() }
        let pieces = proxy.pieces
        victim.signal(SIGCONT)
        guard role == .worker else { return }
        // It asks, gets no answer, and asks again.
        try await eventually { proxy.pieces >= pieces + 2 }
    }

    private func check(_ ended: ChildProcess.Result) -> [String] {
        let text = "exit \(ended.status)\(ended.wasKilled ? " by signal" : ""): \(ended.output)\(ended.errors)"
        if ended.wasKilled { return role == .run && isKill && ended.status == SIGKILL ? [] : [text] }
        var expected: [Int32] = [0, 4, 6]
        // Before it had the state, it cannot say more.
        if case .connection = fault { expected.append(1) }
        return expected.contains(ended.status) ? [] : [text]
    }

    private var isKill: Bool { fault == .killBefore || fault == .killAfter }

    /// A killed run's report lacks its last moments, and one that lost its lease lacks what it could not write.
    private func isAccountWhole(_ ended: ChildProcess.Result) -> Bool {
        if case .connection = fault { return true }
        return role == .worker && isKill
    }

    var description: String {
        let replay = number > 0 ? "; again: \(Torture.replay(drawn.seed, case: number, call: commit))" : ""
        return "workspace \(drawn.seed), \(workers) workers, commit \(commit) of a \(role): \(fault)\(replay)"
    }
}
