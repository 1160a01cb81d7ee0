/// What a service worker receives: `webpush.notification` overrides the common notification field by field, and
/// `webpush.data` replaces the common data.
///
/// The limits of the web push protocol itself are not checked.
struct WebPush {
    private let notification: [String: JSONValue]
    private let data: [String: JSONValue]
    private let config: [String: JSONValue]
    private let common: [String: JSONValue]

    init(_ message: [String: JSONValue]) {
        config = message["webpush"]?.object ?? [:]
        common = message["data"]?.object ?? [:]
        let own = config["notification"]?.inStruct.object ?? [:]
        notification = (message["notification"]?.object ?? [:]).merging(own) { $1 }
        data = config["data"]?.object ?? common
    }

    var size: Int { notification.contentSize + data.contentSize }

    func payload(_ stamp: DevicePayload.Stamp) -> DevicePayload {
        var payload: [String: JSONValue] = .shared(notification, data)
        // Firebase's JavaScript SDK reads the link under this name.
        if let link = config["fcm_options"]?["link"] { payload["fcmOptions"] = ["link": link] }
        return DevicePayload(
            .web, headers: config["headers"]?.object ?? [:], payload: payload, size: size, shown: shown,
            callbacks: callbacks, retention: retention(stamp), warnings: warnings)
    }

    private func retention(_ stamp: DevicePayload.Stamp) -> DevicePayload.Retention {
        let headers = config["headers"]?.object?.withLowercasedKeys ?? [:]
        let maximum = DevicePayload.Retention.maximum
        let seconds = headers["ttl"]?.string.flatMap { Int($0) } ?? maximum
        return .init(
            expires: stamp.secondsSince1970 + min(max(seconds, 0), maximum), collapseKey: headers["topic"]?.string)
    }

    private var shown: DevicePayload.Shown? {
        guard !notification.isEmpty else { return nil }
        return .init(
            title: notification["title"]?.string, body: notification["body"]?.string,
            image: notification["image"]?.string, tag: notification["tag"]?.string)
    }

    private var callbacks: DevicePayload.Callbacks {
        .init(
            foreground: "onMessage", background: "onBackgroundMessage", terminated: "onBackgroundMessage",
            tap: notification.isEmpty ? nil : "notificationclick")
    }

    private var warnings: [String] {
        var warnings = AndroidPush.replaced(common, by: config["data"], of: "webpush")
        if notification.isEmpty {
            warnings.append(
                data.isEmpty
                    ? "a web app gets nothing of it"
                    : "nothing is shown, for which some browsers withdraw the permission to push")
        }
        return warnings
    }
}
