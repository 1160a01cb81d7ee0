// FCM's v1 discovery document, revision 20261023. Tests/fixtures/fcm-v1.tsv has its names.
extension Schema {
    static let sendRequest = Schema(
        "google.firebase.fcm.v1.SendMessageRequest",
        ["message": .message(message), "validate_only": .bool])

    static let topicSubscription = Schema(
        "google.firebase.fcm.v1.TopicSubscription",
        ["name": .string, "topic_name": .string, "create_time": .timestamp])

    static let message = Schema(
        "google.firebase.fcm.v1.Message",
        oneof: ("target", ["fid", "token", "topic", "condition"]),
        [
            "name": .string, "fid": .string, "token": .string, "topic": .string, "condition": .string,
            "data": .stringMap, "notification": .message(notification),
            "android": .message(android), "android_v2": .message(androidV2),
            "apns": .message(apns), "webpush": .message(webpush), "fcm_options": .message(options),
        ])

    private static let notification = Schema(
        "google.firebase.fcm.v1.Notification", ["title": .string, "body": .string, "image": .string])

    private static let options = Schema("google.firebase.fcm.v1.FcmOptions", ["analytics_label": .string])

    private static let androidShared: [String: FieldType] = [
        "collapse_key": .string, "ttl": .duration, "restricted_package_name": .string, "data": .stringMap,
        "fcm_options": .message(Schema("google.firebase.fcm.v1.AndroidFcmOptions", ["analytics_label": .string])),
        "direct_boot_ok": .bool, "bandwidth_constrained_ok": .bool, "restricted_satellite_ok": .bool,
    ]

    private static let android = Schema(
        "google.firebase.fcm.v1.AndroidConfig",
        androidShared.merging([
            "priority": .enumeration("google.firebase.fcm.v1.AndroidMessagePriority", ["NORMAL", "HIGH"]),
            "notification": .message(
                Schema(
                    "google.firebase.fcm.v1.AndroidNotification",
                    androidNotification.merging([
                        "bypass_proxy_notification": .bool,
                        "proxy": .enumeration(
                            "google.firebase.fcm.v1.Proxy",
                            ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
                    ]) { $1 })),
        ]) { $1 })

    private static let androidV2 = Schema(
        "google.firebase.fcm.v1.AndroidConfigV2",
        oneof: ("message_type", ["remote_notification", "background_sync"]),
        androidShared.merging([
            "background_sync": .message(Schema("google.firebase.fcm.v1.AndroidBackgroundSyncMessage", [:])),
            "remote_notification": .message(
                Schema(
                    "google.firebase.fcm.v1.AndroidRemoteNotification",
                    [
                        "mutable_content": .bool, "use_as_v1_data_message": .bool,
                        "notification": .message(
                            Schema(
                                "google.firebase.fcm.v1.AndroidNotificationV2",
                                androidNotification.merging(["id": .int32]) { $1 })),
                    ])),
        ]) { $1 })

    private static let androidNotification: [String: FieldType] = [
        "title": .string, "body": .string, "icon": .string, "color": .string, "sound": .string, "tag": .string,
        "click_action": .string, "body_loc_key": .string, "body_loc_args": .list(.string), "title_loc_key": .string,
        "title_loc_args": .list(.string), "channel_id": .string, "ticker": .string, "sticky": .bool,
        "event_time": .timestamp, "local_only": .bool, "default_sound": .bool, "default_vibrate_timings": .bool,
        "default_light_settings": .bool, "vibrate_timings": .list(.duration), "notification_count": .int32,
        "image": .string,
        "notification_priority": .enumeration(
            "google.firebase.fcm.v1.NotificationPriority",
            [
                "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH",
                "PRIORITY_MAX",
            ]),
        "visibility": .enumeration(
            "google.firebase.fcm.v1.Visibility", ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
        "light_settings": .message(
            Schema(
                "google.firebase.fcm.v1.LightSettings",
                [
                    "light_on_duration": .duration, "light_off_duration": .duration,
                    "color": .message(
                        Schema("google.type.Color", ["red": .float, "green": .float, "blue": .float, "alpha": .float])),
                ])),
    ]

    private static let apns = Schema(
        "google.firebase.fcm.v1.ApnsConfig",
        [
            "headers": .stringMap, "payload": .structure, "live_activity_token": .string,
            "fcm_options": .message(
                Schema("google.firebase.fcm.v1.ApnsFcmOptions", ["analytics_label": .string, "image": .string])),
        ])

    private static let webpush = Schema(
        "google.firebase.fcm.v1.WebpushConfig",
        [
            "headers": .stringMap, "data": .stringMap, "notification": .structure,
            "fcm_options": .message(
                Schema("google.firebase.fcm.v1.WebpushFcmOptions", ["analytics_label": .string, "link": .string])),
        ])
}
