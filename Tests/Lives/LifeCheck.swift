import HeraldTestSupport

@testable import HeraldCore

/// A life that broke a promise, with as few happenings as still break it.
struct LifeFinding: Sendable {
    var seed: UInt64
    var promise: String
    var words: String
    var acts: [LifeAct]
    var story: [String]

    /// The promise, and what it takes to break it.
    var kind: String {
        let calm: Set<LifeAct> = [.run, .runOnTime, .apply, .overriddenApply, .wait, .downtime]
        return "\(promise): \(Set(acts).subtracting(calm).map(\.rawValue).sorted().joined(separator: " "))"
    }

    var text: String {
        "seed \(seed): \(promise): \(words)\n" + story.map { "    \($0)" }.joined(separator: "\n")
    }
}

extension Life {
    /// How many happenings there are in a life.
    private static func length(of seed: UInt64) -> Int {
        var random = SeededRandom(seed: seed ^ 0xABCD)
        return .random(in: 5...30, using: &random)
    }

    /// Lives one life, and looks for the shortest form of what it finds. `nil` if it keeps every promise.
    static func check(
        _ seed: UInt64, without acts: Set<LifeAct> = [], sparing mishaps: Set<LifeMishap> = [], isShrunk: Bool = true,
        isTraced: Bool = false
    ) -> LifeFinding? {
        let setUp = { (life: Life) in
            life.spared = mishaps
            life.isTraced = isTraced
        }
        var places = Array(0..<length(of: seed))
        guard var finding = live(seed, places, without: acts, setUp) else { return nil }
        guard isShrunk else { return finding }
        var place = places.count - 1
        while place >= 0 {
            var fewer = places
            fewer.remove(at: place)
            if let shorter = live(seed, fewer, without: acts, setUp), shorter.promise == finding.promise {
                (places, finding) = (fewer, shorter)
            }
            place = min(place - 1, places.count - 1)
        }
        return finding
    }

    /// All that happens in a life, in words.
    static func story(of seed: UInt64) -> [String] {
        var life: Life?
        _ = live(seed, Array(0..<length(of: seed)), without: []) { life = $0 }
        return life?.story ?? []
    }

    /// Lives one life whose state is in PostgreSQL, on a server that fails over. `nil` if it keeps every promise.
    static func checkShared(_ seed: UInt64) async throws -> LifeFinding? {
        let server = try await LifeServer()
        let finding = live(seed, Array(0..<length(of: seed)), without: [], on: server)
        try await server.end()
        return finding
    }

    /// - Parameter places: which of its happenings happen. Each has its own chance, so the others stay as they are.
    private static func live(
        _ seed: UInt64, _ places: [Int], without left: Set<LifeAct>, on server: LifeServer? = nil,
        _ setUp: (Life) -> Void = { _ in }
    ) -> LifeFinding? {
        guard let life = try? Life(seed: seed, server: server) else {
            return LifeFinding(seed: seed, promise: "finds a folder", words: "", acts: [], story: [])
        }
        setUp(life)
        let drawn = (server == nil ? LifeAct.drawn : LifeAct.drawnOnServers).filter { !left.contains($0) }
        let acts = places.map { place -> (LifeAct, SeededRandom) in
            var random = SeededRandom(seed: seed &* 1_000_003 &+ UInt64(place))
            return (drawn.randomElement(using: &random) ?? .run, random)
        }
        let box = Unchecked(life)
        let problem = life.time.run { await box.value.live(acts) }
        // They lead back to the life, which would never end and never remove its folder.
        (life.looked, life.places, life.plannedFiles) = (nil, [:], nil)
        life.pool?.empty()
        switch problem {
        case .none: return finding(LifeProblem(promise: "comes to an end", words: "the run waits for ever"))
        case .some(.none): return nil
        case .some(.some(let problem)): return finding(problem)
        }
        func finding(_ problem: LifeProblem) -> LifeFinding {
            LifeFinding(
                seed: seed, promise: problem.promise, words: problem.words, acts: acts.map(\.0), story: life.story)
        }
    }

    /// The life belongs to one thread (`SimulatedTime`).
    struct Unchecked: @unchecked Sendable {
        let value: Life
        init(_ value: Life) { self.value = value }
    }

    private func live(_ acts: [(LifeAct, SeededRandom)]) async -> LifeProblem? {
        do {
            try await succeed(["state", "init"])
            try await call(.apply(overrides: true))
            for (act, random) in acts {
                var random = random
                try await self.act(act, &random)
            }
            try await rest()
            return nil
        } catch let problem as LifeProblem {
            return problem
        } catch {
            return LifeProblem(promise: "does not fail", words: "\(error)")
        }
    }

    /// Nothing happens any more: after some calls, everything is as the files say.
    private func rest() async throws {
        try await succeed(["resume"])
        notePause(.resume, of: nil)
        if approved != nil { try await approve() }
        tell("nothing happens any more, and nothing is paused")
        for _ in 0..<4 {
            time.advance(by: .seconds(300))
            try await call(.apply(overrides: true))
        }
        if !isForgiven, !files.areWrong {
            try checkMemberships()
            try checkRestored()
        }
        try await restInStages()
    }
}
