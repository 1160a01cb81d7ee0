import FCM

/// A device that is simulated message by message.
struct SimulatedDevice: Sendable {
    let installation: RecipientKey
    var platform: Platform
    private(set) var isOnline = true
    private(set) var app = AppState.background
    /// The last ``Recent/limit`` arrivals, oldest first.
    private(set) var arrivals: [Arrival] = []
    private(set) var waiting = Waiting()
    /// How many messages never reached the device, by reason.
    private(set) var losses: [Waiting.Loss: Int] = [:]

    init(_ installation: RecipientKey, on platform: Platform) {
        self.installation = installation
        self.platform = platform
    }

    mutating func take(_ delivery: Delivery, at now: Date) {
        let payload = delivery.payload(on: platform, of: installation)
        if payload.refusal != nil {
            count([.refused])
        } else if isOnline {
            arrive(.message(delivery), at: now)
        } else {
            let item = Waiting.Item(delivery: delivery, retention: payload.retention)
            count(waiting.add(item, on: platform, at: now.wholeSeconds))
        }
    }

    /// A device that comes back online gets its waiting messages in order.
    mutating func set(online: Bool?, app: AppState?, at now: Date) {
        self.app = app ?? self.app
        isOnline = online ?? isOnline
        guard isOnline else { return }
        expire(at: now)
        let waited = waiting
        waiting = Waiting()
        if waited.hasLostMessages { arrive(.deletedMessages, at: now) }
        for item in waited.items { arrive(.message(item.delivery), at: now) }
    }

    mutating func expire(at now: Date) { count(waiting.expire(at: now.wholeSeconds)) }

    /// What the system shows, oldest first. Of notifications with one tag only the newest counts, and those that
    /// arrived while the app was in the foreground are not shown. Nothing is ever tapped or cleared.
    var shown: [(delivery: Delivery, shown: DevicePayload.Shown)] {
        var all: [(delivery: Delivery, shown: DevicePayload.Shown)] = []
        for arrival in arrivals where arrival.app != .foreground {
            guard case .message(let delivery) = arrival.content,
                let shown = delivery.payload(on: platform, of: installation).shown
            else { continue }
            if let tag = shown.tag { all.removeAll { $0.shown.tag == tag } }
            all.append((delivery, shown))
        }
        return all
    }

    private mutating func arrive(_ content: Arrival.Content, at now: Date) {
        if arrivals.count == Recent.limit { arrivals.removeFirst() }
        arrivals.append(Arrival(content: content, time: now, app: app))
    }

    private mutating func count(_ lost: [Waiting.Loss]) {
        for loss in lost { losses[loss, default: 0] += 1 }
    }
}

extension Date {
    fileprivate var wholeSeconds: Int { microsecondsSince1970 / 1_000_000 }
}
