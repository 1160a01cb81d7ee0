import FCM

/// An app installation: what was sent to it, and through which topics it can be reached.
struct Device: Sendable {
    /// What was sent to one of its registrations, a group or a condition, and what it got from topics it has left.
    var direct = Recent()
    private var links: [TopicName: Link] = [:]

    /// Its subscription to a topic, through one or several registrations.
    private struct Link {
        var registrations = 0
        /// The last delivery before it joined.
        let joinedAfter: Int
    }

    var topicCount: Int { links.count }

    func follows(_ topic: TopicName) -> Bool { links[topic] != nil }

    /// Counts one more active registration on the topic. True for the first.
    mutating func attach(to topic: TopicName, after number: Int) -> Bool {
        links[topic, default: Link(joinedAfter: number)].registrations += 1
        return links[topic]?.registrations == 1
    }

    /// Counts one less. When it was the last, keeps what came through the topic until now. True in that case.
    mutating func detach(from topic: TopicName, keeping recent: Recent) -> Bool {
        guard let link = links[topic] else { return false }
        if link.registrations > 1 {
            links[topic]?.registrations -= 1
            return false
        }
        direct.merge(recent.after(link.joinedAfter))
        links[topic] = nil
        return true
    }

    func deliveries(recent: (TopicName) -> Recent) -> [Delivery] {
        var all = direct
        for (topic, link) in links {
            all.merge(recent(topic).after(link.joinedAfter))
        }
        return Array(all.deliveries)
    }
}
