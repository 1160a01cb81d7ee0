import FCM

/// A topic with subscribers. What is sent to it is kept once, here, and not once per device.
struct Topic: Sendable {
    var members: Set<Registration> = []
    /// The installations that a message reaches: those with at least one active subscribed registration.
    var reach = 0
    var recent = Recent()
}

/// One message on its way to one device or to a topic's devices.
struct Delivery: Sendable {
    /// Counted over the whole emulator, so that deliveries can be put in order.
    let number: Int
    /// As the sender was told it.
    let messageID: String
    /// When FCM took it.
    let sent: Date
    /// The topic it came through.
    let topic: TopicName?
    let message: Message
}

extension Delivery {
    /// The id under which an Android or a web app finds it; what went to one device has no other.
    var deviceID: String { Self.deviceID(number: number, sent: sent) }

    static func deviceID(number: Int, sent: Date) -> String {
        "0:\(sent.microsecondsSince1970)%\(String(number.scrambled, radix: 16))"
    }
}

/// The latest deliveries of one kind, oldest first; older ones fall out.
struct Recent: Sendable {
    /// As many as an inbox holds.
    static let limit = 100

    private(set) var deliveries: ArraySlice<Delivery> = []

    mutating func append(_ delivery: Delivery) {
        deliveries.append(delivery)
        if deliveries.count > Self.limit { deliveries = deliveries.dropFirst(deliveries.count - Self.limit) }
        // A slice keeps what was cut off until it is copied.
        if deliveries.startIndex > 4 * Self.limit { deliveries = ArraySlice(Array(deliveries)) }
    }

    /// Takes in others at the places where their numbers belong.
    mutating func merge(_ others: some Sequence<Delivery>) {
        deliveries = (deliveries + others).sorted { $0.number < $1.number }.suffix(Self.limit)
    }

    func after(_ number: Int) -> ArraySlice<Delivery> {
        let first = deliveries.firstIndex { $0.number > number } ?? deliveries.endIndex
        return deliveries[first...]
    }
}
