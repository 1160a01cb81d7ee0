import FCM

/// What happened, in order: for those who look on. It holds the latest changes only, and a run of equal ones as one.
struct EventLog: Sendable {
    /// The number of the last change.
    private(set) var number: Int
    /// The number of the last change that is not held any more.
    private var lost: Int
    private var events: ArraySlice<Event> = []
    /// Rung at every change.
    let bell = Bell()

    private static let limit = 1000

    struct Event: Sendable {
        let number: Int
        let change: Change
    }

    enum Change: Hashable, Sendable {
        case delivery(messageID: String, target: SendRequest.Target, fanOut: Int)
        /// A request to one of FCM's services.
        case request(method: String, path: String, status: Int?)
        /// A registration is new, or answers otherwise than before.
        case registration(Registration)
        /// A device went out of reach or came back, or its app moved.
        case device(Registration)
        /// Somebody joined or left.
        case topic(TopicName)
        case groups
        case clock
        /// The script of faults is another.
        case faults
        case reset
    }

    /// - Parameter number: the one after which changes are counted. Where no other run's numbers are, one that looks on
    ///   across a restart is not misled.
    init(countingFrom number: Int) {
        self.number = number
        lost = number
    }

    mutating func note(_ change: Change) {
        number += 1
        if events.last?.change == change { events.removeLast() }
        events.append(Event(number: number, change: change))
        if events.count > Self.limit, let first = events.popFirst() { lost = first.number }
        // A slice keeps what was cut off until it is copied.
        if events.startIndex > 4 * Self.limit { events = ArraySlice(Array(events)) }
        bell.ring()
    }

    /// The latest deliveries since the last reset that are held, newest first.
    func deliveries(atMost count: Int) -> [Change] {
        let changes = events.reversed().lazy.map(\.change).prefix { $0 != .reset }
        let deliveries = changes.filter { if case .delivery = $0 { true } else { false } }
        return Array(deliveries.prefix(count))
    }

    /// What came after a change. `nil` where not all of that is held any more, or the number is none of this eventLog's.
    func events(after number: Int) -> ArraySlice<Event>? {
        guard (lost...self.number).contains(number) else { return nil }
        return events[(events.firstIndex { $0.number > number } ?? events.endIndex)...]
    }
}
