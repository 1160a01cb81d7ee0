internal import FCM

extension RecordedState {
    /// What `topic:NAME`, `group:NAME`, `campaign:NAME` or an occurrence's id refers to. `nil` if the state has no such
    /// thing.
    package func resource(named text: String) -> StateChange.Resource? {
        if occurrences[OccurrenceID(rawValue: text)] != nil { return .occurrence(OccurrenceID(rawValue: text)) }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "topic": return TopicName(rawValue: parts[1]).flatMap { topics[$0] == nil ? nil : .topic($0) }
        case "group": return GroupName(rawValue: parts[1]).flatMap { groups[$0] == nil ? nil : .group($0) }
        case "campaign":
            let isKnown = occurrences.values.contains { $0.campaign == parts[1] } || watermarks[parts[1]] != nil
            return isKnown ? .campaign(parts[1]) : nil
        default: return nil
        }
    }
}
