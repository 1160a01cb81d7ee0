import FCM
import Testing

struct GroupNameTests {
    @Test(arguments: ["a", "appUser-Chris", "Größe\"\\/'", "家族", "👪", String(repeating: "x", count: 255)])
    func `printable characters are taken`(_ text: String) {
        #expect(GroupName(rawValue: text)?.rawValue == text)
    }

    @Test(arguments: [
        "", "a b", "a\u{a0}b", "a\n", "a\u{0}", "a\u{200b}", "a\u{202e}", "a\u{2028}", "\u{7f}", "\u{e000}",
        String(repeating: "x", count: 256),
    ])
    func `spaces, controls and what does not print are refused`(_ text: String) {
        #expect(GroupName(rawValue: text) == nil)
    }

    @Test(arguments: ["A", "APA91bGHXQBB…".replacing("…", with: "~!{}"), String(repeating: "k", count: 4096)])
    func `a notification key is taken and hidden`(_ text: String) throws {
        let key = try #require(NotificationKey(rawValue: text))
        #expect(key.rawValue == text)
        #expect("\(key) \(String(reflecting: key))" == "\(key) \(key)")
        #expect(key.description == "notification key (\(text.utf8.count) bytes)")
        #expect(Mirror(reflecting: key).children.isEmpty)
    }

    @Test(arguments: ["", "a b", "a\"", "a'", "a\\", "a\n", "é", String(repeating: "k", count: 4097)])
    func `a notification key that JSON would escape is refused`(_ text: String) {
        #expect(NotificationKey(rawValue: text) == nil)
    }

    @Test(arguments: [("123456789012", true), ("0", true), ("", false), ("12a", false), ("+1", false), ("１", false)])
    func `a sender id is digits`(_ text: String, _ isTaken: Bool) {
        #expect((SenderID(rawValue: text) != nil) == isTaken)
    }
}
