import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct SharedSendTests {
    private static let send = SharedSend(
        campaign: "tide", occurrence: OccurrenceID(rawValue: "tide@once"),
        message: [
            "notification": ["title": "Tide \u{1F30A} \"high\""],
            "apns": ["payload": ["n": .digits("12345678901234567890123")]],
        ],
        expiry: Date(timeIntervalSince1970: 1_800_000_000), rate: .limited(50), runRate: .unlimited, ramp: .seconds(60),
        ramped: .milliseconds(1500), timeout: .seconds(15), stopWhenRejectedPercent: 50, onError: .hold,
        onUnknown: .resend, maxForgetPercent: 10, forgetsFreely: true)

    @Test func `what travels arrives as it left`() throws {
        let json = Self.send.json.compactText
        #expect(SharedSend(reading: Array(json.utf8)) == Self.send)
        var plain = Self.send
        (plain.expiry, plain.rate, plain.forgetsFreely) = (nil, nil, false)
        #expect(SharedSend(reading: Array(plain.json.compactText.utf8)) == plain)
    }

    @Test(arguments: [
        "campaign", "occurrence", "message", "run_rate", "ramp", "ramped", "timeout", "stop_when_rejected_percent",
        "on_error", "on_unknown", "max_forget_percent",
    ])
    func `anything else in its place is refused`(_ key: String) throws {
        for value in [JSONValue.null, .int(-1), .string("no"), .int(.max), .array([])] {
            var members = try #require(Self.send.json.object)
            guard !(["campaign", "occurrence"].contains(key) && value == .string("no")) else { continue }
            members[key] = value
            let text = JSONValue.object(members).compactText
            #expect(SharedSend(reading: Array(text.utf8)) == nil, "\(key): \(value)")
        }
        #expect(SharedSend(reading: Array("{\"campaign\":".utf8)) == nil)
    }
}
