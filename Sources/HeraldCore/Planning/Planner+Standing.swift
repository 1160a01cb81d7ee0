internal import FCM

/// The guards that refuse everything: the state or the files are not what the last run left.
extension Planner {
    /// - Parameters:
    ///   - reported: the highest serial that a report says was committed.
    ///   - lost: what a run or a command left outside of the state, and the state lacks.
    mutating func checkAge(_ reported: Int64?, _ lost: Stamp?) {
        let consequence =
            "what was sent since would be sent again, whom herald subscribed since would count as subscribed by "
            + "others, and pauses, approvals and repairs since are lost"
        if let lost {
            refuse(
                .stateWentBack, "", limit: Int(lost.number), actual: Int(state.stamps.last?.number ?? 0),
                "a file beside the state says that a run or a command changed it, and the state does not know of that: "
                    + "it looks like a restored backup or another copy; \(consequence)")
        } else if let reported, state.serial < reported {
            refuse(
                .stateWentBack, "", limit: Int(reported), actual: Int(state.serial),
                "the state has serial \(state.serial), and a report beside it says that \(reported) was committed: it "
                    + "looks like a restored backup; \(consequence)")
        }
    }

    /// Refuses files that share nothing with a state whose last run was for another folder. Whoever moves a checkout
    /// or edits files is not refused, unless both happens at once and nothing is left.
    mutating func checkWorkspace() {
        if let bound = state.identity.workspace, bound == settings.workspace { return }
        let known = state.undertakings
        guard !known.isEmpty, known.isDisjoint(with: desired.undertakings) else { return }
        let some = known.sorted().prefix(3).joined(separator: ", ")
        let rest = known.count > 3 ? ", …" : ""
        refuse(
            .otherWorkspace, "", limit: 0, actual: known.count,
            "the state knows \(some)\(rest), and the files have nothing of it: it seems to be another workspace's, whose "
                + "recipients would be unsubscribed")
    }

    mutating func refuseMoved() {
        refuse(
            .stateMoved, "", limit: 0, actual: 1,
            "the state is in another server, database or schema than at the last run: if it is a copy, both would send the same"
        )
    }

    mutating func checkFiles(_ checkout: Checkout) {
        guard let age = checkout.age(comparedWith: state.commits) else { return }
        if state.commits.isEmpty {
            overview.warnings.append(age)
        } else {
            refuse(.olderFiles, "", limit: 0, actual: 1, age)
        }
    }
}

extension RecordedState {
    /// The topics, groups and campaigns that herald has worked on.
    fileprivate var undertakings: Set<String> {
        // No run has worked on a topic that was imported and that no file declared yet.
        let topics = topics.filter { !$0.value.isEmpty && !$0.value.awaitsFile }.keys.map { "topic '\($0)'" }
        let groups = groups.filter { !$0.value.recipients.union(of: GroupMembership.own).isEmpty }.keys
        return Set(topics + groups.map { "group '\($0)'" } + knownCampaigns.map { "campaign '\($0)'" })
    }
}

extension Desired {
    /// What the files declare, by all the names it had.
    fileprivate var undertakings: Set<String> {
        let topics = topics.flatMap { [$0.name] + $0.previousNames }.map { "topic '\($0)'" }
        let campaigns = sends.map(\.campaign).flatMap { [$0.name.value] + $0.previousNames.map(\.value) }
        return Set(topics + groups.map { "group '\($0.name)'" } + campaigns.map { "campaign '\($0)'" })
    }
}
