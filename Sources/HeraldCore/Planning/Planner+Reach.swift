internal import FCM

/// How many people a send reaches: exactly, or between which bounds if the state is a snapshot.
extension Planner {
    /// How many people requests to those members reach, as far as herald can tell.
    func reached(by campaign: Campaign, _ members: RecipientSet) -> ClosedRange<Int> {
        campaign.target.value.isOneRequest(campaign.delivery)
            ? recipients(of: campaign.target.value, members).count : living(members).count
    }

    /// See `Plan.Send.whole`.
    ///
    /// - Parameters:
    ///   - left: those whose clock has reached it and who are still to be tried, before caps, windows and stages take
    ///     any out: whom a guard refuses today must not be fewer in the next plan by themselves.
    ///   - ledger: the outcomes of the occurrence so far.
    func whole(
        _ send: Plan.Send, of wanted: DesiredSend, left: RecipientSet, _ ledger: Ledger
    ) -> ClosedRange<Int> {
        guard wanted.isKnown || sizes != nil else { return 0...0 }
        if send.target.isOneRequest(send.delivery) {
            return left.isEmpty ? 0...0 : reached(by: wanted.campaign, left)
        }
        let tried = ledger.settled.subtracting(ledger[.skipped])
        // Whoever's part is not decided yet is counted by the plan in which they join.
        let coming = wanted.undecidedByOthers.isEmpty ? send.waves?.ahead.all ?? [] : []
        let others = left.union(coming.intersection(wanted.reached))
        guard sizes != nil else {
            let all = tried.union(others).count
            return all...all
        }
        // Nobody knows who of those who are listed was tried, or is part of one that has begun.
        let alive = living(others).count
        return (isEstimated(send) ? tried.count : alive.lowerBound)...(tried.count + alive.upperBound)
    }

    /// For a topic: its subscribers after its own steps, whether herald subscribed them or not.
    private func recipients(of target: Campaign.Target, _ members: RecipientSet) -> Members {
        switch target {
        case .audience, .registrations: living(members)
        case .topic(let name): subscribers(of: name)
        case .condition(let condition): matching(condition.expression)
        case .group(let name): living(isUndecided(name) ? liveMembers(of: name) : groupMembers[name]?.members ?? [])
        }
    }

    /// The subscribers in the state after the topic's own steps, whether herald subscribed them or not.
    private func subscribers(of name: TopicName) -> Members {
        let wanted = topicMembers[name]
        let members = living(wanted?.members ?? []).subtracting(left(name)).union(preexisting(in: name))
        let all = prunes(name) ? members : members.union(managed(in: name).subtracting(.known(suppressed(in: name))))
        return all.subtracting(.known(formers))
    }

    /// Whether herald knows all whom a request to the target reaches: not where the app subscribes its users itself, and
    /// not where it also reaches devices that follow no topic.
    func isCounted(_ target: Campaign.Target) -> Bool {
        if case .condition(let condition) = target, condition.matches({ _ in false }) { return false }
        return !target.topics.contains { topicMembers[$0]?.isOfApp ?? false }
    }

    /// The recipients known to herald whose topics match a condition.
    private func matching(_ expression: Condition.Expression) -> Members {
        switch expression {
        case .topic(let name): subscribers(of: name)
        case .not(let inner): everybody.subtracting(matching(inner))
        case .and(let one, let other): matching(one).intersection(matching(other))
        case .or(let one, let other): matching(one).union(matching(other))
        }
    }

    // MARK: Who is known, and who is only counted

    private func living(_ members: RecipientSet) -> Members {
        guard let sizes else { return .known(members.subtracting(unreachable)) }
        return .known(members).subtracting(.counted(0...sizes.tombstones))
    }

    /// Whom others subscribed, and whom herald does not unsubscribe.
    private func preexisting(in topic: TopicName) -> Members {
        let keepsAdopted = keepsAdopted(topic)
        guard let sizes else {
            let recorded = state.topics[topic] ?? RecordedTopic()
            return .known(keepsAdopted ? recorded.preexisting : recorded.preexisting.union(recorded.adopted))
        }
        let size = sizes.topics[topic] ?? .init()
        return .counted(0...(size.preexisting + (keepsAdopted ? 0 : size.adopted)))
    }

    /// Those whom the files list and who left by themselves.
    private func left(_ topic: TopicName) -> Members {
        guard let sizes else { return .known(away(from: topic)) }
        guard topicMembers[topic]?.drift == .keep else { return .known([]) }
        let names = [topic] + earlierNames(of: topic) + namesTakenBack(by: topic)
        return .counted(0...names.reduce(0) { $0 + (sizes.topics[$1]?.left ?? 0) })
    }

    /// Those that herald subscribed, also under the topic's earlier names.
    private func managed(in topic: TopicName) -> Members {
        guard let sizes else { return .known(mine(of: topic).union(moving(to: topic))) }
        // A list may bring an earlier registration back, and its recipient with it.
        let most = ([topic] + earlierNames(of: topic)).compactMap { sizes.topics[$0] }
            .reduce(0) { $0 + $1.managed + $1.subscribing + $1.former + (keepsAdopted(topic) ? $1.adopted : 0) }
        return .counted(0...most)
    }

    /// All living recipients that herald knows. Only conditions need it.
    static func everybody(_ desired: Desired, _ state: RecordedState, _ sizes: StateSnapshot.Sizes?) -> Members {
        let hasConditions = desired.sends.contains {
            if case .condition = $0.campaign.target.value { true } else { false }
        }
        guard hasConditions else { return .known([]) }
        guard let sizes else {
            return .known(state.known.union(desired.listed).subtracting(state.dead))
        }
        // Those who are listed may all be known or all be new.
        let listed = desired.listed.count
        let least = max(0, max(sizes.known, listed) - sizes.tombstones)
        return .counted(least...max(least, sizes.known - sizes.dead + listed))
    }
}
