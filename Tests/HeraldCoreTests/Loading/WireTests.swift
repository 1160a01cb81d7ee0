import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What FCM receives for each field of a campaign file: docs/reference/fcm.md#sending.
struct WireTests {
    private func wire(_ message: String) throws -> String {
        let indented = message.split(separator: "\n").map { "  \($0)\n" }.joined()
        let loaded = try WorkspaceLoader.load(files: [
            "c.yaml": "kind: campaign\nname: c\ntarget: {fids: [\(fid)]}\nmessage:\n\(indented)"
        ])
        #expect(loaded.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
        let campaign = try #require(loaded.workspace?.campaigns.first)
        return String(decoding: try JSONValue.object(campaign.message.value).bytes(), as: UTF8.self)
    }

    @Test(arguments: [
        ("data: {score: '850', b: \"\"}", #"{"data":{"b":"","score":"850"}}"#),
        (
            "notification: {title: Alta marea, body: \"18:42 at Ostia\", image: https://x.example/a.png}",
            #"{"notification":{"body":"18:42 at Ostia","image":"https://x.example/a.png","title":"Alta marea"}}"#
        ),
        ("fcm_options: {analytics_label: a-b}", #"{"fcm_options":{"analytics_label":"a-b"}}"#),
        ("notification: {title: x}\ndata: {}\nandroid: {notification: {}}", #"{"notification":{"title":"x"}}"#),
    ])
    func `the common part`(_ message: String, _ json: String) throws {
        #expect(try wire(message) == json)
    }

    @Test(arguments: [
        ("collapse_key: k", #""collapse_key":"k""#), ("priority: high", #""priority":"HIGH""#),
        ("priority: normal", #""priority":"NORMAL""#), ("ttl: 4h", #""ttl":"14400s""#),
        ("ttl: 3.5s", #""ttl":"3.500000000s""#), ("ttl: 3600s", #""ttl":"3600s""#), ("ttl: 28d", #""ttl":"2419200s""#),
        ("ttl: 0s", #""ttl":"0s""#), ("ttl: 0.000000001s", #""ttl":"0.000000001s""#),
        ("ttl: 0.05s", #""ttl":"0.050000000s""#),
        ("restricted_package_name: com.x", #""restricted_package_name":"com.x""#),
        ("data: {a: b}", #""data":{"a":"b"}"#),
        ("fcm_options: {analytics_label: x}", #""fcm_options":{"analytics_label":"x"}"#),
        ("direct_boot_ok: true", #""direct_boot_ok":true"#),
        ("bandwidth_constrained_ok: false", #""bandwidth_constrained_ok":false"#),
        ("restricted_satellite_ok: true", #""restricted_satellite_ok":true"#),
    ])
    func `Android's options`(_ option: String, _ json: String) throws {
        #expect(try wire("android: {\(option)}") == #"{"android":{\#(json)}}"#)
    }

    @Test(arguments: [
        ("title: x", #""title":"x""#), ("body: x", #""body":"x""#), ("icon: x", #""icon":"x""#),
        ("color: '#aAbbcc'", ##""color":"#aAbbcc""##), ("sound: default", #""sound":"default""#),
        ("tag: x", #""tag":"x""#), ("click_action: X", #""click_action":"X""#), ("channel_id: x", #""channel_id":"x""#),
        ("body_loc_key: k, body_loc_args: [a, b]", #""body_loc_args":["a","b"],"body_loc_key":"k""#),
        ("title_loc_key: k, title_loc_args: ['1']", #""title_loc_args":["1"],"title_loc_key":"k""#),
        ("ticker: x", #""ticker":"x""#), ("sticky: true", #""sticky":true"#),
        ("local_only: true", #""local_only":true"#),
        ("event_time: 2026-12-01T09:00:00+01:00", #""event_time":"2026-12-01T08:00:00Z""#),
        ("event_time: 2026-12-01T00:30:00.999999999+01:00", #""event_time":"2026-11-30T23:30:00.999999999Z""#),
        ("event_time: '2026-12-01T08:00Z'", #""event_time":"2026-12-01T08:00:00Z""#),
        ("notification_priority: priority_max", #""notification_priority":"PRIORITY_MAX""#),
        ("default_sound: true", #""default_sound":true"#),
        ("default_vibrate_timings: true", #""default_vibrate_timings":true"#),
        ("default_light_settings: false", #""default_light_settings":false"#),
        (
            "vibrate_timings: [0s, 200ms, 0.5s, 1s]",
            #""vibrate_timings":["0s","0.200000000s","0.500000000s","1s"]"#
        ),
        ("visibility: public", #""visibility":"PUBLIC""#), ("notification_count: 0", #""notification_count":0"#),
        ("image: https://x.example", #""image":"https://x.example""#),
        ("proxy: if_priority_lowered", #""proxy":"IF_PRIORITY_LOWERED""#),
        (
            "light_settings: {color: '#ff0000', light_on_duration: 200ms, light_off_duration: 0.3s}",
            #""light_settings":{"color":{"alpha":1,"blue":0,"green":0,"red":1},"#
                + #""light_off_duration":"0.300000000s","light_on_duration":"0.200000000s"}"#
        ),
        (
            "light_settings: {color: '#00330099', light_on_duration: 1s, light_off_duration: 1s}",
            #""light_settings":{"color":{"alpha":0.6,"blue":0,"green":0.2,"red":0},"#
                + #""light_off_duration":"1s","light_on_duration":"1s"}"#
        ),
        (
            "light_settings: {color: {red: 0.5, blue: 1}, light_on_duration: 1s, light_off_duration: 1s}",
            #""light_settings":{"color":{"blue":1,"red":0.5},"light_off_duration":"1s","light_on_duration":"1s"}"#
        ),
    ])
    func `Android's notification`(_ option: String, _ json: String) throws {
        #expect(try wire("android: {notification: {\(option)}}") == #"{"android":{"notification":{\#(json)}}}"#)
    }

    @Test(arguments: [
        (
            "headers: {apns-priority: '5', apns-push-type: alert}",
            #""headers":{"apns-priority":"5","apns-push-type":"alert"}"#
        ),
        ("live_activity_token: t", #""live_activity_token":"t""#),
        (
            "fcm_options: {analytics_label: x, image: https://x.example}",
            #""fcm_options":{"analytics_label":"x","image":"https://x.example"}"#
        ),
        ("payload: {aps: {}}", #""payload":{"aps":{}}"#),
        (
            "payload: {aps: {badge: 0, sound: default}, n: 1.5, l: [], o: {}, s: '1', b: true}",
            #""payload":{"aps":{"badge":0,"sound":"default"},"b":true,"l":[],"n":1.5,"o":{},"s":"1"}"#
        ),
        (
            "payload: {aps: {alert: x, content-available: true, mutable-content: 1}}",
            #""payload":{"aps":{"alert":"x","content-available":1,"mutable-content":1}}"#
        ),
        (
            "payload: {aps: {content-available: false, badge: 1}, content-available: true}",
            #""payload":{"aps":{"badge":1},"content-available":true}"#
        ),
        (
            "payload: {aps: {sound: {critical: 1, name: x.caf, volume: 0.5}}}",
            #""payload":{"aps":{"sound":{"critical":1,"name":"x.caf","volume":0.5}}}"#
        ),
    ])
    func `Apple's part`(_ part: String, _ json: String) throws {
        var text = part
        if part.hasPrefix("live") {
            text +=
                ", headers: {apns-push-type: liveactivity}, payload: "
                + "{aps: {timestamp: 1, event: end, content-state: {a: 1}}}"
        }
        if part.hasPrefix("headers") || part.hasPrefix("fcm") || part.hasPrefix("payload") {
            #expect(try wire("apns: {\(text)}") == #"{"apns":{\#(json)}}"#)
        } else {
            #expect(try wire("apns: {\(text)}").contains(json))
        }
    }

    @Test(arguments: [
        ("headers: {TTL: '60', Urgency: high, Topic: t}", #""headers":{"TTL":"60","Topic":"t","Urgency":"high"}"#),
        ("data: {a: b}", #""data":{"a":"b"}"#),
        (
            "fcm_options: {link: https://x.example/a, analytics_label: x}",
            #""fcm_options":{"analytics_label":"x","link":"https://x.example/a"}"#
        ),
        (
            "notification: {title: x, requireInteraction: true, vibrate: [100], data: {n: 1}, timestamp: 1796112000000}",
            #""notification":{"data":{"n":1},"requireInteraction":true,"timestamp":1796112000000,"title":"x","vibrate":[100]}"#
        ),
        (
            "notification: {actions: [{action: a, title: b, icon: c}], mine: []}",
            #""notification":{"actions":[{"action":"a","icon":"c","title":"b"}],"mine":[]}"#
        ),
    ])
    func `the web's part`(_ part: String, _ json: String) throws {
        #expect(try wire("webpush: {\(part)}") == #"{"webpush":{\#(json)}}"#)
    }
}
