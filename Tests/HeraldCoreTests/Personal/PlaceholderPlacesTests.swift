import FCM
import Testing

@testable import HeraldCore

@Suite struct PlaceholderPlacesTests {
    private typealias Place = PlaceholderPlaces.Place

    @Test(
        arguments: [
            ("notification.title", .text), ("notification.body", .text), ("notification.image", .link),
            ("data.any", .plain), ("android.data.any", .plain), ("webpush.data.any", .plain),
            ("android.notification.title", .text), ("android.notification.body_loc_args.0", .text),
            ("android.notification.title_loc_args.1", .text), ("android.notification.tag", .plain),
            ("android.notification.image", .link), ("android.notification.channel_id", .none),
            ("android.notification.ticker", .none), ("android.notification.title_loc_key", .none),
            ("android.collapse_key", .none), ("android.ttl", .none), ("android.fcm_options.analytics_label", .none),
            ("android_v2.data.any", .plain), ("android_v2.notification.title", .none), ("android_v2.ttl", .none),
            ("android_v2.remote_notification.notification.title", .text),
            ("android_v2.remote_notification.notification.body_loc_args.0", .text),
            ("android_v2.remote_notification.notification.tag", .plain),
            ("android_v2.remote_notification.notification.image", .link),
            ("android_v2.remote_notification.notification.icon", .none),
            ("android_v2.background_sync.title", .none),
            ("apns.payload.aps.alert", .text), ("apns.payload.aps.alert.title", .text),
            ("apns.payload.aps.alert.loc-args.0", .text), ("apns.payload.aps.sound", .none),
            ("apns.payload.aps.thread-id", .none), ("apns.payload.order", .plain),
            ("apns.payload.order.lines.0.id", .plain),
            ("apns.headers.apns-collapse-id", .none), ("apns.fcm_options.image", .link),
            ("apns.live_activity_token", .none), ("apns.payload", .none),
            ("webpush.notification.title", .text), ("webpush.notification.icon", .link),
            ("webpush.notification.data.a.b", .plain), ("webpush.notification.actions.0.title", .text),
            ("webpush.notification.actions.0.icon", .link), ("webpush.notification.actions.0.action", .none),
            ("webpush.notification.tag", .plain), ("webpush.notification.lang", .none),
            ("webpush.fcm_options.link", .link), ("webpush.headers.Topic", .none),
            ("fcm_options.analytics_label", .none), ("token", .none),
        ] as [(String, PlaceholderPlaces.Place)])
    private func `places`(_ path: String, _ place: Place) {
        #expect(PlaceholderPlaces.place(at: path.split(separator: ".").map(String.init)) == place)
    }

    @Test func `texts come with their paths`() {
        let message: [String: JSONValue] = [
            "notification": ["title": "a", "body": nil], "data": ["{{ k }}": "v"],
            "android": ["notification": ["title_loc_args": ["x", 1, "y"]], "ttl": "3600s"],
        ]
        let found = PlaceholderPlaces.texts(in: message)
        #expect(
            found.map { $0.path.joined(separator: ".") + "=" + $0.text } == [
                "android.notification.title_loc_args.0=x", "android.notification.title_loc_args.2=y",
                "android.ttl=3600s",
                "data.{{ k }}={{ k }}", "data.{{ k }}=v", "notification.title=a",
            ])
        #expect(found.map(\.place) == [.text, .text, .none, .none, .plain, .text])
    }

    private static func cannot(_ place: String) -> String { "a placeholder cannot stand in \(place)" }
    private static let link =
        "a placeholder in a link must come after its scheme, its host and a '/', as in https://example.com/{{ field }}"

    @Test(
        arguments: [
            (["notification": ["title": "{{ a }} {{ b | default: 'x' }}"]], []),
            (["notification": ["title": "{{ c }}{{ d }}{{ c }}"]], ["c", "d"].map(unknown)),
            (["notification": ["title": "{{{ a }}}"]], [PlaceholderMistake.threeBraces.words]),
            (["android": ["collapse_key": "{{ a }}"]], [cannot("'android.collapse_key'")]),
            (["android": ["collapse_key": "{{'{{'}}"]], [cannot("'android.collapse_key'")]),
            (["android": ["collapse_key": "{ a }"]], []),
            (["data": ["{{ a }}": "x"]], [cannot("a key")]),
            (["notification": ["image": "https://example.com/{{ a }}"]], []),
            (["notification": ["image": "https://example.com:8080/i/{{ a }}?b={{ b }}"]], []),
            (["notification": ["image": "{{ a }}"]], [link]),
            (["notification": ["image": "https://{{ a }}/"]], [link]),
            (["notification": ["image": "https://example.com{{ a }}/"]], [link]),
            (["notification": ["image": "https://example.com?x=/{{ a }}"]], [link]),
            (["notification": ["image": "https:///{{ a }}"]], [link]),
            (["notification": ["image": "://example.com/{{ a }}"]], [link]),
            (["notification": ["image": "/i/{{ a }}"]], [link]),
            (["notification": ["image": "https://example.com/{{ c }}"]], [unknown("c")]),
            (["notification": ["image": "https://{{'{{'}}"]], []),
            (["data": ["u": "app://{{ a }}"]], [link]),
            (["data": ["u": "app://open/{{ a }}"]], []),
            (["data": ["u": "{{ a }}://x"]], []),
            (["data": ["u": "see https://example.com and {{ a }}"]], []),
            (["data": ["u": "://{{ a }}"]], []),
            (["data": ["u": "intent+x.y-1://{{ a }}"]], [link]),
            (["apns": ["payload": ["u": ["app://{{ a }}"]]]], [link]),
            (["apns": ["payload": ["aps": ["alert": "see ://{{ a }}"]]]], []),
        ] as [([String: JSONValue], [String])])
    func `problems`(_ message: [String: JSONValue], _ words: [String]) {
        #expect(PlaceholderPlaces.problems(in: message, fields: ["a", "b"]).map(\.words) == words)
    }

    private static func unknown(_ field: String) -> String {
        "there is no field '\(field)' among the campaign's 'fields'"
    }
}
