/// The form of a part of the v1 message, by FCM's REST reference (`projects.messages`).
indirect enum MessageShape: Sendable {
    case string
    case bool
    /// A number of 32 bits.
    case int(atLeast: Int64)
    /// `3600s` as on the wire, or `4h` as elsewhere in herald's files.
    case duration
    /// A duration of at most 28 days.
    case timeToLive
    /// A time with its offset from UTC.
    case time
    /// A text that FCM or the device accepts in one form only.
    case form(TextForm)
    /// FCM's spelling, or the same in lower case, as in its SDKs.
    case oneOf([String])
    /// String values with any keys.
    case strings
    /// String values with any keys that FCM has not reserved.
    case data
    /// A light's colour: `#RRGGBB`, `#RRGGBBAA`, or four parts as on the wire.
    case lightColor
    case list(MessageShape)
    /// - Parameter keepsEmpty: Whether FCM tells an empty object from none. If not, an empty one is left out.
    case object([String: MessageShape], keepsEmpty: Bool = false)
    /// Any JSON, passed on unchanged.
    case verbatim
    /// Any JSON, except that the flags of `aps` may be booleans.
    case apnsPayload
}

extension MessageShape {
    static let message = MessageShape.object([
        "data": .data,
        "notification": .object(["title": .string, "body": .string, "image": .form(.image)]),
        "android": android,
        "android_v2": androidV2,
        "apns": apns,
        "webpush": webpush,
        "fcm_options": label,
    ])

    private static let label = MessageShape.object(["analytics_label": .form(.analyticsLabel)])

    private static let android = MessageShape.object(
        androidOptions.merging([
            "priority": .oneOf(["NORMAL", "HIGH"]),
            "notification": .object(
                androidNotification.merging([
                    "bypass_proxy_notification": .bool,
                    "proxy": .oneOf(["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
                ]) { $1 }),
        ]) { $1 })

    /// FCM's preview. Which of its objects is there says what the message is, even if it is empty.
    private static let androidV2 = MessageShape.object(
        androidOptions.merging([
            "background_sync": .object([:], keepsEmpty: true),
            "remote_notification": .object(
                [
                    "mutable_content": .bool, "use_as_v1_data_message": .bool,
                    "notification": .object(
                        androidNotification.merging(["id": .int(atLeast: Int64(Int32.min))]) { $1 }, keepsEmpty: true),
                ], keepsEmpty: true),
        ]) { $1 }, keepsEmpty: true)

    /// What `android` and `android_v2` share.
    private static let androidOptions: [String: MessageShape] = [
        "collapse_key": .string, "ttl": .timeToLive, "restricted_package_name": .string, "data": .data,
        "fcm_options": label, "direct_boot_ok": .bool, "bandwidth_constrained_ok": .bool,
        "restricted_satellite_ok": .bool,
    ]

    private static let androidNotification: [String: MessageShape] = [
        "title": .string, "body": .string, "icon": .string, "color": .form(.color), "sound": .string, "tag": .string,
        "click_action": .string, "body_loc_key": .string, "body_loc_args": .list(.string),
        "title_loc_key": .string, "title_loc_args": .list(.string), "channel_id": .string, "ticker": .string,
        "sticky": .bool, "event_time": .time, "local_only": .bool,
        "notification_priority": .oneOf([
            "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH", "PRIORITY_MAX",
        ]),
        "default_sound": .bool, "default_vibrate_timings": .bool, "default_light_settings": .bool,
        "vibrate_timings": .list(.duration),
        "visibility": .oneOf(["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
        "notification_count": .int(atLeast: 0),
        "light_settings": .object([
            "color": .lightColor, "light_on_duration": .duration, "light_off_duration": .duration,
        ]),
        "image": .form(.image),
    ]

    private static let apns = MessageShape.object([
        "headers": .strings,
        "payload": .apnsPayload,
        "fcm_options": .object(["analytics_label": .form(.analyticsLabel), "image": .form(.image)]),
        "live_activity_token": .form(.filled),
    ])

    private static let webpush = MessageShape.object([
        "headers": .strings,
        "data": .data,
        "notification": .verbatim,
        "fcm_options": .object(["link": .form(.link), "analytics_label": .form(.analyticsLabel)]),
    ])

    /// Whether an empty object or list is a value to FCM. If not, it is left out.
    var keepsEmpty: Bool {
        switch self {
        case .verbatim, .apnsPayload: true
        case .object(_, let keepsEmpty): keepsEmpty
        default: false
        }
    }
}
