package import FCM

/// What a survey found, by topic.
package struct SurveyFigures: Hashable, Sendable {
    package private(set) var topics: [TopicName: Topic] = [:]
    /// Registrations that were asked for, whatever came of it.
    package private(set) var asked = RecipientSet()
    /// Those whose answer stands and who differ from the state.
    package private(set) var drifted = 0
    /// Those whom FCM does not know.
    package private(set) var dead = RecipientSet()
    /// Those who could not be asked for.
    package private(set) var failed = RecipientSet()
    /// Why, in FCM's codes.
    package private(set) var failures: [String: Int] = [:]
    /// FCM's sentence for each code, of the first one.
    package private(set) var sentences: [String: String] = [:]

    package struct Topic: Hashable, Sendable {
        package var same = 0
        package var left = RecipientSet()
        package var foreign = RecipientSet()
        package var dead = 0
        package var failed = 0

        /// Those of the state's subscribers of whom it is known whether they still are.
        package var known: Int { same + left.count + dead }
    }

    package init() {}

    /// Whose answers stand: FCM told which topics they follow.
    package var answered: Int { asked.count - dead.count - failed.count }

    package subscript(topic: TopicName) -> Topic { topics[topic] ?? Topic() }

    package var left: Int { topics.values.reduce(0) { $0 + $1.left.count } }
    package var foreign: Int { topics.values.reduce(0) { $0 + $1.foreign.count } }

    mutating func count(_ id: RecipientID, same: [TopicName], _ difference: SubscriptionDifference) {
        asked.insert(id)
        if !difference.isEmpty { drifted += 1 }
        for topic in same { topics[topic, default: Topic()].same += 1 }
        for topic in difference.left { topics[topic, default: Topic()].left.insert(id) }
        for topic in difference.foreign { topics[topic, default: Topic()].foreign.insert(id) }
    }

    mutating func countDead(_ id: RecipientID, of expected: [TopicName]) {
        asked.insert(id)
        dead.insert(id)
        for topic in expected { topics[topic, default: Topic()].dead += 1 }
    }

    mutating func countFailed(_ id: RecipientID, _ code: String, _ message: String, of expected: [TopicName]) {
        asked.insert(id)
        failed.insert(id)
        failures[code, default: 0] += 1
        if sentences[code] == nil { sentences[code] = message }
        for topic in expected { topics[topic, default: Topic()].failed += 1 }
    }

    /// Adds what came of some of the dead, whom an import asked for by another registration. It tells nothing by topic.
    mutating func add(_ later: SurveyFigures) {
        dead = dead.subtracting(later.asked).union(later.dead)
        failed.formUnion(later.failed)
        failures.merge(later.failures, uniquingKeysWith: +)
        sentences.merge(later.sentences) { first, _ in first }
    }

    /// Whether more look dead than may be forgotten. Wrong credentials make everybody look dead, so somebody else must
    /// answer. Then fewer than ten always may.
    package func hasTooManyDead(limit percent: Int) -> Bool {
        if answered == 0 { return !dead.isEmpty }
        return dead.count >= 10 && dead.count * 100 > percent * (answered + dead.count)
    }
}
