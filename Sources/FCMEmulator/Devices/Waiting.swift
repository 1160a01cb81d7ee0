import FCM

/// The messages that wait for a device that cannot be reached: at FCM for Android, at APNs for Apple, at the browser's
/// push service for the web.
///
/// Some rules are not documented and were decided here: beyond ``maximumKeys`` collapse keys, the keys used last
/// survive; APNs keeps only an app's newest message, as Apple's older pages say; a push service keeps the newest
/// ``maximumMessages``.
struct Waiting: Sendable {
    private(set) var items: [Item] = []
    /// Whether the Android app must be told that messages were discarded.
    private(set) var hasLostMessages = false

    struct Item: Sendable {
        let delivery: Delivery
        let retention: DevicePayload.Retention
    }

    /// Why a message never reached its device.
    enum Loss: String, Hashable, Sendable {
        /// The device was offline, and the message must not be stored.
        case notConnected = "not_connected"
        case expired
        /// A newer message had the same collapse key.
        case collapsed
        /// There were too many collapse keys.
        case collapseKeys = "collapse_keys"
        /// Too many messages were waiting.
        case tooMany = "too_many"
        /// APNs keeps one message for each app.
        case replaced
        /// APNs rejected it.
        case refused
    }

    /// FCM's limit on collapse keys for one device.
    static let maximumKeys = 4
    /// FCM's limit on waiting Android messages without a collapse key. One more, and all waiting messages are
    /// discarded.
    static let maximumMessages = 100

    /// - Parameter second: the current time in seconds since 1970.
    /// - Returns: one element for each message that is lost.
    mutating func add(_ item: Item, on platform: Platform, at second: Int) -> [Loss] {
        guard item.retention.expires > second else { return [.notConnected] }
        var losses = expire(at: second) + replace(item.retention.collapseKey)
        switch platform {
        case .android:
            if item.retention.collapseKey == nil,
                items.count(where: { $0.retention.collapseKey == nil }) == Self.maximumMessages
            {
                losses += Array(repeating: .tooMany, count: items.count + 1)
                items = []
                hasLostMessages = true
                return losses
            }
            items.append(item)
            let keyed = items.indices.filter { items[$0].retention.collapseKey != nil }
            if keyed.count > Self.maximumKeys, let oldest = keyed.first {
                items.remove(at: oldest)
                losses.append(.collapseKeys)
            }
        case .ios:
            losses += items.map { _ in .replaced }
            items = [item]
        case .web:
            items.append(item)
            if items.count > Self.maximumMessages {
                items.removeFirst()
                losses.append(.tooMany)
            }
        }
        return losses
    }

    /// Drops expired messages.
    mutating func expire(at second: Int) -> [Loss] {
        let before = items.count
        items.removeAll { $0.retention.expires <= second }
        return Array(repeating: .expired, count: before - items.count)
    }

    private mutating func replace(_ key: String?) -> [Loss] {
        guard let key, let index = items.firstIndex(where: { $0.retention.collapseKey == key }) else { return [] }
        items.remove(at: index)
        return [.collapsed]
    }
}
