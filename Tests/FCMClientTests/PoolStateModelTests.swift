import HeraldTestSupport
import NIOCore
import Testing

@testable import FCMClient

/// Random histories of connections, checked against the rules that a pool must always keep.
struct PoolStateModelTests {
    private struct Model {
        var pool: PoolState
        var opening: Set<ConnectionID> = []
        /// How many exchanges each open connection carries.
        var carried: [ConnectionID: Int] = [:]
        var limits: [ConnectionID: Int] = [:]
        var retired: Set<ConnectionID> = []
        var waiting: [AttemptID] = []
        var lastAttempt = 0

        var open: [ConnectionID] { carried.keys.sorted { $0.rawValue < $1.rawValue } }

        mutating func take(_ effects: [PoolState.Effect]) {
            for effect in effects {
                switch effect {
                case .open(let id):
                    #expect(opening.insert(id).inserted)
                    #expect(opening.count + carried.keys.count { !retired.contains($0) } <= pool.maximumConnections)
                case .start(let attempt, let id):
                    #expect(waiting.first == attempt, "first come, first served")
                    waiting.removeAll { $0 == attempt }
                    #expect(!retired.contains(id))
                    carried[id, default: .max] += 1
                    #expect((carried[id] ?? .max) <= min(limits[id] ?? 0, pool.exchangesPerConnection))
                case .close(let id):
                    #expect(carried[id] == 0)
                    retired.insert(id)
                case .fail(let attempt, _):
                    #expect(waiting.contains(attempt))
                    waiting.removeAll { $0 == attempt }
                }
            }
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `serves the line in its order, within every limit, and to its end`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pool = PoolState(
            maximumConnections: .random(in: 1...4, using: &random),
            exchangesPerConnection: .random(in: 1...5, using: &random), idleLimit: .seconds(5))
        var model = Model(pool: pool)
        var now = NIODeadline.uptimeNanoseconds(1)
        for _ in 1...300 {
            now = now + .milliseconds(.random(in: 0...3000, using: &random))
            step(&model, at: now, using: &random)
            checkReadiness(model, at: now)
        }
        // At the end every connection opens and every exchange finishes.
        for _ in 1...10_000 where !model.waiting.isEmpty || model.carried.values.contains(where: { $0 > 0 }) {
            if let id = model.opening.first { opened(&model, id, limit: 5, at: now) }
            for id in model.open { limit(&model, id, to: 5, at: now) }
            for id in model.open { finish(&model, id, model.carried[id] ?? 0, at: now) }
        }
        #expect(model.waiting == [], "seed \(seed)")
    }

    /// Whoever waits until the pool is ready does not wait for a connection after that.
    private func checkReadiness(_ model: Model, at now: NIODeadline) {
        var pool = model.pool
        if let end = pool.readyUntil, now <= end {
            #expect(model.open.contains { !model.retired.contains($0) })
            #expect(pool.warm(at: now) == [])
        } else {
            let opens = pool.warm(at: now).contains { if case .open = $0 { true } else { false } }
            #expect(opens == model.opening.isEmpty)
            pool = model.pool
            let starts = pool.ask([AttemptID(rawValue: .max)], at: now).contains {
                if case .start = $0 { true } else { false }
            }
            #expect(!starts, "it was ready")
        }
    }

    private func step(_ model: inout Model, at now: NIODeadline, using random: inout SeededRandom) {
        let id = model.open.randomElement(using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<30:
            let asked = (1...Int.random(in: 1...4, using: &random)).map { AttemptID(rawValue: model.lastAttempt + $0) }
            model.lastAttempt += asked.count
            model.waiting += asked
            model.take(model.pool.ask(asked, at: now))
        case ..<50:
            guard let id = model.opening.sorted(by: { $0.rawValue < $1.rawValue }).randomElement(using: &random)
            else { return }
            if Int.random(in: 0..<3, using: &random) > 0 {
                opened(&model, id, limit: .random(in: 0...9, using: &random), at: now)
            } else {
                model.opening.remove(id)
                model.take(model.pool.failed(id, .unreachable, at: now))
            }
        case ..<80:
            if let id { finish(&model, id, .random(in: 0...(model.carried[id] ?? 0), using: &random), at: now) }
        case ..<85:
            if let id { limit(&model, id, to: .random(in: 0...9, using: &random), at: now) }
        case ..<90:
            if let id {
                model.retired.insert(id)
                model.take(model.pool.retire(id, at: now))
            }
        case ..<95:
            if let id { gone(&model, id, at: now) }
        default:
            guard let attempt = model.waiting.randomElement(using: &random) else { return }
            model.waiting.removeAll { $0 == attempt }
            model.pool.withdraw(attempt)
        }
    }

    private func opened(_ model: inout Model, _ id: ConnectionID, limit: Int, at now: NIODeadline) {
        model.opening.remove(id)
        model.carried[id] = 0
        model.limits[id] = limit
        model.take(model.pool.opened(id, serverLimit: limit, at: now))
    }

    private func finish(_ model: inout Model, _ id: ConnectionID, _ count: Int, at now: NIODeadline) {
        guard count > 0 else { return }
        model.carried[id, default: 0] -= count
        model.take(model.pool.finished(count, on: id, at: now))
    }

    private func limit(_ model: inout Model, _ id: ConnectionID, to limit: Int, at now: NIODeadline) {
        model.limits[id] = limit
        model.take(model.pool.limit(id, to: limit, at: now))
    }

    private func gone(_ model: inout Model, _ id: ConnectionID, at now: NIODeadline) {
        model.carried[id] = nil
        model.retired.remove(id)
        model.take(model.pool.gone(id, at: now))
    }
}
