import Testing

/// A message from elsewhere, and the campaign that says the same, both as Google and Apple document them.
struct Conversion: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let source: String
    /// As `kind: value`, or the registrations.
    let target: String
    let message: String
    var lifetime: Int64?
    /// The first words of each note.
    var notes: [String] = []
}

extension Conversion {
    static let token = "cTEST00000000000000001:" + String(repeating: "A", count: 120)

    static let all: [Conversion] = [
        .init(
            testDescription: "legacy, from the guide to HTTP v1",
            source: """
                {"to": "/topics/news", "notification": {"title": "Breaking News", "body": "New news story available.",
                 "click_action": "TOP_STORY_ACTIVITY"}, "data": {"story_id": "story_12345"}}
                """,
            target: "topic: news",
            message: """
                {"notification": {"title": "Breaking News", "body": "New news story available."},
                 "data": {"story_id": "story_12345"},
                 "android": {"notification": {"click_action": "TOP_STORY_ACTIVITY"}},
                 "apns": {"headers": {"apns-push-type": "alert"}, "payload": {"aps": {"category": "TOP_STORY_ACTIVITY"}}}}
                """),
        .init(
            testDescription: "legacy, every key",
            source: """
                {"registration_ids": ["\(token)"], "collapse_key": "tides", "priority": "high", "time_to_live": 3600,
                 "content_available": true, "mutable_content": true, "restricted_package_name": "it.marea",
                 "dry_run": true, "delay_while_idle": true, "direct_boot_ok": true, "data": {"level": 115, "n": null},
                 "fcm_options": {"analytics_label": "tides"}, "odd\\nkey": 1,
                 "notification": {"title": "Tide", "body": "High", "sound": "bell", "badge": "3", "subtitle": "Venice",
                  "android_channel_id": "warnings", "icon": "ic_wave", "tag": "t", "color": "#0B5FA5",
                  "body_loc_key": "B", "body_loc_args": "[\\"Lido\\"]", "title_loc_key": "T",
                  "title_loc_args": ["Lido"], "image": "https://marea.example/a.png"}}
                """,
            target: token,
            message: """
                {"notification": {"title": "Tide", "body": "High", "image": "https://marea.example/a.png"},
                 "data": {"level": "115"}, "fcm_options": {"analytics_label": "tides"},
                 "android": {"collapse_key": "tides", "priority": "HIGH", "restricted_package_name": "it.marea",
                  "direct_boot_ok": true, "notification": {"sound": "bell", "channel_id": "warnings",
                   "icon": "ic_wave", "tag": "t", "color": "#0B5FA5", "body_loc_key": "B", "body_loc_args": ["Lido"],
                   "title_loc_key": "T", "title_loc_args": ["Lido"]}},
                 "apns": {"headers": {"apns-priority": "10", "apns-push-type": "alert"}, "payload": {"aps": {"content-available": 1,
                  "mutable-content": 1, "sound": "bell", "badge": 3, "alert": {"subtitle": "Venice", "loc-key": "B",
                   "loc-args": ["Lido"], "title-loc-key": "T", "title-loc-args": ["Lido"]}}}}}
                """,
            lifetime: 3600,
            notes: [
                "collapse_key holds for Android", "delay_while_idle is left out", "it was only to be validated",
                "odd\u{FFFD}key is left out", "data.level is text now",
            ]),
        .init(
            testDescription: "legacy, now or never, for the web",
            source: """
                {"condition": "'a' in topics || 'b' in topics", "time_to_live": "0", "priority": "normal",
                 "notification": {"title": "T", "icon": "https://marea.example/i.png",
                 "click_action": "https://marea.example/tides"}}
                """,
            target: "condition: 'a' in topics || 'b' in topics",
            message: """
                {"notification": {"title": "T"}, "android": {"ttl": "0s", "priority": "NORMAL"},
                 "apns": {"headers": {"apns-expiration": "0", "apns-priority": "5", "apns-push-type": "alert"}},
                 "webpush": {"headers": {"TTL": "0"}, "notification": {"icon": "https://marea.example/i.png"},
                  "fcm_options": {"link": "https://marea.example/tides"}}}
                """),
        .init(
            testDescription: "legacy, in the background",
            source: #"{"to": "/topics/news", "content_available": true, "data": {"a": "b"}}"#,
            target: "topic: news",
            message: """
                {"data": {"a": "b"}, "apns": {"headers": {"apns-push-type": "background", "apns-priority": "5"},
                 "payload": {"aps": {"content-available": 1}}}}
                """),
        .init(
            testDescription: "legacy, data of high priority",
            source: #"{"to": "/topics/news", "data": {"a": "b"}, "priority": "high"}"#,
            target: "topic: news",
            message: """
                {"data": {"a": "b"}, "android": {"priority": "HIGH"}, "apns": {"headers": {"apns-priority": "5"}}}
                """,
            notes: ["apns-priority is 5, not 10"]),
        .init(
            testDescription: "legacy, in the background, of high priority",
            source: #"{"to": "/topics/news", "data": {"a": "b"}, "priority": "high", "content_available": true}"#,
            target: "topic: news",
            message: """
                {"data": {"a": "b"}, "android": {"priority": "HIGH"},
                 "apns": {"headers": {"apns-push-type": "background", "apns-priority": "5"},
                 "payload": {"aps": {"content-available": 1}}}}
                """,
            notes: ["apns-priority is 5, not 10"]),
        .init(
            testDescription: "legacy, mutable alone, with empty texts",
            source: """
                {"to": "/topics/news", "data": {"a": "", "b": "c"}, "mutable_content": true, "collapse_key": "",
                 "notification": {"sound": "", "color": "", "title": ""}}
                """,
            target: "topic: news",
            message: #"{"data": {"a": "", "b": "c"}, "apns": {"payload": {"aps": {"mutable-content": 1}}}}"#,
            notes: [
                "collapse_key is left out: it is empty", "notification.color is left out: it is empty",
                "notification.sound is left out: it is empty", "notification.title is left out: it is empty",
            ]),
        .init(
            testDescription: "v1, with empty texts",
            source: """
                {"topic": "news", "data": {"a": ""}, "notification": {"title": "T", "body": ""},
                 "android": {"ttl": "", "notification": {"color": "", "title_loc_key": "K", "title_loc_args": ["", "x"]}}}
                """,
            target: "topic: news",
            message: """
                {"data": {"a": ""}, "notification": {"title": "T"},
                 "android": {"notification": {"title_loc_key": "K", "title_loc_args": ["", "x"]}}}
                """,
            notes: [
                "android.notification.color is left out", "android.ttl is left out", "notification.body is left out",
            ]),
        .init(
            testDescription: "Apple's payload that neither shows nor wakes",
            source: #"{"aps": {"mutable-content": 1}, "a": "b"}"#, target: "topic: games",
            message: #"{"apns": {"payload": {"aps": {"mutable-content": 1}, "a": "b"}}}"#,
            notes: ["only Apple devices show it"]),
        .init(
            testDescription: "legacy, with keys that it never had, and nothing to show",
            source: """
                {"to": "/topics/news", "android": {"collapse_key": "z"}, "notification": "hi", "data": {}}
                """,
            target: "topic: news", message: "{}",
            notes: [
                "android is left out: FCM's legacy API has no such key", "notification is left out: it is no object",
            ]),
        .init(
            testDescription: "v1, with keys beside the message",
            source: """
                {"message": {"notification": {"title": "T"}, "topic": ""}, "topic": "news", "token": null,
                 "priority": "high", "time_to_live": 60, "validate_only": false}
                """,
            target: "topic: news", message: #"{"notification": {"title": "T"}}"#,
            notes: ["priority is left out: it stands beside the message", "time_to_live is left out"]),
        .init(
            testDescription: "XMPP",
            source: """
                <message id="m-1"><gcm xmlns="google:mobile:data">
                {"to":"\(token)","message_id":"m-1366082849205","data":{"hello":"\\&quot;world\\&quot; &amp; sea"},
                 "delivery_receipt_requested":true,"time_to_live":"99999999"}
                </gcm></message>
                """,
            target: token,
            message: #"{"data": {"hello": "world"}}"#.replacing("world", with: #"\"world\" & sea"#),
            lifetime: 2_419_200,
            notes: [
                "delivery_receipt_requested is left out", "message_id is left out", "time_to_live was 99999999 s",
            ]),
        .init(
            testDescription: "v1, in camelCase as proto3 JSON allows",
            source: """
                {"validateOnly": true, "message": {"topic": "/topics/news", "notification": {"title": "T", "body": "B"},
                 "android": {"ttl": "3600s", "restrictedPackageName": "it.marea", "notification": {"channelId": "c",
                  "notificationPriority": "PRIORITY_HIGH", "bodyLocArgs": []}},
                 "apns": {"payload": {"aps": {"content-available": 1}, "ownKey": {"aB": 1}}},
                 "fcmOptions": {"analyticsLabel": "l"}}}
                """,
            target: "topic: news",
            message: """
                {"notification": {"title": "T", "body": "B"}, "fcm_options": {"analytics_label": "l"},
                 "android": {"ttl": "3600s", "restricted_package_name": "it.marea", "notification": {"channel_id": "c",
                  "notification_priority": "PRIORITY_HIGH"}},
                 "apns": {"payload": {"aps": {"content-available": 1}, "ownKey": {"aB": 1}}}}
                """,
            notes: ["it was only to be validated"]),
        .init(
            testDescription: "v1, only to be validated, without the request around it",
            source: #"{"validateOnly": true, "topic": "news", "token": null, "condition": "", "data": {"a": "b"}}"#,
            target: "topic: news", message: #"{"data": {"a": "b"}}"#, notes: ["it was only to be validated"]),
        .init(
            testDescription: "v1, with two spellings of a key",
            source: """
                {"topic": "news", "android": {"collapseKey": "a", "collapse_key": "b", "notification":
                 {"priority": "min", "notificationPriority": "max"}},
                 "apns": {"payload": {"aps": {"threadId": "a", "thread-id": "b", "alert": {"locKey": "a", "loc-key": "b"}}}}}
                """,
            target: "topic: news",
            message: """
                {"android": {"collapse_key": "b", "notification": {"notification_priority": "PRIORITY_MAX"}},
                 "apns": {"payload": {"aps": {"thread-id": "b", "alert": {"loc-key": "b"}}}}}
                """,
            notes: [
                "android.collapseKey is left out: it says the same as android.collapse_key, whose value was taken",
                "android.notification.priority is left out: it says the same as android.notification.notificationPriority",
                "apns.payload.aps.threadId is left out: it says the same as apns.payload.aps.thread-id",
                "apns.payload.aps.alert.locKey is left out: it says the same as apns.payload.aps.alert.loc-key",
            ]),
        .init(
            testDescription: "the Admin SDK for Node.js",
            source: """
                {"tokens": ["\(token)"], "notification": {"title": "T", "imageUrl": "https://marea.example/a.png"},
                 "android": {"ttl": 3600000, "priority": "high", "notification": {"priority": "max",
                  "visibility": "public", "vibrateTimingsMillis": [0, 250], "eventTimestamp": 1798797600000}},
                 "apns": {"payload": {"aps": {"contentAvailable": true, "threadId": "t", "alert": {"locKey": "K"},
                  "sound": {"critical": true, "name": "n", "volume": 0.5}}}, "fcmOptions": {"imageUrl":
                  "https://marea.example/b.png"}},
                 "webpush": {"fcmOptions": {"link": "https://marea.example/"}, "notification": {"requireInteraction": true}}}
                """,
            target: token,
            message: """
                {"notification": {"title": "T", "image": "https://marea.example/a.png"},
                 "android": {"ttl": "3600s", "priority": "HIGH", "notification": {"notification_priority":
                  "PRIORITY_MAX", "visibility": "PUBLIC", "vibrate_timings": ["0s", "0.250000000s"],
                  "event_time": "2027-01-01T10:00:00Z"}},
                 "apns": {"payload": {"aps": {"content-available": 1, "thread-id": "t", "alert": {"loc-key": "K"},
                  "sound": {"critical": 1, "name": "n", "volume": 0.5}}},
                  "fcm_options": {"image": "https://marea.example/b.png"}},
                 "webpush": {"fcm_options": {"link": "https://marea.example/"},
                  "notification": {"requireInteraction": true}}}
                """,
            notes: [
                "android.notification.vibrateTimingsMillis was read as 0",
                "android.notification.vibrateTimingsMillis was read as 250",
                "android.ttl was read as 3600000",
            ]),
        .init(
            testDescription: "Apple's payload",
            source: """
                {"aps": {"alert": {"title": "Game Request", "body": "Bob wants to play poker"}, "category": "GAME",
                 "badge": 9, "sound": "bingbong.aiff"}, "gameID": "12345678", "n": [1, null, 2.25, {"x": null}]}
                """,
            target: "topic: games",
            message: """
                {"apns": {"headers": {"apns-push-type": "alert"}, "payload": {"aps": {"alert": {"title":
                 "Game Request", "body": "Bob wants to play poker"}, "category": "GAME", "badge": 9,
                 "sound": "bingbong.aiff"}, "gameID": "12345678", "n": [1, 2.25, {}]}}}
                """,
            notes: [
                "only Apple devices show it", "apns.payload.n[1] is left out: it is null",
                "apns.payload.n[3].x is left out: it is null",
            ]),
        .init(
            testDescription: "Apple's payload that shows nothing",
            source: #"{"aps": {"content-available": 1}, "a": "\u0085\u2028\u007f # : ' \" - [x] {y} ${Z} 😀"}"#,
            target: "topic: games",
            message: """
                {"apns": {"headers": {"apns-push-type": "background", "apns-priority": "5"}, "payload":
                 {"aps": {"content-available": 1}, "a": "\\u0085\\u2028\\u007f # : ' \\" - [x] {y} ${Z} 😀"}}}
                """,
            notes: ["only Apple devices show it"]),
    ]
}
