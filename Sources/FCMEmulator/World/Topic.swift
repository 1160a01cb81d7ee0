import FCM

/// A topic with its subscribers. A message to it is stored once here and not once per device.
struct Topic: Sendable {
    var members: Set<Registration> = []
    /// How many installations a message reaches: those with at least one active subscribed registration.
    var reach = 0
    var recent = Recent()
}

extension World {
    /// The topic's subscribed registrations, without those that FCM has dropped.
    func subscribers(of topic: TopicName) -> some Collection<Registration> {
        (topics[topic]?.members ?? []).lazy.filter { enrolments[$0]?.state != .unregistered }
    }
}

/// One message on its way to one device or to the devices of a topic.
struct Delivery: Sendable {
    /// Counted over the whole emulator, so that deliveries have an order.
    let number: Int
    /// The id that the sender was told.
    let messageID: String
    /// When FCM accepted it.
    let sent: Date
    /// The topic that it was sent to. `nil` for other targets.
    let topic: TopicName?
    let message: Message
}

extension Delivery {
    /// The id that an Android or web app sees. A message to one device has no other id.
    var deviceID: String { Self.deviceID(number: number, sent: sent) }

    static func deviceID(number: Int, sent: Date) -> String {
        "0:\(sent.microsecondsSince1970)%\(String(number.scrambled, radix: 16))"
    }
}

/// The latest deliveries of one kind, oldest first. Older ones are dropped.
struct Recent: Sendable {
    /// The size of an inbox.
    static let limit = 100

    private(set) var deliveries: ArraySlice<Delivery> = []

    mutating func append(_ delivery: Delivery) {
        deliveries.append(delivery)
        if deliveries.count > Self.limit { deliveries = deliveries.dropFirst(deliveries.count - Self.limit) }
        // A slice keeps its removed elements in memory until it is copied.
        if deliveries.startIndex > 4 * Self.limit { deliveries = ArraySlice(Array(deliveries)) }
    }

    /// Adds other deliveries in the order of their numbers.
    mutating func merge(_ others: some Sequence<Delivery>) {
        deliveries = (deliveries + others).sorted { $0.number < $1.number }.suffix(Self.limit)
    }

    func after(_ number: Int) -> ArraySlice<Delivery> {
        let first = deliveries.firstIndex { $0.number > number } ?? deliveries.endIndex
        return deliveries[first...]
    }
}
