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
    /// whoever compares subscriptions would take the rest for missing.
    ///
    /// FCM's description of the API writes the names of members in lower camel case, and its guides in snake case.
    init?(_ body: [UInt8]) {
        guard let page = try? JSONValue(parsing: body), page.object != nil else { return nil }
        let entries = page["topicSubscriptions"] ?? page["topic_subscriptions"] ?? []
        guard let list = entries.array else { return nil }
        var topics: [TopicName] = []
        for entry in list {
            guard let text = (entry["topicName"] ?? entry["topic_name"])?.string, let topic = TopicName(rawValue: text)
            else { return nil }
            topics.append(topic)
        }
        let mark = page["nextPageToken"] ?? page["next_page_token"] ?? ""
        guard let text = mark.string else { return nil }
        self.init(topics: topics, next: text.isEmpty ? nil : Mark(rawValue: text))
    }
}
