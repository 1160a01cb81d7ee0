import FCM
import Foundation
import HeraldCore
import HeraldTestSupport

/// A small workspace drawn from a seed, and what it asks for.
struct SweepWorkspace {
    struct Sending {
        var name: String
        /// YAML.
        var target: String
        /// Registrations, or the empty text for a send that is one request.
        var recipients: Set<String>
        var resends: Bool
        /// YAML, if any.
        var schedule: String?
        /// Whether it comes due by the clock, so that the number of sends is not known.
        var recurs = false
        var revision = 1
    }

    let seed: UInt64
    private(set) var sendings: [Sending] = []
    private(set) var topics: [String: [String]] = [:]
    private(set) var groups: [String: [String]] = [:]
    private let people: [String]
    let topicAPI: String
    /// The faults of the emulator besides those of the state.
    let script: EmulatorScript
    /// Whether there is an earlier run, with the files changed after it.
    let hasHistory: Bool
    /// Present in about half of the workspaces.
    private(set) var personal: SweepPersonal?

    /// - Parameters:
    ///   - isPlain: Whether the emulator has no faults and there is no earlier run.
    ///   - size: how many people there are. Drawn otherwise.
    init(seed: UInt64, isPlain: Bool = false, people size: Int? = nil) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        let drawn = Int.random(in: 10...60, using: &random)
        people = (1...(size ?? drawn)).map { Registration.fid($0).rawValue }
        topicAPI = Bool.random(using: &random) ? "registrations" : "iid"
        let script = EmulatorScript.allCases.randomElement(using: &random) ?? .none
        self.script = isPlain ? .none : script
        hasHistory = Bool.random(using: &random) && !isPlain
        let resends = (0..<4).map { _ in !isPlain && Int.random(in: 0..<4, using: &random) == 0 }
        sendings = [
            Sending(
                name: "each", target: "{audience: people}", recipients: Set(people), resends: resends[0],
                revision: hasHistory ? 2 : 1)
        ]
        if isPlain || Bool.random(using: &random) {
            topics["news"] = people.filter { _ in Bool.random(using: &random) } + people.prefix(1)
            sendings.append(Sending(name: "topic", target: "{topic: news}", recipients: [""], resends: resends[1]))
        }
        if isPlain || Bool.random(using: &random) {
            let members = (2001...2003).map { Registration.token($0).rawValue }
            groups["family"] = members
            let isEach = Bool.random(using: &random)
            sendings.append(
                Sending(
                    name: "group", target: "{group: family}\ndelivery: {members: \(isEach ? "each" : "key")}",
                    recipients: isEach ? Set(members) : [""], resends: false))
        }
        if isPlain || Bool.random(using: &random) {
            let tokens = (1001...1004).map { Registration.token($0).rawValue }
            let due = Date().addingTimeInterval(-60).rfc3339
            sendings.append(
                Sending(
                    name: "timed", target: "{tokens: [\(tokens.map { "'\($0)'" }.joined(separator: ", "))]}",
                    recipients: Set(tokens), resends: resends[2],
                    schedule: "{at: \(due), max_lateness: 1h, timezone: UTC}"))
        }
        if hasHistory {
            sendings.append(
                Sending(
                    name: "hourly", target: "{audience: people}", recipients: Set(people), resends: resends[3],
                    schedule: "{cron: '0 * * * *', timezone: UTC}", recurs: true))
        }
        if isPlain || Bool.random(using: &random) {
            personal = size.map { SweepPersonal(seed: seed, people: $0) } ?? SweepPersonal(seed: seed)
        }
    }

    /// The workspace before the change that the interrupted run applies.
    var before: SweepWorkspace {
        var drawn = self
        drawn.personal = nil
        drawn.sendings = drawn.sendings.filter { $0.revision > 1 || $0.recurs }.map { sending in
            var sending = sending
            sending.revision = 1
            return sending
        }
        // Some leave, some join.
        drawn.topics = topics.mapValues { members in
            people.enumerated().filter { members.contains($1) != ($0 % 5 == 0) }.map(\.element) + people.prefix(1)
        }
        return drawn
    }

    var files: [String: String] {
        var resources = """
            kind: audience
            name: people
            source: {file: people.txt}

            """
        for (name, members) in topics.sorted(by: { $0.key < $1.key }) {
            resources += """
                ---
                kind: audience
                name: \(name)
                fids: [\(Set(members).sorted().joined(separator: ", "))]
                ---
                kind: topic
                name: \(name)
                subscribers: [\(name)]

                """
        }
        for (name, members) in groups.sorted(by: { $0.key < $1.key }) {
            resources += """
                ---
                kind: group
                name: \(name)
                members: {tokens: [\(members.map { "'\($0)'" }.joined(separator: ", "))]}

                """
        }
        for sending in sendings {
            resources += """
                ---
                kind: campaign
                name: \(sending.name)
                revision: \(sending.revision)
                target: \(sending.target)
                message: {data: {campaign: \(sending.name)}}

                """
            if let schedule = sending.schedule { resources += "schedule: \(schedule)\n" }
            if sending.resends { resources += "delivery: {on_unknown: resend}\n" }
        }
        var files = [
            "workspace/herald.yaml": """
            herald: 1
            project: demo-project
            sender_id: "123456789012"
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, topic_api: \(topicAPI), max_in_flight: \(Sandbox.inFlight)}
            guards: {max_unsubscribe_percent: 100, max_forget_percent: 100}

            """,
            "workspace/people.txt": people.joined(separator: "\n") + "\n",
            "workspace/resources.yaml": resources + (personal == nil ? "" : SweepPersonal.resources),
        ]
        if let personal { files["workspace/members.csv"] = personal.list(0) }
        return files
    }
}

/// The faults of the emulator.
enum EmulatorScript: String, CaseIterable {
    case none, unavailable, contradicted, cutBefore, cutAfter, cutMidBody, throttled, dead, topicsUnavailable

    /// The body of `PUT /emulator/v1/faults`.
    var json: JSONValue {
        let entry: (match: JSONValue, effect: JSONValue)
        switch self {
        case .none: return []
        case .unavailable:
            entry = (["service": "send", "every": 5, "first": 30], ["status": 503, "retry_after": "0"])
        case .contradicted:
            entry = (
                ["service": "send", "every": 5, "first": 30], ["status": 503, "retry_after": "0", "deliver": true]
            )
        case .cutBefore: entry = (["service": "send", "every": 7], ["close": "before"])
        case .cutAfter: entry = (["service": "send", "every": 7], ["close": "after"])
        case .cutMidBody: entry = (["service": "send", "every": 7], ["close": "mid_body"])
        case .throttled: entry = (["service": "send", "first": 1], ["status": 429, "retry_after": "1"])
        case .dead:
            entry = (
                ["service": "send", "registration": .string(Registration.fid(3).rawValue)],
                ["status": 404, "code": "UNREGISTERED"]
            )
        case .topicsUnavailable:
            entry = (["service": "topics", "every": 5, "first": 30], ["status": 503, "retry_after": "0"])
        }
        return [["match": entry.match, "do": entry.effect]]
    }

    /// Whether the answers to some requests never come.
    var isLossy: Bool { [.cutBefore, .cutAfter, .cutMidBody].contains(self) }

    /// Whether some sends get an answer that makes herald try again.
    var asksToRepeat: Bool { [.unavailable, .contradicted, .throttled].contains(self) }
}
