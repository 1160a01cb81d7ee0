import FCM
import Testing

/// What devices make of messages, by fcm-protocol §8.1–8.4.
@Suite struct DevicePayloadTests {
    /// 2026-12-01T08:00:00Z
    private static let stamp = DevicePayload.Stamp(
        messageID: "1796112000000000", installation: "cTEST00000000000000001", sender: "123456789012",
        secondsSince1970: 1_796_112_000)

    private func device(_ message: String, _ platform: Platform = .ios) throws -> DevicePayload {
        let message = try #require(try JSONValue(parsing: message.utf8).object)
        return DevicePayload(of: message, on: platform, stamp: Self.stamp)
    }

    @Test func `an Apple device gets the whole of it`() throws {
        let device = try device(
            """
            {"notification":{"title":"High tide","body":"18:42","image":"https://e/i.png"},"data":{"spot":"ostia"},
             "apns":{"payload":{"aps":{"sound":"default","badge":0,"mutable-content":1},"n":{"x":1}}},
             "fcm_options":{"analytics_label":"tide"}}
            """)
        let payload = """
            {"aps":{"alert":{"title":"High tide","body":"18:42"},"sound":"default","badge":0,"mutable-content":1},
             "n":{"x":1},"spot":"ostia","fcm_options":{"image":"https://e/i.png"},
             "gcm.message_id":"1796112000000000","google.c.fid":"cTEST00000000000000001",
             "google.c.sender.id":"123456789012","google.c.a.e":"1","google.c.a.m_l":"tide"}
            """
        #expect(try JSONValue.object(device.payload) == JSONValue(parsing: payload.utf8))
        // 30 days after it was taken.
        #expect(
            device.headers == ["apns-priority": "10", "apns-expiration": "1798704000", "apns-push-type": "alert"])
        #expect(device.shown?.title == "High tide")
        #expect(device.shown?.body == "18:42")
        #expect(device.shown?.image == "https://e/i.png")
        #expect(device.warnings == [])
    }

    @Test(
        arguments: [
            (#"{"notification":{"body":"B"}}"#, Platform.ios, nil, "B"),
            (#"{"notification":{"title":"T"},"apns":{"payload":{"aps":{"alert":"A"}}}}"#, .ios, nil, "A"),
            (
                #"{"apns":{"payload":{"aps":{"alert":{"title-loc-key":"K","body":"B"}}}}}"#, .ios, "(the app's text K)",
                "B"
            ),
            (#"{"notification":{"title":"T","body":"B"},"android":{"notification":{"body":"A"}}}"#, .android, "T", "A"),
            (#"{"android":{"notification":{"body_loc_key":"K"}}}"#, .android, nil, "(the app's text K)"),
            (#"{"notification":{"title":"T"},"webpush":{"notification":{"body":"W"}}}"#, .web, "T", "W"),
        ] as [(String, Platform, String?, String?)])
    func `a device shows what its platform's overrides leave`(
        message: String, platform: Platform, title: String?, body: String?
    ) throws {
        let shown = try #require(try device(message, platform).shown)
        #expect(shown.title == title)
        #expect(shown.body == body)
    }

    @Test(arguments: Platform.allCases)
    func `data alone shows nothing`(platform: Platform) throws {
        #expect(try device(#"{"data":{"a":"1"}}"#, platform).shown == nil)
    }

    @Test func `a subtitle is shown`() throws {
        let device = try device(#"{"apns":{"payload":{"aps":{"alert":{"title":"T","subtitle":"S"}}}}}"#)
        #expect(device.shown?.subtitle == "S")
    }

    @Test(
        arguments: [
            (#"{"notification":{"title":"T"}}"#, "alert"),
            (#"{"apns":{"payload":{"aps":{"content-available":1}}}}"#, "background"),
            (#"{"notification":{"title":"T"},"apns":{"payload":{"aps":{"content-available":1}}}}"#, "alert"),
            (
                #"{"apns":{"live_activity_token":"t","payload":{"aps":{"event":"end","content-state":{}}}}}"#,
                "liveactivity"
            ),
            (#"{"apns":{"headers":{"APNs-Push-Type":"voip"},"payload":{"aps":{"alert":"A"}}}}"#, "voip"),
            (#"{"data":{"a":"1"}}"#, nil),
        ] as [(String, String?)])
    func `FCM works out the push type`(message: String, pushType: String?) throws {
        #expect(try device(message).headers["apns-push-type"]?.string == pushType)
    }

    @Test(
        arguments: [
            (#"{"notification":{"title":"T"}}"#, Platform.ios, "willPresent", nil, "didReceive"),
            (
                #"{"notification":{"title":"T"},"apns":{"payload":{"aps":{"content-available":1}}}}"#, .ios,
                "willPresent",
                "didReceiveRemoteNotification", "didReceive"
            ),
            (
                #"{"apns":{"payload":{"aps":{"content-available":1}}}}"#, .ios, "didReceiveRemoteNotification",
                "didReceiveRemoteNotification", nil
            ),
            (#"{"data":{"a":"1"}}"#, .ios, "didReceiveRemoteNotification", nil, nil),
            (
                #"{"apns":{"live_activity_token":"t","payload":{"aps":{"event":"end"}}}}"#, .ios, "ActivityKit",
                "ActivityKit", nil
            ),
            (#"{"notification":{"title":"T"}}"#, .android, "onMessageReceived", nil, "the launcher's activity"),
            (
                #"{"android":{"notification":{"click_action":"OPEN"}}}"#, .android, "onMessageReceived", nil,
                "the activity for OPEN"
            ),
            (#"{"data":{"a":"1"}}"#, .android, "onMessageReceived", "onMessageReceived", nil),
            (#"{"notification":{"title":"T"}}"#, .web, "onMessage", "onBackgroundMessage", "notificationclick"),
            (#"{"data":{"a":"1"}}"#, .web, "onMessage", "onBackgroundMessage", nil),
        ] as [(String, Platform, String, String?, String?)])
    func `it is known who is called`(
        message: String, platform: Platform, foreground: String, background: String?, tap: String?
    ) throws {
        let callbacks = try device(message, platform).callbacks
        #expect(callbacks.foreground == foreground)
        #expect(callbacks.background == background)
        #expect(callbacks.tap == tap)
    }

    @Test func `Android's options travel beside the payload`() throws {
        let device = try device(
            #"{"notification":{"title":"T"},"android":{"ttl":"60s","collapse_key":"k","priority":"NORMAL"}}"#, .android)
        #expect(device.headers == ["priority": "normal", "ttl": "60s", "collapse_key": "k"])
        #expect(device.payload == ["notification": ["title": "T"]])
    }

    @Test func `a link is Firebase's to open`() throws {
        let device = try device(
            #"{"data":{"a":"1"},"webpush":{"headers":{"TTL":"60"},"fcm_options":{"link":"https://e"}}}"#, .web)
        #expect(device.headers == ["TTL": "60"])
        #expect(device.payload == ["data": ["a": "1"], "fcmOptions": ["link": "https://e"]])
    }

    // MARK: Sizes

    @Test(arguments: [
        // {"aps":{"alert":"B"},"k":"v"}
        (#"{"notification":{"body":"B"},"data":{"k":"v"}}"#, Platform.ios, 29),
        // body, B, k, v
        (#"{"notification":{"body":"B"},"data":{"k":"v"}}"#, .android, 7),
        (#"{"data":{"k":"è"},"webpush":{"notification":{"silent":true,"vibrate":[100]}}}"#, .web, 23),
    ])
    func `keys and values count, and nothing that FCM adds`(message: String, platform: Platform, size: Int) throws {
        #expect(try device(message, platform).size == size)
    }

    @Test(arguments: [(4095, []), (4096, ["4097 bytes are too many: FCM takes 4096"])])
    func `too large a payload is warned about`(length: Int, warnings: [String]) throws {
        let text = String(repeating: "x", count: length)
        #expect(
            try device(#"{"notification":{"title":"T"},"data":{"k":"\#(text.dropFirst(6))"}}"#, .android).warnings
                == warnings)
    }

    // MARK: Warnings

    @Test(arguments: [
        (
            #"{"notification":{"title":"T"},"data":{"n":"1"},"apns":{"payload":{"aps":{},"n":2}}}"#, Platform.ios,
            "'n' of data and of apns.payload are one key on Apple devices"
        ),
        (
            #"{"notification":{"title":"T"},"data":{"aps":"1"}}"#, .ios,
            "'aps' of data and of apns.payload are one key on Apple devices"
        ),
        (
            #"{"notification":{"body":"B"},"apns":{"payload":{"aps":{"alert":{"title":"T"}}}}}"#, .ios,
            "aps.alert has no body, and whether FCM takes the notification's is not known"
        ),
        (
            #"{"notification":{"title":"T","image":"https://e"}}"#, .ios,
            "the image is not shown: aps.mutable-content is not 1"
        ),
        (
            #"{"data":{"a":"1"},"apns":{"headers":{"apns-priority":"5"}}}"#, .ios,
            "nothing is shown, and without aps.content-available no app in the background hears of it"
        ),
        (
            #"{"apns":{"payload":{"aps":{"content-available":1}}}}"#, .ios,
            "without an alert APNs wants apns-priority 5"
        ),
        (
            #"{"data":{"a":"1"},"android":{"priority":"high"}}"#, .android,
            "a message of high priority that shows nothing may be delivered at normal priority"
        ),
        (
            #"{"data":{"a":"1","b":"1"},"android":{"data":{"b":"2"}}}"#, .android,
            "'a' of data does not arrive: android.data replaces all of it"
        ),
        (#"{"apns":{"payload":{"aps":{"alert":"A"}}}}"#, .android, "an Android app gets nothing of it"),
        (#"{"apns":{"payload":{"aps":{"alert":"A"}}}}"#, .web, "a web app gets nothing of it"),
        (
            #"{"data":{"a":"1"}}"#, .web,
            "nothing is shown, for which some browsers withdraw the permission to push"
        ),
    ])
    func `what its author may not have meant is said`(message: String, platform: Platform, warning: String) throws {
        #expect(try device(message, platform).warnings == [warning])
    }

    @Test(arguments: Platform.allCases)
    func `an ordinary notification is warned about nowhere`(platform: Platform) throws {
        #expect(try device(#"{"notification":{"title":"T","body":"B"},"data":{"a":"1"}}"#, platform).warnings == [])
    }
}
