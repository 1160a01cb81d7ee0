import FCM

/// What the page shows of the world: the first few of everything.
struct Overview {
    let json: JSONValue

    private static let maximumDevices = 48
    private static let maximumNames = 200
    private static let maximumSends = 12
    /// How many entries of an inbox it shows.
    private static let maximumMessages = 12

    /// - Parameter wanted: the text that a shown registration must contain. An empty text matches all.
    init(of world: World, at now: Date, wanted: String) {
        let names = world.enrolments.keys.lazy.map(\.rawValue).filter { wanted.isEmpty || $0.contains(wanted) }
        let devices = names.smallest(Self.maximumDevices).compactMap { Registration($0) }
        let topics = world.topics.keys.lazy.map(\.rawValue).smallest(Self.maximumNames).compactMap {
            TopicName(rawValue: $0)
        }
        json = [
            "time": .string(now.rfc3339),
            "ahead_seconds": .double(world.lead),
            "registrations": .int(Int64(world.enrolments.count)),
            "devices": .array(devices.map { Self.device($0, in: world, at: now) }),
            "sends": .array(world.eventLog.deliveries(atMost: Self.maximumSends).map(\.json)),
            "topics": .array(
                topics.map { topic in
                    let members = world.subscribers(of: topic).count
                    return ["topic": .string(topic.rawValue), "members": .int(Int64(members))]
                }),
            "groups": .array(
                world.groups.sizes.smallest(Self.maximumNames).map { group in
                    ["name": .string(group.name), "members": .int(Int64(group.members))]
                }),
        ]
    }

    private static func device(_ registration: Registration, in world: World, at now: Date) -> JSONValue {
        let status = world.status(of: registration, at: now)
        var members = status.json.object ?? [:]
        members["inbox"] = .array(
            status.simulatedDevice.arrivals.suffix(maximumMessages).map { arrival in
                InboxEntry(
                    arrival: arrival, platform: status.simulatedDevice.platform,
                    installation: status.simulatedDevice.installation
                ).json
            })
        return .object(members)
    }
}

extension Sequence where Element: Comparable {
    /// The smallest elements in order. The others are not sorted.
    fileprivate func smallest(_ count: Int) -> [Element] {
        var smallest: [Element] = []
        for element in self {
            if smallest.count == count, let last = smallest.last, last <= element { continue }
            let index = smallest.firstIndex { element < $0 } ?? smallest.endIndex
            smallest.insert(element, at: index)
            if smallest.count > count { smallest.removeLast() }
        }
        return smallest
    }
}
