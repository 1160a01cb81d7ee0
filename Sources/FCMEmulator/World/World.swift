import FCM

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything the emulator remembers. A value: it changes only through its functions, which do no I/O.
struct World: Sendable {
    /// Whether only registrations that were enrolled by hand exist.
    var strict: Bool
    private(set) var enrolments: [Registration: Enrolment] = [:]
    /// The installations behind the registrations: a token and a fid of one installation are one device.
    private(set) var devices: [RecipientKey: Device] = [:]
    private(set) var topics: [TopicName: Topic] = [:]
    var groups = DeviceGroups()
    private(set) var tokens = AccessTokens()
    private(set) var ledger = LineLog()
    private(set) var requests = LineLog()
    /// The status of the ledger lines that come next; `nil` where whoever sends is told none.
    var toldStatus: Int? = 200
    /// Ledger lines that are not yet written to where they are kept.
    private var freshLedgerLines: [UInt8] = []
    /// The number of the last delivery. Message ids are made of it, so it starts where no other run's numbers are and
    /// survives a reset.
    private var deliveries: Int
    private var opaque: OpaqueText
    /// The last message, which the next one is likely to equal: all recipients of a campaign share one copy.
    private var lastMessage: Message?

    /// - Parameter number: the one after which deliveries, keys and tokens are counted; the microsecond of the start
    ///   will do.
    init(strict: Bool = false, countingFrom number: Int = 0) {
        self.strict = strict
        deliveries = number
        opaque = OpaqueText(after: number)
    }

    /// How far deliveries, and keys and tokens, were counted.
    struct Counters: Hashable, Sendable {
        var deliveries: Int
        var opaque: Int
    }

    var counters: Counters {
        get { Counters(deliveries: deliveries, opaque: opaque.number) }
        set {
            deliveries = newValue.deliveries
            opaque = OpaqueText(after: newValue.opaque)
        }
    }

    /// The registration as FCM would see it; `nil` where it would not know it. A group's key has the shape of a token
    /// and is none.
    func enrolment(of registration: Registration) -> Enrolment? {
        if groups.isKey(registration.rawValue) { return nil }
        return enrolments[registration] ?? (strict ? nil : Enrolment())
    }

    /// Remembers a registration that turned up in a request.
    mutating func meet(_ registration: Registration) {
        if enrolments[registration] == nil { enrolments[registration] = Enrolment() }
    }

    /// Enters a registration, or changes one; a change of state takes it into its topics' fan-out or out of it.
    mutating func enrol(_ registration: Registration, platform: Platform, state: Enrolment.State) {
        let before = enrolments[registration] ?? Enrolment()
        enrolments[registration, default: before].platform = platform
        enrolments[registration, default: before].state = state
        if state == .unregistered { groups.drop(registration) }
        guard (before.state == .active) != (state == .active) else { return }
        for topic in before.topics.keys {
            if state == .active { attach(registration, to: topic) } else { detach(registration, from: topic) }
        }
    }

    mutating func join(_ registration: Registration, _ topic: TopicName, at now: Date) {
        let enrolment = enrolments[registration] ?? Enrolment()
        guard enrolment.topics[topic] == nil else { return }
        enrolments[registration, default: enrolment].topics[topic] = now
        topics[topic, default: Topic()].members.insert(registration)
        if enrolment.state == .active { attach(registration, to: topic) }
    }

    mutating func leave(_ registration: Registration, _ topic: TopicName) {
        guard let enrolment = enrolments[registration], enrolment.topics[topic] != nil else { return }
        enrolments[registration]?.topics[topic] = nil
        if enrolment.state == .active { detach(registration, from: topic) }
        topics[topic]?.members.remove(registration)
        if topics[topic]?.members.isEmpty == true { topics[topic] = nil }
    }

    /// A key that looks like FCM's, unlike any told before.
    mutating func newGroupKey() -> String { "APA91b" + opaque.next(length: 134) }

    /// Makes an access token that is good until a moment.
    mutating func issueToken(until end: Date) -> String {
        let token = "ya29.c." + opaque.next(length: 200)
        tokens.add(token, until: end)
        return token
    }

    /// Forgets everything but how far deliveries, keys and tokens were counted.
    mutating func reset() {
        self = World(strict: strict, countingFrom: max(deliveries, opaque.number))
    }

    private mutating func attach(_ registration: Registration, to topic: TopicName) {
        let isFirst = devices[registration.recipientKey, default: Device()].attach(to: topic, after: deliveries)
        if isFirst { topics[topic]?.reach += 1 }
    }

