import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct MessageContentTests {
    private static let message: [String: JSONValue] = [
        "notification": ["title": "High tide"], "data": ["spot": "ostia"],
    ]

    private func bytes(
        _ message: [String: JSONValue], expiring expiry: Date? = nil, validateOnly: Bool = false
    ) throws -> [UInt8] {
        let encoded = try EncodedContent(
            MessageContent(message), expiring: expiry, at: PlanScenario.now, validateOnly: validateOnly)
        return encoded.bytes(for: 1, to: .topic("tides"))
    }

    @Test func `one message is everybody's`() {
        let content = MessageContent(Self.message)
        #expect(content.classes.count == 1)
        #expect(!content.differsByRecipient)
        for id in [0, 1, 4_000_000_000] as [RecipientID] {
            #expect(content.message(for: content.recipientClass(of: id)) == Self.message)
        }
    }

    @Test(arguments: [true, false])
    func `a body is the message with its address`(_ isDryRun: Bool) throws {
        var whole = Self.message
        whole["topic"] = "tides"
        var body: [String: JSONValue] = ["message": .object(whole)]
        if isDryRun { body["validate_only"] = true }
        #expect(try JSONValue(parsing: bytes(Self.message, validateOnly: isDryRun)) == .object(body))
    }

    @Test func `what expires_after leaves is filled in where the author set nothing`() throws {
        let message: [String: JSONValue] = ["data": ["a": "b"], "webpush": ["headers": ["ttl": "7"]]]
        // 2025-12-01T08:01:30Z is 1764576090.
        let body = try JSONValue(parsing: bytes(message, expiring: .after(90)))["message"]
        #expect(body?["android"] == ["ttl": "90s"])
        #expect(body?["apns"] == ["headers": ["apns-expiration": "1764576090"]])
        #expect(body?["webpush"] == ["headers": ["ttl": "7"]])
    }

    @Test func `without it the message stays as it is written`() throws {
        #expect(
            try JSONValue(parsing: bytes(["data": ["a": "b"]]))["message"] == ["topic": "tides", "data": ["a": "b"]])
    }

    @Test func `a message that is no JSON is refused before anything is sent`() {
        #expect(throws: (any Error).self) { try bytes(["apns": ["x": .double(.infinity)]]) }
    }

    @Test func `its size is that of the platform's own part`() {
        let content = MessageContent(["data": ["spot": "ostia"], "android": ["data": ["spot": "fiumicino"]]])
        #expect(content.largestSize(on: .android) == 13)
        #expect(content.largestSize(on: .web) == 9)
    }

    @Test(arguments: [([], nil), ([7, 9], 7), ([0], 0)] as [([RecipientID], RecipientID?)])
    func `a preview shows the first recipient`(_ members: [RecipientID], _ first: RecipientID?) {
        let samples = MessageContent(Self.message).samples(of: RecipientSet(members))
        #expect(samples.map(\.sample) == [first])
    }

    @Test func `a campaign's digest is that of target and message`() {
        let campaign = Campaign.tide(to: .topic("tides"))
        let whole: JSONValue = [
            "target": ["topic": "tides"], "message": ["notification": ["title": "High tide"]],
        ]
        #expect(campaign.contentDigest == whole.digest)
        #expect(campaign.content == MessageContent(["notification": ["title": "High tide"]]))
    }
}
