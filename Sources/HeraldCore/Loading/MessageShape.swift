/// The form of a part of the v1 message, after FCM's REST reference (`projects.messages`).
indirect enum MessageShape: Sendable {
    case string
    case bool
    case int
    /// `3600s` as on the wire, or herald's `4h`.
    case duration
    case oneOf([String])
    /// String values under free keys.
    case strings
    case list(MessageShape)
    case object([String: MessageShape])
    /// JSON of any form, passed on as it stands.
    case verbatim
}

extension MessageShape {
    static let message = MessageShape.object([
        "data": .strings,
        "notification": .object(["title": .string, "body": .string, "image": .string]),
        "android": android,
        "apns": apns,
        "webpush": webpush,
        "fcm_options": label,
    ])

    private static let label = MessageShape.object(["analytics_label": .string])

    private static let android = MessageShape.object([
        "collapse_key": .string,
        "priority": .oneOf(["normal", "high", "NORMAL", "HIGH"]),
        "ttl": .duration,
        "restricted_package_name": .string,
        "data": .strings,
        "notification": androidNotification,
        "fcm_options": label,
        "direct_boot_ok": .bool,
        "bandwidth_constrained_ok": .bool,
        "restricted_satellite_ok": .bool,
    ])

    private static let androidNotification = MessageShape.object([
        "title": .string, "body": .string, "icon": .string, "color": .string, "sound": .string, "tag": .string,
        "click_action": .string, "body_loc_key": .string, "body_loc_args": .list(.string),
        "title_loc_key": .string, "title_loc_args": .list(.string), "channel_id": .string, "ticker": .string,
        "sticky": .bool, "event_time": .string, "local_only": .bool,
        "notification_priority": .oneOf([
            "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH", "PRIORITY_MAX",
        ]),
        "default_sound": .bool, "default_vibrate_timings": .bool, "default_light_settings": .bool,
        "vibrate_timings": .list(.duration),
        "visibility": .oneOf(["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
        "notification_count": .int,
        "light_settings": .object([
            "color": .verbatim, "light_on_duration": .duration, "light_off_duration": .duration,
        ]),
        "image": .string,
        "proxy": .oneOf(["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
    ])

    private static let apns = MessageShape.object([
        "headers": .strings,
        "payload": .verbatim,
        "fcm_options": .object(["analytics_label": .string, "image": .string]),
        "live_activity_token": .string,
    ])

    private static let webpush = MessageShape.object([
        "headers": .strings,
        "data": .strings,
        "notification": .verbatim,
        "fcm_options": .object(["link": .string, "analytics_label": .string]),
    ])
}