    private mutating func detach(_ registration: Registration, from topic: TopicName) {
        let received = topics[topic]?.recent ?? Recent()
        let isLast = devices[registration.recipientKey]?.detach(from: topic, keeping: received) ?? false
        if isLast { topics[topic]?.reach -= 1 }
    }
}

extension World {
    mutating func deliver(_ request: SendRequest, to registration: Registration, at now: Date) -> String {
        deliveries += 1
        let id = "0:\(now.microsecondsSince1970)%\(String(deliveries.scrambled, radix: 16))"
        meet(registration)
        let delivery = Delivery(
            number: deliveries, messageID: id, received: now, topic: nil, message: interned(request.message))
        devices[registration.recipientKey, default: Device()].direct.append(delivery)
        record(request, id: id, fanOut: 1, at: now)
        return id
    }

    mutating func deliver(_ request: SendRequest, toTopic topic: TopicName, at now: Date) -> String {
        deliveries += 1
        let id = String(deliveries.scrambled)
        let delivery = Delivery(
            number: deliveries, messageID: id, received: now, topic: topic, message: interned(request.message))
        topics[topic]?.recent.append(delivery)
        record(request, id: id, fanOut: topics[topic]?.reach ?? 0, at: now)
        return id
    }

    mutating func deliver(_ request: SendRequest, toGroup group: DeviceGroups.ID, at now: Date) -> String {
        let active = (groups.members(of: group) ?? []).filter { enrolments[$0]?.state == .active }
        return deliver(request, toEach: Set(active.map(\.recipientKey)), at: now)
    }

    mutating func deliver(_ request: SendRequest, to condition: Condition, at now: Date) -> String {
        let reached = installations(thatMayMatch: condition).filter { installation in
            condition.matches { devices[installation]?.follows($0) ?? false }
        }
        return deliver(request, toEach: reached, at: now)
    }

    /// The installations that a condition may match: only one that matches those without topics can match any.
    private func installations(thatMayMatch condition: Condition) -> Set<RecipientKey> {
        let candidates =
            if condition.matches({ _ in false }) {
                Set(enrolments.keys)
            } else {
                condition.topics.reduce(into: Set()) { $0.formUnion(topics[$1]?.members ?? []) }
            }
        return Set(candidates.filter { enrolments[$0]?.state == .active }.map(\.recipientKey))
    }

    private mutating func deliver(
        _ request: SendRequest, toEach installations: Set<RecipientKey>, at now: Date
    ) -> String {
        deliveries += 1
        let id = String(deliveries.scrambled)
        let delivery = Delivery(
            number: deliveries, messageID: id, received: now, topic: nil, message: interned(request.message))
        for installation in installations { devices[installation, default: Device()].direct.append(delivery) }
        record(request, id: id, fanOut: installations.count, at: now)
        return id
    }

    /// What the installation behind a registration received, oldest first, the last ``Recent/limit`` of them.
    func inbox(of registration: Registration) -> [Delivery] {
        guard let device = devices[registration.recipientKey] else { return [] }
        return device.inbox { topics[$0]?.recent ?? Recent() }
    }

    /// How many topics the installation behind a registration follows.
    func topicCount(of registration: Registration) -> Int {
        max(enrolments[registration]?.topics.count ?? 0, devices[registration.recipientKey]?.topicCount ?? 0)
    }

    /// - Parameter status: `nil` where the call had no answer.
    mutating func log(_ call: Call, status: Int?, at now: Date) {
        var line = JSONLine()
        line.add("time", now.rfc3339)
        line.add("method", call.method)
        line.add("path", call.target)
        line.add("status", status)
        requests.append(line.finished())
    }

    /// The ledger lines since the last call.
    mutating func takeFreshLedgerLines() -> [UInt8] {
        defer { freshLedgerLines = [] }
        return freshLedgerLines
    }

    private mutating func record(_ request: SendRequest, id: String, fanOut: Int, at now: Date) {
        var target = JSONLine()
        target.add(request.target.field, request.target.value)
        var line = JSONLine()
        line.add("time", now.rfc3339)
        line.add("message_id", id)
        line.add("status", toldStatus)
        line.add("delivered", true)
        line.add("target", document: target.finished().dropLast())
        line.add("fan_out", fanOut)
        line.add("message", document: request.message.bytes)
        let bytes = line.finished()
        ledger.append(bytes)
        freshLedgerLines += bytes
    }

    private mutating func interned(_ message: Message) -> Message {
        if let lastMessage, lastMessage == message { return lastMessage }
        lastMessage = message
        return message
    }
}
