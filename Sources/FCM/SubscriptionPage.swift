/// Some of the topics that one registration is subscribed to.
package struct SubscriptionPage: Hashable, Sendable {
    /// In FCM's order.
    package var topics: [TopicName]
    /// Where the next page begins; absent on the last one.
    package var next: Mark?

    /// FCM's own text for a place in the list. It means nothing to anybody else.
    package struct Mark: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
    }

    package init(topics: [TopicName], next: Mark? = nil) {
        self.topics = topics
        self.next = next
    }
}

extension SubscriptionPage {
    /// Reads the body of a 200; `nil` where that is no such page. A page that can be read in part only is refused:
    /// whoever compares subscriptions would take the rest for missing. So is one about another registration or project.
    ///
    /// FCM's description of the API writes the names of members in lower camel case, and its guides in snake case.
    init?(_ body: [UInt8], of registration: Registration, in project: Project) {
        guard let page = try? JSONValue(parsing: body), page.object != nil else { return nil }
        let entries = page["topicSubscriptions"] ?? page["topic_subscriptions"] ?? []
        guard let list = entries.array else { return nil }
        var topics: [TopicName] = []
        for entry in list {
            guard let text = (entry["topicName"] ?? entry["topic_name"])?.string, let topic = TopicName(rawValue: text)
            else { return nil }
            if let name = entry["name"] {
                guard let name = name.string, Self.isName(name, of: topic, registration, project) else { return nil }
            }
            topics.append(topic)
        }
        let mark = page["nextPageToken"] ?? page["next_page_token"] ?? ""
        guard let text = mark.string else { return nil }
        self.init(topics: topics, next: text.isEmpty ? nil : Mark(rawValue: text))
    }

    /// Whether a subscription may have the name. FCM may write the project's number where its id was asked for.
    private static func isName(
        _ name: String, of topic: TopicName, _ registration: Registration, _ project: Project
    ) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0] == "projects", parts[2] == "registrations", parts[4] == "topicSubscriptions"
        else { return false }
        let isNumber =
            project.senderID.map { parts[1] == $0.rawValue } ?? (SenderID(rawValue: parts[1]) != nil)
        let isSame = { (part: String, text: String) in part == text || part == text.percentEncodedSegment }
        return (parts[1] == project.id || isNumber)
            && isSame(parts[3], registration.rawValue) && isSame(parts[5], topic.rawValue)
    }
}
