import FCM

/// An app installation: what was sent to it, and the topics through which it can be reached.
struct Device: Sendable {
    /// Messages to one of its registrations, to a group or to a condition, and those from topics that it has left.
    var direct = Recent()
    private var links: [TopicName: Link] = [:]
    /// Those that the emulator has seen, in the order of their arrival.
    var registrations: [Registration] = []
    /// Whether its app has registered. Then FCM knows it by that registration only.
    var hasRegistered = false

    /// Its subscription to a topic through one or more registrations.
    private struct Link {
        var registrations = 0
        /// The number of the last delivery before it joined.
        let joinedAfter: Int
    }

    var topicCount: Int { links.count }

    func follows(_ topic: TopicName) -> Bool { links[topic] != nil }

    /// Counts one more active registration on the topic. True if it is the first.
    mutating func attach(to topic: TopicName, after number: Int) -> Bool {
        links[topic, default: Link(joinedAfter: number)].registrations += 1
        return links[topic]?.registrations == 1
    }

    /// Counts one registration less. If it was the last one, keeps what came through the topic so far, and returns
    /// true.
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
