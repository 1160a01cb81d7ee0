import FCM
import FCMClient
import HeraldTestSupport
import Synchronization

@testable import HeraldCommands
@testable import HeraldCore

/// What goes wrong between herald and somebody who is told.
enum LifeTellingMishap: CaseIterable {
    case refused, lostBefore, lostAfter, lateBefore, lateAfter, broken, brokenAfter, tooMany, wrong, tooLarge, unread,
        gone,
        moved

    /// Whether the receiver has got it all the same.
    var arrives: Bool { [.lostAfter, .lateAfter, .brokenAfter].contains(self) }

    /// Whether herald tries again.
    var isTriedAgain: Bool {
        switch self {
        case .refused, .lostBefore, .lostAfter, .lateBefore, .lateAfter, .broken, .brokenAfter, .tooMany: true
        case .wrong, .tooLarge, .unread, .gone, .moved: false
        }
    }

    var isLate: Bool { self == .lateBefore || self == .lateAfter }

    func exchange(within timeout: Duration, by time: SimulatedTime) async -> Exchange {
        if isLate { try? await time.sleep(for: timeout) }
        switch self {
        case .refused: return .notSent(reason: "connection refused")
        case .lostBefore, .lostAfter: return .lost(reason: "the connection was lost")
        case .lateBefore, .lateAfter: return .lost(reason: "no answer in time")
        case .broken, .brokenAfter: return .json(500, "")
        case .tooMany: return .json(429, "")
        case .wrong: return .json(400, "")
        case .tooLarge: return .json(413, "")
        case .unread: return .json(422, "")
        case .gone: return .json(404, "")
        case .moved: return .json(302, "")
        }
    }
}

/// The webhooks of a life: who is told there, and what goes wrong on the way.
final class LifeReceiver: Sendable {
    /// One that was sent.
    struct Letter: Sendable {
        var hook: Int
        var id: String
        var signature: String?
        var text: String
        var date: Date
        /// Whether anybody read it.
        var hasArrived: Bool
        /// Whether herald knows that it has arrived.
        var isAcknowledged: Bool
        /// Whether the state had it by then.
        var isNoted: Bool
    }

    struct Content: Sendable {
        var letters: [Letter] = []
        /// What did not arrive, as far as herald knows.
        var failing: Set<String> = []
        /// How often each letter was not taken, and how long each hook kept herald waiting with that.
        var tries: [String: Int] = [:]
        var waited: [Int: Duration] = [:]
        var random: SeededRandom
        /// Out of a hundred letters, so many meet with a mishap.
        var mishaps = 0
        /// What the state had to tell when the call began.
        var noted: String
    }

    static let secret = "s3cret-of-the-hook"
    static let host = "https://hooks.example"

    static func address(_ hook: Int) -> String { "/hook-\(hook)-address" }

    static let variables = [
        "HERALD_SOURCE_VARS": "HOOK_0,HOOK_1,HOOK_SECRET", "HOOK_SECRET": secret, "HOOK_0": "\(host)\(address(0))",
        "HOOK_1": "\(host)\(address(1))",
    ]

    private let content: Mutex<Content>

    init(_ random: SeededRandom, mishaps: Int, noted: String) {
        content = Mutex(Content(random: random, mishaps: mishaps, noted: noted))
    }

    var now: Content { content.withLock(\.self) }

    /// A webhook that keeps herald waiting for long is told the rest by the next run.
    func isFailing(_ hook: Int) -> Bool {
        now.failing.contains { $0.hasPrefix("\(hook) ") } || now.waited[hook] ?? .zero >= .seconds(20)
    }

    func carry(_ letter: Post.Letter, _ run: LifeRun, _ date: Date, by time: SimulatedTime) async -> Exchange {
        guard !run.isDead else { return .lost(reason: "the process is dead") }
        let hook = letter.path == Self.address(0) ? 0 : letter.path == Self.address(1) ? 1 : -1
        let id = letter.headers.first { $0.name == "x-herald-id" }?.value ?? ""
        let noted = [now.noted] + run.now.toldNotes
        let mishap = content.withLock { content -> LifeTellingMishap? in
            let hasMishap = Int.random(in: 0..<100, using: &content.random) < content.mishaps
            let mishap = hasMishap ? LifeTellingMishap.allCases.randomElement(using: &content.random) : nil
            content.letters.append(
                Letter(
                    hook: hook, id: id,
                    signature: letter.headers.first { $0.name == "x-herald-signature" }?.value, text: letter.text,
                    date: date, hasArrived: mishap?.arrives ?? true, isAcknowledged: mishap == nil,
                    isNoted: noted.contains { $0.contains("\"id\":\"\(id)\"") }))
            if mishap == nil {
                content.failing.remove("\(hook) \(id)")
            } else {
                content.failing.insert("\(hook) \(id)")
            }
            if let mishap {
                let tries = content.tries["\(hook) \(id)", default: 0]
                let pause = mishap.isTriedAgain && tries < 2 ? Duration.seconds(tries == 0 ? 1 : 4) : .zero
                content.tries["\(hook) \(id)"] = tries + 1
                content.waited[hook, default: .zero] += pause + (mishap.isLate ? letter.timeout : .zero)
            }
            return mishap
        }
        return await mishap?.exchange(within: letter.timeout, by: time) ?? .json(200, "ok")
    }
}
