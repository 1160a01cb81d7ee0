package import FCM

/// Whom a call asks FCM about, and what it does with the answers.
package struct Survey: Sendable {
    package enum Purpose: Hashable, Sendable {
        /// Compares the answers with the state. With `records`, the state learns who has left.
        case comparison(records: Bool)
        /// The state learns who follows a topic.
        case taking(TopicName, Reclassification)
    }

    package let purpose: Purpose
    package let expected: ExpectedSubscriptions
    /// Who is asked for, in groups: the first group first, and in it the lowest number first.
    package let groups: [RecipientSet]
    /// A few of those who answered last. They are asked when the first ones are all dead, as those are whom a killed call
    /// found dead.
    let witnesses: RecipientSet
    package let project: Project
    /// The time that the state gets for those who were asked for.
    package let noted: Date
    /// After that time a difference is asked for once more.
    package let settle: Duration
    /// Nobody is asked for the first time later than this.
    package let time: Duration?

    /// - Parameters:
    ///   - members: who is to be asked for: those first who were asked for longest ago.
    ///   - limit: how many of them are asked for.
    package init(
        _ purpose: Purpose, _ expected: ExpectedSubscriptions, asking members: RecipientSet, limit: Int? = nil,
        time: Duration? = nil, in project: Project, settle: Duration, noted: Date, after observed: Partition<Date>
    ) {
        (self.purpose, self.expected, self.project) = (purpose, expected, project)
        (self.noted, self.settle, self.time) = (noted, settle, time)
        var rest = limit ?? .max
        var groups: [RecipientSet] = []
        let order = Self.order(of: members, observed)
        for group in order where rest > 0 {
            let taken = group.count <= rest ? group : RecipientSet(group.prefix(rest))
            rest -= taken.count
            groups.append(taken)
        }
        self.groups = groups
        let latest = order.dropFirst().last ?? []
        let step = max(1, latest.count / Self.mostWitnesses)
        let spread = latest.enumerated().filter { $0.offset % step == 0 }.prefix(Self.mostWitnesses)
        witnesses = RecipientSet(spread.map(\.element))
    }

    private static let mostWitnesses = 20

    package var count: Int { groups.reduce(0) { $0 + $1.count } }

    private static func order(of members: RecipientSet, _ observed: Partition<Date>) -> [RecipientSet] {
        let never = members.subtracting(observed.all)
        let others = observed.states.sorted().map { observed[$0].intersection(members) }
        return ([never] + others).filter { !$0.isEmpty }
    }

    /// The oldest observation of some registrations, once these are asked for. `nil` if one of them never was, or if
    /// there is none.
    package static func oldest(
        of members: RecipientSet, _ observed: Partition<Date>, now asked: RecipientSet, at noted: Date
    ) -> (date: Date?, never: Int) {
        let rest = members.subtracting(asked)
        let never = rest.subtracting(observed.all).count
        if never > 0 { return (nil, never) }
        let oldest = observed.states.sorted().first { !observed[$0].intersection(rest).isEmpty }
        return (oldest ?? (members.isEmpty ? nil : noted), 0)
    }
}
