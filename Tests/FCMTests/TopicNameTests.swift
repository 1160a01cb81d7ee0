import FCM
import Testing

struct TopicNameTests {
    @Test(arguments: [
        "a", "tide-alerts", "50%~off_.", "%", "0", "A-Z_a-z.0~9%", "private.x",
        String(repeating: "x", count: 900),
    ])
    func `FCM's alphabet and length are taken`(_ text: String) {
        #expect(TopicName(rawValue: text)?.rawValue == text)
    }

    @Test(arguments: [
        "", "/topics/a", "private/a", "a b", "a\n", "a\0", "a'", "a\"", "a!", "a+", "a*", "a:b", "é", "a\u{301}",
        "\u{FF41}", String(repeating: "x", count: 901),
    ])
    func `anything else is refused`(_ text: String) {
        #expect(TopicName(rawValue: text) == nil)
    }

    @Test func `names are case-sensitive and sort by bytes`() throws {
        let names = try ["b", "a", "B", "a-b", "a.b", "%", "~"].map { try TopicName.sample($0) }
        #expect(names.sorted().map(\.rawValue) == ["%", "B", "a", "a-b", "a.b", "b", "~"])
        #expect(try TopicName.sample("A") != TopicName.sample("a"))
    }
}
