import FCM

/// Everything the emulator remembers. It is a value: only its functions change it, and they do no I/O. It has many
/// parts, because FCM has many resources and the emulator many settings.
struct World: Sendable {
    var settings: Settings
    private(set) var enrolments: [Registration: Enrolment] = [:]
    /// The installations behind the registrations. A token and a fid of one installation are one device.
    private(set) var devices: [RecipientKey: Device] = [:]
    private(set) var topics: [TopicName: Topic] = [:]
    var groups = DeviceGroups() { didSet { eventLog.note(.groups) } }
    /// The devices that a test has changed. What the others received is computed on demand.
    var simulatedDevices: [RecipientKey: SimulatedDevice] = [:]
    /// The credentials of the apps on devices, by fid.
    var apps: [Registration: App] = [:]
    var eventLog: EventLog
    /// How far the world's time is ahead of the clock, in seconds.
    var lead: TimeInterval = 0
    private var propagationDelay = PropagationDelay()
    private(set) var tokens = AccessTokens()
    private(set) var ledger = LineLog()
    private(set) var requests = LineLog()
    private(set) var signIns = SignInCounts()
    /// The status in the next ledger lines. `nil` if the caller gets no answer.
    var toldStatus: Int? = 200
    /// Ledger lines that are not written to the file yet.
    private var freshLedgerLines: [UInt8] = []
    /// The number of the last delivery. Message ids contain it, so it differs from the numbers of other runs and
    /// survives a reset.
    private var deliveries: Int
    private var opaque: OpaqueText
    /// The last message. All recipients of a campaign get equal messages, which then share one copy.
    private var lastMessage: Message?

    /// - Parameter number: deliveries, keys and tokens are numbered from here. The microsecond of the start is a good
    ///   value.
    init(_ settings: Settings = Settings(), countingFrom number: Int = 0) {
        self.settings = settings
        eventLog = EventLog(countingFrom: number)
        deliveries = number
        opaque = OpaqueText(after: number)
    }

    /// The last numbers of deliveries, keys and tokens.
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

    /// The registration as FCM sees it. `nil` if FCM does not know it. The key of a group looks like a token but is not
    /// one.
    func enrolment(of registration: Registration) -> Enrolment? {
        if groups.isKey(registration.rawValue) { return nil }
        if let enrolment = enrolments[registration] { return enrolment }
        return settings.strict || devices[registration.recipientKey]?.hasRegistered == true ? nil : Enrolment()
    }

    /// The world's time. Delayed subscriptions that are due by then take effect.
    mutating func time(at now: Date) -> Date {
        let now = now + lead
        while let change = propagationDelay.next(at: now) {
            let wasReached = isReached(change.registration, through: change.topic)
            propagationDelay.apply()
            reroute(change.registration, change.topic, from: wasReached)
        }
        return now
    }

    /// Remembers a registration from a request.
    mutating func meet(_ registration: Registration) {
        guard enrolments[registration] == nil else { return }
        add(registration)
        eventLog.note(.registration(registration))
    }

    private mutating func add(_ registration: Registration) {
        enrolments[registration] = Enrolment()
        devices[registration.recipientKey, default: Device()].registrations.append(registration)
    }

    /// Adds or changes a registration. A change of state may add it to the fan-out of its topics, or remove it.
    mutating func enrol(_ registration: Registration, platform: Platform, state: Enrolment.State) {
        let before = enrolments[registration]
        var enrolment = before ?? Enrolment()
        let routes = Set(enrolment.topics.keys).union(propagationDelay.topics(of: registration))
            .map { ($0, isReached(registration, through: $0)) }
        enrolment.platform = platform
        enrolment.state = state
        guard enrolment != before else { return }
        if before == nil { add(registration) }
        enrolments[registration] = enrolment
        simulatedDevices[registration.recipientKey]?.platform = platform
        eventLog.note(.registration(registration))
        if state == .unregistered { groups.drop(registration) }
        for (topic, wasReached) in routes { reroute(registration, topic, from: wasReached) }
    }

