internal import FCM

/// What waits because nobody knows yet who is in an audience: people of the campaign that it goes by are still to be
/// tried, or its list is not fetched before somebody approves it.
extension Planner {
    /// Whether nobody knows who is to be in a topic. Nobody joins it, and only who is suppressed leaves.
    func isUndecided(_ topic: TopicName) -> Bool { topicMembers[topic]?.undecided.isEmpty == false }

    /// The same for a group.
    func isUndecided(_ group: GroupName) -> Bool { groupMembers[group]?.undecided.isEmpty == false }

    /// Whether nobody knows who of a campaign's people is suppressed, or opted out. What has begun waits for that, too.
    func isSuppressionUndecided(for wanted: DesiredSend) -> Bool {
        let suppressing = Set((settings.suppress + wanted.campaign.suppressed).map(\.value))
        return wanted.isListUndecided || wanted.undecidedByOthers.contains(where: suppressing.contains)
    }

    /// Notes that a topic or a group stays as it is, if it does.
    mutating func noteUndecided(_ subject: Plan.Subject, _ audiences: [String]) {
        if !audiences.isEmpty { noteWaiting("\(subject)", Self.words(ofUndecided: audiences)) }
    }

    /// Notes that some people's part in an occurrence is not decided.
    mutating func noteUndecided(
        _ wanted: DesiredSend, _ id: OccurrenceID, _ people: RecipientSet, isHalfDone: Bool = false
    ) {
        let words = Self.words(ofUndecided: wanted.undecided)
        let isDue = "campaign '\(wanted.campaign.name.value)' is due and"
        noteWaiting(isHalfDone ? "\(id) is half done and" : isDue, words)
        explain(id, to: people, words, until: nil)
    }

    private mutating func noteWaiting(_ what: String, _ words: String) {
        let sentence = "\(what) waits: \(words)"
        if overview.undecided.contains(sentence) { return }
        overview.undecided.append(sentence)
        overview.warnings.append(sentence)
    }

    private static func words(ofUndecided audiences: [String]) -> String {
        "nobody knows yet who is in audience \(audiences.map { "'\($0)'" }.joined(separator: ", "))"
    }
}

extension Desired {
    /// Memberships are planned once in a run. What waited for those that could not be planned then waits for the next run.
    ///
    /// - Parameter first: what the files asked for when they were planned.
    package mutating func keepWaiting(as first: Desired) {
        let waiting = first.sends.filter { !$0.undecided.isEmpty && !$0.campaign.target.value.subjects.isEmpty }
        for send in waiting {
            let place = sends.firstIndex { $0.campaign.name.value == send.campaign.name.value }
            if let place, sends[place].undecided.isEmpty { sends[place].undecided = send.undecided }
        }
    }
}
