import FCM

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What FCM hands to APNs for a message, and the app finds in `userInfo`.
///
/// Not done yet: live activities, and what APNs itself would refuse. Unknown of FCM and decided here: a partial
/// `aps.alert` is not completed from the notification, and `apns.payload` wins over `data` of the same key.
enum ApplePush {
    /// The emulated project's number, which FCM tells the app.
    static let senderID = "123456789012"

    /// The payload before FCM adds keys of its own.
    static func content(of message: Message) -> [String: JSONValue] {
        let custom = message["apns"]?["payload"]?.object ?? [:]
        var aps = custom["aps"]?.object ?? [:]
        if aps["alert"] == nil { aps["alert"] = alert(from: message["notification"]) }
        var payload = (message["data"]?.object ?? [:]).merging(custom) { $1 }
        payload["aps"] = .object(aps)
        if let image = message["apns"]?["fcm_options"]?["image"] ?? message["notification"]?["image"] {
            payload["fcm_options"] = ["image": image]
        }
        return payload
    }

    /// The members of an inbox entry that say what was received: APNs headers and payload.
    static func received(_ delivery: Delivery, by installation: RecipientKey) -> [String: JSONValue] {
        let message = delivery.message
        var payload = content(of: message)
        payload["gcm.message_id"] = .string(String(delivery.received.microsecondsSince1970))
        payload["google.c.fid"] = .string(installation.rawValue)
        payload["google.c.sender.id"] = .string(senderID)
        if payload["aps"]?["alert"] != nil { payload["google.c.a.e"] = "1" }
        let labels = [message["apns"]?["fcm_options"], message["fcm_options"]]
        if let label = labels.compactMap({ $0?["analytics_label"] }).first { payload["google.c.a.m_l"] = label }
        return ["headers": .object(headers(of: delivery, payload: payload)), "payload": .object(payload)]
    }

    /// The message's own headers, and FCM's defaults for those it lacks.
    private static func headers(of delivery: Delivery, payload: [String: JSONValue]) -> [String: JSONValue] {
        let thirtyDays = 30 * 86_400
        let expiration = delivery.received.microsecondsSince1970 / 1_000_000 + thirtyDays
        var headers: [String: JSONValue] = ["apns-priority": "10", "apns-expiration": .string(String(expiration))]
        if payload["aps"]?["alert"] != nil {
            headers["apns-push-type"] = "alert"
        } else if payload["aps"]?["content-available"] == 1 {
            headers["apns-push-type"] = "background"
        }
        for (name, value) in delivery.message["apns"]?["headers"]?.object ?? [:] {
            headers[name.lowercased()] = value
        }
        return headers
    }

    /// Captured pushes have a plain string where only a body was given, and an object where there is a title.
    private static func alert(from notification: JSONValue?) -> JSONValue? {
        let (title, body) = (notification?["title"], notification?["body"])
        guard let title else { return body }
        var alert: [String: JSONValue] = ["title": title]
        if let body { alert["body"] = body }
        return .object(alert)
    }
}