    mutating func join(_ registration: Registration, _ topic: TopicName, at now: Date) {
        if enrolments[registration] == nil { add(registration) }
        guard enrolments[registration]?.topics[topic] == nil else { return }
        let wasReached = isReached(registration, through: topic)
        propagationDelay.add(
            registration, topic, joined: (before: nil, after: now), at: now, taking: settings.membershipDelay)
        enrolments[registration]?.topics[topic] = now
        topics[topic, default: Topic()].members.insert(registration)
        eventLog.note(.topic(topic))
        reroute(registration, topic, from: wasReached)
    }

    mutating func leave(_ registration: Registration, _ topic: TopicName, at now: Date) {
        guard let joined = enrolments[registration]?.topics[topic] else { return }
        let wasReached = isReached(registration, through: topic)
        propagationDelay.add(
            registration, topic, joined: (before: joined, after: nil), at: now, taking: settings.membershipDelay)
        enrolments[registration]?.topics[topic] = nil
        topics[topic]?.members.remove(registration)
        eventLog.note(.topic(topic))
        reroute(registration, topic, from: wasReached)
        dropTopicIfUnused(topic)
    }

    /// An app registers, for the first time or anew. From now on FCM knows its installation by this registration only.
    ///
    /// - Parameter platform: `nil` keeps the device's.
    /// - Returns: the registrations that this one displaces.
    mutating func register(_ registration: Registration, on platform: Platform? = nil) -> [Registration] {
        let platform = platform ?? self.platform(of: registration)
        let displaced = (devices[registration.recipientKey]?.registrations ?? []).filter {
            $0 != registration && [.active, .apnsDead].contains(enrolments[$0]?.state)
        }
        for other in displaced { end(other) }
        if enrolments[registration]?.state != .active { end(registration) }
        enrol(registration, platform: platform, state: .active)
        devices[registration.recipientKey]?.hasRegistered = true
        return displaced
    }

    /// The platform of its device, which may be known by another registration.
    func platform(of registration: Registration) -> Platform {
        enrolments[registration]?.platform
            ?? devices[registration.recipientKey]?.registrations.last.flatMap { enrolments[$0]?.platform } ?? .android
    }

    /// Ends a registration with its subscriptions, at once. The propagation delay does not apply.
    mutating func end(_ registration: Registration) {
        guard let enrolment = enrolments[registration] else { return }
        enrol(registration, platform: enrolment.platform, state: .unregistered)
        propagationDelay.forget(registration)
        enrolments[registration]?.topics = [:]
        for topic in enrolment.topics.keys {
            topics[topic]?.members.remove(registration)
            eventLog.note(.topic(topic))
            dropTopicIfUnused(topic)
        }
    }

    /// Text of `[A-Za-z0-9_-]` that differs from all earlier ones.
    mutating func newText(length: Int) -> String { opaque.next(length: length) }

    /// A key that looks like FCM's and differs from all earlier ones.
    mutating func newGroupKey() -> String { "APA91b" + opaque.next(length: 134) }

    /// Makes an access token that is valid until `end`.
    mutating func issueToken(until end: Date) -> String {
        let token = "ya29.c." + opaque.next(length: 200)
        tokens.add(token, until: end)
        return token
    }

    /// Forgets everything except the counters of deliveries, keys and tokens. The world's time is the clock's again.
    mutating func reset() {
        let eventLog = eventLog
        self = World(settings, countingFrom: max(deliveries, opaque.number))
        self.eventLog = eventLog
        self.eventLog.note(.reset)
    }

    /// The subscriptions that a question for them shows, with the time of each.
    func listedTopics(of registration: Registration) -> [TopicName: Date] {
        propagationDelay.seen(enrolment(of: registration)?.topics ?? [:], of: registration)
    }

    /// Whether messages to the topic reach the registration.
    private func isReached(_ registration: Registration, through topic: TopicName) -> Bool {
        guard let enrolment = enrolments[registration], enrolment.state == .active else { return false }
        return propagationDelay.isMember(registration, of: topic) ?? (enrolment.topics[topic] != nil)
    }

    /// Adds the registration to the topic's fan-out or removes it, if that has changed.
    private mutating func reroute(_ registration: Registration, _ topic: TopicName, from wasReached: Bool) {
        switch (wasReached, isReached(registration, through: topic)) {
        case (false, true): attach(registration, to: topic)
        case (true, false): detach(registration, from: topic)
        default: break
        }
    }

