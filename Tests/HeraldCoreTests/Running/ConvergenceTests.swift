import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// docs/explanation/promises.md#promises against a model of FCM. After any change of the files, with either topic API,
/// and after a crash at any point, later runs reach what the files say, and nobody gets a message twice.
@Suite struct ConvergenceTests {
    private static let population = 24

    /// A random workspace.
    private struct Files: Sendable {
        var topics: [DesiredTopic] = []
        var groups: [DesiredGroup] = []
        var sends: [DesiredSend] = []

        init(_ edition: String, topics names: [TopicName], _ random: inout SeededRandom) {
            for name in names { topics.append(DesiredTopic(name: name, members: Self.some(20, &random))) }
            for name in ["chris", "ann"] as [GroupName] where Int.random(in: 0..<5, using: &random) > 0 {
                groups.append(DesiredGroup(name: name, members: Self.some(20, &random)))
            }
            send("audience-\(edition)", to: .audience("all"), Self.some(20, &random))
            send("topic-\(edition)", to: .topic(names[0]))
            if let condition = Condition(any: [names[0]], all: [], none: [names[1]]) {
                send("condition-\(edition)", to: .condition(condition))
            }
            for group in groups {
                var campaign = Campaign.tide(
                    "\(group.name)-\(edition)", to: .group(group.name), title: "\(group.name)-\(edition)")
                campaign.delivery.members = Bool.random(using: &random) ? .key : .each
                let members = campaign.delivery.members == .key ? .target : group.members
                sends.append(DesiredSend(campaign: campaign, members: members))
            }
        }

        private mutating func send(_ name: String, to target: Campaign.Target, _ members: RecipientSet = .target) {
            sends.append(DesiredSend(campaign: .tide(name, to: target, title: name), members: members))
        }

        private static func some(_ most: Int, _ random: inout SeededRandom) -> RecipientSet {
            let all = (1...RecipientID(population)).shuffled(using: &random)
            return RecipientSet(all.prefix(Int.random(in: 1...most, using: &random)))
        }
    }

    /// Two versions of the files, FCM, and a state made from the first version. There is one for each way to change
    /// topics.
    private struct Setup: Sendable {
        var laboratory: Laboratory
        let fcm: ModelFCM
        let first: Files
        var second: Files

        init(seed: UInt64) {
            var random = SeededRandom(seed: seed)
            laboratory = Laboratory(population: population)
            laboratory.fcm.topicAPI = [.registrations, .iid, .auto][Int(seed % 3)]
            laboratory.guards.maxForgetPercent = 100
            laboratory.random = SeededRandom(seed: seed)
            first = Files("first", topics: ["a", "b", "c"], &random)
            // The files rename 'c' to 'd'.
            second = Files("second", topics: ["a", "b", "d"], &random)
            second.topics[2].previousNames = ["c"]
            second.topics[2].prune = seed % 2 == 0
            let luck = Int.random(in: 5...9, using: &random)
            fcm = ModelFCM(capacity: 3) { request, number in
                switch number % luck {
                case 1: return .answer(.error(503, "UNAVAILABLE", retryAfter: "1"))
                case 3: return .loseAnswer
                case 4: if case .send = request { return nil } else { return .loseRequest }
                default: return nil
                }
            }
            let dead = Set((0..<2).map { _ in Registration.fid(.random(in: 1...population, using: &random)) })
            fcm.change { state in
                state.hasTopicAPI = seed % 3 != 2
                state.dead = dead
            }
        }

        func plan(_ files: Files) -> Plan {
            laboratory.plan(sends: files.sends, topics: files.topics, groups: files.groups)
        }

        /// - Parameter store: Used in place of the state itself.
        func run(_ files: Files, _ store: (any StateStore)? = nil) async throws {
            var laboratory = laboratory
            if let store { laboratory.store = store }
            let plan = plan(files)
            let report = try await laboratory.run(plan, fcm)
            for step in report.steps { #expect(step.parts.reduce(0, +) == step.planned) }
        }
    }

    private func numbers(_ registrations: Set<Registration>?) -> RecipientSet {
        RecipientSet((registrations ?? []).map { Request.batch(.add, "t", [$0]).recipient })
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func `wherever a run dies, the next ones converge and send nothing twice`(seed: UInt64) async throws {
        var commit = 0
        while true {
            let setup = Setup(seed: seed)
            let place = Comment("seed \(seed), commit \(commit)")
            for _ in 0..<2 { try await setup.run(setup.first) }
            let owned = setup.laboratory.memory.state().topics["c"].map { $0.managed.union($0.subscribing) } ?? []
            let store = ProbedStore(setup.laboratory.memory, refusesFrom: commit)
            try await setup.run(setup.second, store)
            for _ in 0..<4 where !setup.plan(setup.second).isEmpty { try await setup.run(setup.second) }
            let (fcm, state) = (setup.fcm.now, setup.laboratory.memory.state())
            let dead = numbers(fcm.dead)
            for topic in setup.second.topics {
                let members = topic.prune ? topic.members : topic.members.union(owned)
                #expect(numbers(fcm.topics[topic.name]).subtracting(dead) == members.subtracting(dead), place)
            }
            #expect(numbers(fcm.topics["c"]).subtracting(dead).isEmpty, place)
            for name in ["chris", "ann"] as [GroupName] {
                let wanted = setup.second.groups.first { $0.name == name }?.members ?? []
                #expect(numbers(fcm.groups[name]).subtracting(dead) == wanted.subtracting(dead), place)
            }
            #expect(fcm.groupSizes.allSatisfy { $0 <= 20 }, place)
            let pushes = Dictionary(fcm.pushes.map { ($0, 1) }, uniquingKeysWith: +)
            #expect(pushes.values.allSatisfy { $0 == 1 }, place)
            for send in setup.second.sends {
                let name = send.campaign.name.value
                let occurrence = state.occurrences[OccurrenceID(rawValue: "\(name)@once")]
                let tried = occurrence?.tried ?? []
                #expect(send.members.subtracting(tried).subtracting(dead).isEmpty, "\(name), \(place)")
                let intended = occurrence?.intended ?? [0]
                #expect(intended.isEmpty, "\(name), \(place)")
                let accepted = occurrence?.accepted.count ?? 0
                #expect(pushes.keys.count { $0.title == name } >= accepted, "\(name), \(place)")
            }
            if store.commits <= commit { break }
            commit += 1
        }
        #expect(commit > 10)
    }
}
