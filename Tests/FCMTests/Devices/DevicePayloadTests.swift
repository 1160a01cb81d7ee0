import FCM
import Testing

/// What devices receive and show: docs/reference/fcm.md#from-message-to-device.
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
        // 30 days after FCM accepted it
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

    @Test func `a Struct rounds whole numbers that 53 bits cannot hold`() throws {
        let numbers = #"{"a":9007199254740991,"b":[9007199254740993,-9007199254740993],"c":0.1,"d":"9007199254740993"}"#
        let rounded = #"{"a":9007199254740991,"b":[9007199254740992,-9007199254740992],"c":0.1,"d":"9007199254740993"}"#
        let apple = try device(#"{"apns":{"payload":{"aps":{},"n":\#(numbers)}}}"#)
        #expect(try apple.payload["n"] == JSONValue(parsing: rounded.utf8))
        let web = try device(#"{"webpush":{"notification":{"data":\#(numbers)}}}"#, .web)
        #expect(try web.payload["notification"]?["data"] == JSONValue(parsing: rounded.utf8))
        #expect(JSONValue.digits("123456789012345678901").inStruct == .double(123_456_789_012_345_683_968))
        #expect(JSONValue.int(.max).inStruct == .double(0x1p63) && JSONValue.int(.min).inStruct == .int(.min))
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

    /// The callbacks with the app in the foreground, in the background and terminated, and after a tap.
    struct Called: Sendable, CustomTestStringConvertible {
        var platform: Platform
        var message: String
        var foreground: String
        var background: String?
        var terminated: String?
        var tap: String?
        var testDescription: String { "\(platform): \(message)" }
    }

    private static let remote = "didReceiveRemoteNotification"
    private static let activity = "ActivityKit"
    private static let service = "onMessageReceived"
    private static let worker = "onBackgroundMessage"

    static let calls = [
        Called(
            platform: .ios, message: #"{"notification":{"title":"T"}}"#, foreground: "willPresent", tap: "didReceive"),
        Called(
            platform: .ios, message: #"{"notification":{"title":"T"},"data":{"a":"1"}}"#, foreground: "willPresent",
            tap: "didReceive"),
        Called(
            platform: .ios,
            message: #"{"notification":{"title":"T"},"apns":{"payload":{"aps":{"content-available":1}}}}"#,
            foreground: "willPresent", background: remote, tap: "didReceive"),
        Called(
            platform: .ios,
            message:
                #"{"data":{"a":"1"},"apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{"content-available":1}}}}"#,
            foreground: remote, background: remote),
        Called(platform: .ios, message: #"{"data":{"a":"1"}}"#, foreground: remote),
        Called(
            platform: .ios, message: #"{"apns":{"live_activity_token":"t","payload":{"aps":{"event":"end"}}}}"#,
            foreground: activity, background: activity, terminated: activity),
        Called(
            platform: .android, message: #"{"notification":{"title":"T"}}"#, foreground: service,
            tap: "the launcher's activity"),
        Called(
            platform: .android, message: #"{"data":{"a":"1"},"android":{"notification":{"click_action":"OPEN"}}}"#,
            foreground: service, tap: "the activity for OPEN"),
        Called(
            platform: .android, message: #"{"data":{"a":"1"}}"#, foreground: service, background: service,
            terminated: service),
        Called(
            platform: .web, message: #"{"notification":{"title":"T"}}"#, foreground: "onMessage", background: worker,
            terminated: worker, tap: "notificationclick"),
        Called(
            platform: .web, message: #"{"data":{"a":"1"}}"#, foreground: "onMessage", background: worker,
            terminated: worker),
    ]

    @Test(arguments: calls)
    func `who is called depends on where the app is`(_ expected: Called) throws {
        let callbacks = try device(expected.message, expected.platform).callbacks
        #expect(callbacks[.foreground] == expected.foreground)
        #expect(callbacks[.background] == expected.background)
        #expect(callbacks[.terminated] == expected.terminated)
        #expect(callbacks.tap == expected.tap)
    }

    // MARK: How long it is kept

    @Test(
        arguments: [
            (#"{"data":{"a":"1"}}"#, Platform.android, 2_419_200, nil),
            (#"{"data":{"a":"1"},"android":{"ttl":"3600s","collapse_key":"k"}}"#, .android, 3600, "k"),
            // It is rounded down to whole seconds, so there is one attempt only.
            (#"{"data":{"a":"1"},"android":{"ttl":"0.9s"}}"#, .android, 0, nil),
            (#"{"notification":{"title":"T"},"android":{"collapse_key":"k"}}"#, .android, 2_419_200, "the app"),
            (
                #"{"notification":{"title":"T"},"android":{"restricted_package_name":"it.tide"}}"#, .android, 2_419_200,
                "it.tide"
            ),
            (#"{"data":{"a":"1"},"android":{"ttl":"60s"}}"#, .ios, 2_592_000, nil),
            (
                #"{"apns":{"headers":{"apns-expiration":"1796115600","APNS-Collapse-ID":"c"}}}"#, .ios, 3600, "c"
            ),
            (#"{"apns":{"headers":{"apns-expiration":"0"}}}"#, .ios, 0, nil),
            (#"{"data":{"a":"1"}}"#, .web, 2_419_200, nil),
            (#"{"webpush":{"headers":{"ttl":"60","Topic":"w"}}}"#, .web, 60, "w"),
            (#"{"webpush":{"headers":{"TTL":"0"}}}"#, .web, 0, nil),
        ] as [(String, Platform, Int, String?)])
    func `each platform has its own lifetime and its own key`(
        message: String, platform: Platform, seconds: Int, key: String?
    ) throws {
        let retention = try device(message, platform).retention
        #expect(retention.expires - Self.stamp.secondsSince1970 == seconds)
        #expect(retention.collapseKey == key)
    }

    @Test(arguments: [(nil, true), ("tides", false)] as [(String?, Bool)])
    func `only a topic's message can collapse for holding nothing`(topic: String?, isKept: Bool) throws {
        var stamp = Self.stamp
        stamp.topic = topic
        let device = DevicePayload(of: ["android": ["priority": "high"]], on: .android, stamp: stamp)
        #expect((device.retention.collapseKey == nil) == isKept)
    }

    @Test(
        arguments: [
            (#"{"apns-priority":"10"}"#, #"{"content-available":1}"#, "BadPriority"),
            (#"{"apns-priority":"10","apns-push-type":"background"}"#, #"{"alert":"A"}"#, "BadPriority"),
            (#"{"apns-priority":"7"}"#, #"{"alert":"A"}"#, "BadPriority"),
            (#"{"apns-push-type":"alerts"}"#, #"{"alert":"A"}"#, "InvalidPushType"),
            (#"{"apns-push-type":""}"#, #"{"alert":"A"}"#, "InvalidPushType"),
            (#"{"apns-push-type":"pushtotalk"}"#, #"{"alert":"A"}"#, nil),
            (#"{"apns-expiration":"1h"}"#, #"{"alert":"A"}"#, "BadExpirationDate"),
            (#"{"apns-expiration":"-1"}"#, #"{"alert":"A"}"#, "BadExpirationDate"),
            (#"{"apns-collapse-id":"\#(String(repeating: "c", count: 65))"}"#, #"{"alert":"A"}"#, "BadCollapseId"),
            (#"{"apns-collapse-id":"\#(String(repeating: "c", count: 64))"}"#, #"{"alert":"A"}"#, nil),
            (#"{"apns-priority":"5"}"#, #"{"content-available":1}"#, nil),
            (#"{"apns-priority":"1"}"#, #"{"content-available":1}"#, nil),
            (#"{"apns-priority":"10"}"#, #"{"alert":"A","content-available":1}"#, nil),
            // FCM adds this by itself.
            ("{}", #"{"content-available":1}"#, nil),
        ] as [(String, String, String?)])
    func `APNs refuses headers that do not fit`(headers: String, aps: String, reason: String?) throws {
        let device = try device(#"{"apns":{"headers":\#(headers),"payload":{"aps":\#(aps)}}}"#)
        #expect(device.refusal == reason)
        #expect(device.warnings.contains { $0.hasPrefix("APNs refuses it") } == (reason != nil))
    }

    @Test(
        arguments: [
            (#"{"notification":{"title":"T"},"apns":{"headers":{"apns-collapse-id":"c"}}}"#, Platform.ios, "c"),
            (
                #"{"notification":{"title":"T"},"android":{"notification":{"tag":"t"},"collapse_key":"k"}}"#, .android,
                "t"
            ),
            (
                #"{"notification":{"title":"T"},"webpush":{"notification":{"tag":"w"},"headers":{"Topic":"p"}}}"#, .web,
                "w"
            ),
            (#"{"notification":{"title":"T"}}"#, .android, nil),
        ] as [(String, Platform, String?)])
    func `what is shown is replaced by its tag`(message: String, platform: Platform, tag: String?) throws {
        #expect(try device(message, platform).shown?.tag == tag)
    }

    /// The keys that Firebase's Android SDK leaves in the intent.
    @Test(
        arguments: [
            (
                #"{"notification":{"title":"T"},"data":{"spot":"ostia"},"android":{"ttl":"60.5s","collapse_key":"k"}}"#,
                "tides", #"{"spot":"ostia","from":"/topics/tides","google.ttl":60,\#(high)}"#
            ),
            (
                #"{"data":{"spot":"ostia"},"android":{"priority":"HIGH","collapse_key":"k","data":{"a":"1"}}}"#, nil,
                #"{"a":"1","from":"123456789012","google.ttl":2419200,"collapse_key":"k",\#(high)}"#
            ),
            (
                #"{"notification":{"title":"T"},"android":{"restricted_package_name":"it.tide"}}"#, nil,
                #"{"from":"123456789012","google.ttl":2419200,"collapse_key":"it.tide",\#(high)}"#
            ),
        ] as [(String, String?, String)])
    func `a tapped notification's activity finds extras`(message: String, topic: String?, extras: String) throws {
        var stamp = Self.stamp
        stamp.messageID = "0:1796112000000000%31bd1c9631bd1c96"
        stamp.topic = topic
        let message = try #require(try JSONValue(parsing: message.utf8).object)
        let device = DevicePayload(of: message, on: .android, stamp: stamp)
        #expect(try JSONValue.object(device.extras) == JSONValue(parsing: extras.utf8))
    }

    private static let high =
        #""google.message_id":"0:1796112000000000%31bd1c9631bd1c96","google.sent_time":1796112000000,"#
        + #""google.original_priority":"high","google.delivered_priority":"high""#

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
            "nothing is shown, and without aps.content-available it does not wake an app in the background"
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