    /// Drops a topic that has no subscribers and reaches no device.
    private mutating func dropTopicIfUnused(_ name: TopicName) {
        if let topic = topics[name], topic.members.isEmpty, topic.reach == 0 { topics[name] = nil }
    }

    private mutating func attach(_ registration: Registration, to topic: TopicName) {
        let isFirst = devices[registration.recipientKey, default: Device()].attach(to: topic, after: deliveries)
        if isFirst { topics[topic, default: Topic()].reach += 1 }
    }

    private mutating func detach(_ registration: Registration, from topic: TopicName) {
        let received = topics[topic]?.recent ?? Recent()
        let isLast = devices[registration.recipientKey]?.detach(from: topic, keeping: received) ?? false
        if isLast { topics[topic]?.reach -= 1 }
        dropTopicIfUnused(topic)
    }
}

extension World {
    mutating func deliver(_ request: SendRequest, to registration: Registration, at now: Date) -> String {
        deliveries += 1
        let id = Delivery.deviceID(number: deliveries, sent: now)
        meet(registration)
        let delivery = Delivery(
            number: deliveries, messageID: id, sent: now, topic: nil, message: interned(request.message))
        hand(delivery, to: registration.recipientKey)
        record(request, id: id, fanOut: 1, at: now)
        return id
    }

    mutating func deliver(_ request: SendRequest, toTopic topic: TopicName, at now: Date) -> String {
        deliveries += 1
        let id = String(deliveries.scrambled)
        let delivery = Delivery(
            number: deliveries, messageID: id, sent: now, topic: topic, message: interned(request.message))
        topics[topic]?.recent.append(delivery)
        for installation in simulatedDevices.keys where devices[installation]?.follows(topic) == true {
            simulatedDevices[installation]?.take(delivery, at: delivery.sent)
        }
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

    /// The installations that may match a condition. Only a condition that matches devices without topics can match all
    /// of them.
    private func installations(thatMayMatch condition: Condition) -> Set<RecipientKey> {
        let candidates =
            if condition.matches({ _ in false }) {
                Set(enrolments.keys)
            } else {
                condition.topics.reduce(into: propagationDelay.registrations) {
                    $0.formUnion(topics[$1]?.members ?? [])
                }
            }
        return Set(candidates.filter { enrolments[$0]?.state == .active }.map(\.recipientKey))
    }

    private mutating func deliver(
        _ request: SendRequest, toEach installations: Set<RecipientKey>, at now: Date
    ) -> String {
        deliveries += 1
        let id = String(deliveries.scrambled)
        let delivery = Delivery(
            number: deliveries, messageID: id, sent: now, topic: nil, message: interned(request.message))
        for installation in installations { hand(delivery, to: installation) }
        record(request, id: id, fanOut: installations.count, at: now)
        return id
    }

    private mutating func hand(_ delivery: Delivery, to installation: RecipientKey) {
        devices[installation, default: Device()].direct.append(delivery)
        simulatedDevices[installation]?.take(delivery, at: delivery.sent)
    }

    /// - Parameters:
    ///   - status: `nil` if the call got no answer.
    ///   - refusal: why the emulator refused it. The query of such a call may hold the emulator's token.
    ///   - now: the time of the clock.
    mutating func log(_ call: Call, status: Int?, refusal: String? = nil, at now: Date) {
        let now = time(at: now)
        let path = refusal == nil ? call.target : call.targetPath
        var line = JSONLine()
        line.add("time", now.rfc3339)
        line.add("method", call.method)
        line.add("path", path)
        line.add("status", status)
        if let refusal { line.add("refused", refusal) }
        requests.append(line.finished())
        if refusal == nil { signIns.count(call, status: status) }
        eventLog.note(.request(method: call.method, path: path, status: status))
    }

    /// The ledger lines since the last call of this function.
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
        eventLog.note(.delivery(messageID: id, target: request.target, fanOut: fanOut))
        ledger.append(bytes)
        freshLedgerLines += bytes
    }

    private mutating func interned(_ message: Message) -> Message {
        if let lastMessage, lastMessage == message { return lastMessage }
        lastMessage = message
        return message
    }
}
