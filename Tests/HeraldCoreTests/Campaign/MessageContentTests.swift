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
        return try #require(encoded.bytes(for: 1, nil, to: .topic("tides")))
    }

    @Test func `one message is everybody's`() {
        let content = MessageContent(Self.message)
        #expect(content.classes.count == 1)
        #expect(!content.differsByRecipient)
        #expect(content.message(for: .everybody) == Self.message)
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

    // MARK: Personal

    private static let personal: Campaign = {
        var campaign = Campaign.tide(to: .audience("members"))
        campaign.message.value = ["notification": ["title": "Hi {{ name }}"], "data": ["spot": "ostia"]]
        let place = campaign.name.range
        var personal = Personal()
        personal.fields = [Located("name", at: place)]
        personal.locale = Located("language", at: place)
        personal.defaultLocale = Located("en", at: place)
        personal.locales = ["it": ["notification": ["title": "Ciao {{ name }}, e benvenuto"]]]
        personal.variants = ["a", "none"].map { Personal.Variant(name: Located($0, at: place), weight: 1) }
        personal.variants[1].isHoldout = true
        campaign.personal = personal
        return campaign
    }()

    private func content(_ change: (inout Campaign) -> Void = { _ in }, max: Int? = nil) throws -> MessageContent {
        var campaign = Self.personal
        change(&campaign)
        #expect(
            campaign.resolveFields(in: [Field(name: "name", maximum: max), Field(name: "language", kind: .locale)])
                == nil)
        return campaign.content
    }

    @Test func `a personal campaign has a class for each locale and variant`() throws {
        let content = try content()
        #expect(content.differsByRecipient)
        #expect(content.classes.count == 4)
        #expect(
            content.sentClasses.map { content.personal?.classes[$0.index] } == [
                MessageClass(variant: "a"), MessageClass(locale: "it", variant: "a"),
            ])
        #expect(content.samples(of: [7]).map(\.sample) == [nil, nil])
        #expect(
            content.largestSize(on: .android) == "Ciao {{ name }}, e benvenuto".utf8.count + "titlespotostia".utf8.count
        )
    }

    @Test func `its digest covers all that decides its messages`() throws {
        let digest = try content().json
        let changes: [(inout Campaign) -> Void] = [
            { $0.message.value["data"] = ["spot": "anzio"] }, { $0.personal?.locales["it"] = [:] },
            { $0.personal?.locales["de"] = [:] }, { $0.personal?.defaultLocale?.value = "de" },
            { $0.personal?.variants[0].message = ["data": ["spot": "anzio"]] },
            { $0.personal?.variants[0].locales["it"] = ["data": ["spot": "anzio"]] },
            { $0.personal?.variants[0].name.value = "b" }, { $0.personal?.variants[1].isHoldout = false },
            { $0.personal?.split.by = Located("name", at: SourceRange(file: "tide.yaml")) },
            { $0.personal?.locale = nil },
        ]
        for (number, change) in changes.enumerated() { #expect(try content(change).json != digest, "\(number)") }
        #expect(try content(max: 40).json != digest)
        #expect(try content { $0.personal?.variants[0].weight = 7 }.json == digest)
        #expect(try content { $0.personal?.split.seed = "spring" }.json == digest)
        #expect(try content { $0.revision = 2 }.json == digest)
        #expect(try content { $0.personal?.badRows = .skip }.json == digest)
    }

    @Test func `without variants the name decides nothing`() throws {
        let renamed = try content {
            $0.personal?.variants = []
            $0.name.value = "other"
        }
        #expect(try content { $0.personal?.variants = [] }.json == renamed.json)
        #expect(try content { $0.personal?.variants = [] } != content())
    }

    @Test func `a message that cannot be compiled has no personal content`() throws {
        var campaign = Self.personal
        campaign.message.value["data"] = ["spot": "{{ name"]
        #expect(campaign.resolveFields(in: []) != nil)
        #expect(campaign.content.personal == nil)
    }
}
