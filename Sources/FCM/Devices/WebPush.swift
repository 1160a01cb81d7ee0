/// What a service worker gets of a message: `webpush` overrides the common notification field by field, and the data as
/// a whole.
///
/// Not looked at: the web push protocol's own limits, and its topic that replaces an earlier message.
struct WebPush {
    private let notification: [String: JSONValue]
    private let data: [String: JSONValue]
    private let config: [String: JSONValue]
    private let common: [String: JSONValue]

    init(_ message: [String: JSONValue]) {
        config = message["webpush"]?.object ?? [:]
        common = message["data"]?.object ?? [:]
        notification = (message["notification"]?.object ?? [:]).merging(config["notification"]?.object ?? [:]) { $1 }
        data = config["data"]?.object ?? common
    }

    var size: Int { notification.contentSize + data.contentSize }

    var payload: DevicePayload {
        var payload: [String: JSONValue] = .shared(notification, data)
        // Firebase's own part of the page reads it under this name.
        if let link = config["fcm_options"]?["link"] { payload["fcmOptions"] = ["link": link] }
        return DevicePayload(
            .web, headers: config["headers"]?.object ?? [:], payload: payload, size: size, shown: shown,
            callbacks: callbacks, warnings: warnings)
    }

    private var shown: DevicePayload.Shown? {
        guard !notification.isEmpty else { return nil }
        return .init(
            title: notification["title"]?.string, body: notification["body"]?.string,
            image: notification["image"]?.string)
    }

    private var callbacks: DevicePayload.Callbacks {
        .init(
            foreground: "onMessage", background: "onBackgroundMessage",
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
