import FCM

/// What waits for a device that cannot be reached: Android's messages at FCM, Apple's at APNs, those of the web at the
/// browser's push service.
///
/// Where their makers leave it open, it is decided here: of more than ``maximumKeys`` collapse keys the ones used last
/// survive; APNs keeps an app's newest message alone (so Apple's older pages; the newer ones do not say); a push
/// service keeps the newest ``maximumMessages``.
struct Waiting: Sendable {
    private(set) var items: [Item] = []
    /// Whether an Android app is to hear that messages were thrown away.
    private(set) var hasLostMessages = false

    struct Item: Sendable {
        let delivery: Delivery
        let retention: DevicePayload.Retention
    }

    /// Why a message never reaches its device.
    enum Loss: String, Hashable, Sendable {
        /// It was not to be kept for a device that is away.
        case notConnected = "not_connected"
        case expired
        /// A newer one of its collapse key came.
        case collapsed
        /// Its collapse key was one too many.
        case collapseKeys = "collapse_keys"
        /// Too many waited.
        case tooMany = "too_many"
        /// APNs keeps one message of an app.
        case replaced
        /// APNs did not take it.
        case refused
    }

    /// FCM's limit on the collapse keys of one device.
    static let maximumKeys = 4
    /// FCM's limit on waiting Android messages without a collapse key: one more, and all that wait are thrown away.
    static let maximumMessages = 100

    /// - Parameter second: now, since 1970.
    /// - Returns: what is lost by it, one element for each message.
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

    /// Lets go of what is too late.
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
