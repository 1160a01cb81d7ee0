import FCM
import Testing

@testable import FCMEmulator

@Suite struct WireTests {
    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00.000Z"), (1_796_112_000.25, "2026-12-01T08:00:00.250Z"),
        (951_782_399.999, "2000-02-28T23:59:59.999Z"), (951_868_799, "2000-02-29T23:59:59.000Z"),
        (951_868_800, "2000-03-01T00:00:00.000Z"), (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        (1_798_761_599.001, "2026-12-31T23:59:59.001Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
        (.infinity, "9999-12-31T23:59:59.000Z"), (.nan, "1970-01-01T00:00:00.000Z"),
    ])
    func `a moment is written in UTC with milliseconds`(_ seconds: Double, _ text: String) {
        #expect(Date(timeIntervalSince1970: seconds).rfc3339 == text)
    }

    @Test(arguments: [
        ("/a/b", ["a", "b"]), ("/a%2Fb/%25", ["a/b", "%"]), ("/%2525", ["%25"]), ("/", [""]), ("/a/", ["a", ""]),
        ("/a:b%3Ac?x=/y", ["a:b:c"]), ("/a+b", ["a+b"]), ("/%C3%A9", ["é"]),
    ])
    func `a path's segments are decoded once`(_ target: String, _ segments: [String]) {
        #expect(Call("GET", target).path == segments)
    }

    @Test(arguments: ["", "a/b", "*", "/%", "/%a", "/%C3", "/%G0"])
    func `a path that cannot be decoded is none`(_ target: String) {
        #expect(Call("GET", target).path == nil)
    }

    @Test(arguments: [
        ("/?topic_name=a%25", "a%"), ("/?topicName=b", "b"), ("/?x&topic_name=", ""), ("/?topic_name=a+b", "a b"),
        ("/?topic_name=a=b", "a=b"), ("/?topic%5Fname=c", "c"), ("/?topic_name=%zz", nil), ("/", nil),
    ])
    func `a parameter is found under both spellings`(_ target: String, _ value: String?) {
        #expect(Call("GET", target).parameter("topic_name") == value)
    }

    @Test(arguments: [
        ("0s", 0, 0), ("3600s", 3600, 0), ("3.5s", 3, 500_000_000), ("0.000000001s", 0, 1),
        ("-1.25s", -1, -250_000_000),
    ])
    func `a duration is read exactly`(_ text: String, _ seconds: Int64, _ nanoseconds: Int64) {
        #expect(ProtoDuration(text)?.seconds == seconds)
        #expect(ProtoDuration(text)?.nanoseconds == nanoseconds)
    }

    @Test(arguments: ["", "s", "1", "1m", ".5s", "1.s", "1.0000000001s", "--1s", "+1s", "1e3s", " 1s", "315576000001s"])
    func `what is no duration is refused`(_ text: String) {
        #expect(ProtoDuration(text) == nil)
    }
}
