import FCM

/// The changes in order, for the event stream. It keeps only the latest ones, and a series of equal ones counts as one.
struct EventLog: Sendable {
    /// The number of the last change.
    private(set) var number: Int
    /// The number of the last change that was dropped from the log.
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
        /// A registration is new, or its state changed.
        case registration(Registration)
        /// A device went offline or came back, or its app changed state.
        case device(Registration)
        /// Someone joined or left.
        case topic(TopicName)
        case groups
        case clock
        /// The fault script changed.
        case faults
        case reset
    }

    /// - Parameter number: changes are numbered from here. It should differ from the numbers of other runs, so that a
    ///   client that reconnects after a restart does not mix them up.
    init(countingFrom number: Int) {
        self.number = number
        lost = number
    }

    mutating func note(_ change: Change) {
        number += 1
        if events.last?.change == change { events.removeLast() }
        events.append(Event(number: number, change: change))
        if events.count > Self.limit, let first = events.popFirst() { lost = first.number }
        // A slice keeps its removed elements in memory until it is copied.
        if events.startIndex > 4 * Self.limit { events = ArraySlice(Array(events)) }
        bell.ring()
    }

    /// The latest deliveries in the log since the last reset, newest first.
    func deliveries(atMost count: Int) -> [Change] {
        let changes = events.reversed().lazy.map(\.change).prefix { $0 != .reset }
        let deliveries = changes.filter { if case .delivery = $0 { true } else { false } }
        return Array(deliveries.prefix(count))
    }

    /// The changes after a number. `nil` if some of them were dropped, or if the number is not from this log.
    func events(after number: Int) -> ArraySlice<Event>? {
        guard (lost...self.number).contains(number) else { return nil }
        return events[(events.firstIndex { $0.number > number } ?? events.endIndex)...]
    }
}
