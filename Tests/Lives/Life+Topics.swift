import FCM
import HeraldTestSupport

@testable import HeraldCore

/// What the author does to topics and groups.
extension Life {
    func addTopic(_ random: inout SeededRandom) {
        guard let name = Self.topicNames.filter(isFree).randomElement(using: &random) else { return }
        lastLine += 1
        var topic = LifeFiles.Topic(line: lastLine, name: name, subscribers: someAudiences(&random))
        topic.prune = Int.random(in: 0..<3, using: &random) > 0
        topic.adopt = Int.random(in: 0..<3, using: &random) == 0
        if Int.random(in: 0..<4, using: &random) == 0 { topic.exclude = [anyAudience(&random)] }
        take(name)
        files.topics.append(topic)
        tell("new topic \(name) (line \(lastLine)) of \(topic.subscribers), prune \(topic.prune)")
    }

    private func someAudiences(_ random: inout SeededRandom) -> [String] {
        Array(Set((0..<Int.random(in: 1...2, using: &random)).map { _ in anyAudience(&random) })).sorted()
    }

    private func isFree(_ name: TopicName) -> Bool {
        let state = known.snapshot.topics[name] ?? RecordedTopic()
        let isLeft = state.managed.isEmpty && state.subscribing.isEmpty && state.adopted.isEmpty
        return files.topics.allSatisfy { topic in
            topic.name != name
                && (!topic.previousNames.contains(name) || isLeft && topicNames[topic.line] == topic.name)
        }
    }

    private func take(_ name: TopicName) {
        for place in files.topics.indices { files.topics[place].previousNames.removeAll { $0 == name } }
        deletedTopics.removeAll { $0.name == name || $0.previousNames.contains(name) }
    }

    private func isUsed(_ topic: LifeFiles.Topic) -> Bool {
        (files.campaigns + deletedCampaigns).contains { campaign in
            switch campaign.target {
            case .topic(let line): line == topic.line
            case .condition(let line, let other): line == topic.line || other == topic.line
            case .audience, .group: false
            }
        }
    }

    func editTopics(_ act: LifeAct, _ random: inout SeededRandom) {
        switch act {
        case .newTopic: return addTopic(&random)
        case .bringBackTopic:
            guard let place = deletedTopics.indices.randomElement(using: &random),
                isFree(deletedTopics[place].name)
            else { return }
            var topic = deletedTopics.remove(at: place)
            topic.previousNames = []
            files.topics.append(topic)
            return tell("topic \(topic.name) is back")
        case .toggleGroup: return toggleGroup(&random)
        default: break
        }
        guard let place = files.topics.indices.randomElement(using: &random) else { return }
        let old = files.topics[place].name
        switch act {
        case .deleteTopic:
            guard !isUsed(files.topics[place]) else { return }
            let topic = files.topics.remove(at: place)
            kept[topic.line] = []
            deletedTopics.append(topic)
            tell("topic \(old) is deleted")
        case .togglePrune:
            files.topics[place].prune.toggle()
            if files.topics[place].prune { kept[files.topics[place].line] = [] }
            tell("topic \(old): prune \(files.topics[place].prune)")
        case .toggleDrift:
            files.topics[place].drift = files.topics[place].drift == .keep ? .restore : .keep
            tell("topic \(old): drift \(files.topics[place].drift)")
        case .toggleAdopt:
            files.topics[place].adopt.toggle()
            tell("topic \(old): adopt \(files.topics[place].adopt)")
        case .editTopic:
            files.topics[place].subscribers = someAudiences(&random)
            tell("topic \(old) is of \(files.topics[place].subscribers)")
        default:
            guard let name = Self.topicNames.filter(isFree).randomElement(using: &random) else { return }
            take(name)
            let before = files.topics[place].previousNames.filter { $0 != name }
            files.topics[place].previousNames = before + [old]
            files.topics[place].name = name
            tell("topic \(old) is called \(name) now")
        }
    }

    private func toggleGroup(_ random: inout SeededRandom) {
        if let group = files.groups.first {
            let isUsed = (files.campaigns + deletedCampaigns).contains { $0.target == .group(group.name) }
            guard !isUsed else {
                files.groups[0].audience = anyAudience(&random)
                return tell("group \(group.name) is of \(files.groups[0].audience)")
            }
            files.groups.removeFirst()
            tell("group \(group.name) is deleted")
        } else if mayHaveGroups {
            files.groups.append(.init(name: Self.groupName, audience: anyAudience(&random)))
            tell("new group \(Self.groupName) of \(files.groups[0].audience)")
        }
    }
}

extension LifeFiles {
    /// The audiences that decide who is in a topic or group.
    func lists(of subject: Plan.Subject) -> Set<String> {
        var left = suppress
        switch subject {
        case .topic(let name):
            for topic in topics where topic.name == name || topic.previousNames.contains(name) {
                left += topic.subscribers + topic.exclude
            }
        case .group(let name): left += groups.filter { $0.name == name }.map(\.audience)
        }
        return lists(from: left)
    }

    /// These audiences, and those that they exclude.
    func lists(from names: [String]) -> Set<String> {
        var left = names
        var lists: Set<String> = []
        while let name = left.popLast() {
            guard lists.insert(name).inserted else { continue }
            left += audiences.first { $0.name == name }?.exclude ?? []
        }
        return lists
    }
}
