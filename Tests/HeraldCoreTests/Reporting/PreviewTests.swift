import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct PreviewTests {
    private static let now = PreviewSamples.now

    private func preview(
        _ target: Campaign.Target, message: [String: JSONValue] = PreviewSamples.tide,
        schedule: Schedule = Schedule(), delivery: Campaign.Delivery = .init(), members: RecipientSet = .target,
        in surroundings: Preview.Surroundings = PreviewSamples.surroundings()
    ) throws -> Preview {
        let campaign = PreviewSamples.campaign(target, message: message, schedule: schedule, delivery: delivery)
        return try Preview(of: DesiredSend(campaign: campaign, members: members), in: surroundings, at: Self.now)
    }

    @Test(arguments: ["json", "txt"])
    func `a preview reads as it was reviewed`(form: String) throws {
        let document = PreviewDocument(try PreviewSamples.listed())
        let text = document.rendered(as: form == "json" ? OutputFormat.json : .text)
        #expect(text == (try Golden("preview.\(form)").text(recording: text)))
    }

    // MARK: The request

    @Test func `it is what the executor sends`() throws {
        let preview = try preview(.topic("tides"), delivery: .init(expiresAfter: .seconds(60)))
        let request = try #require(preview.requests.first)
        #expect(request.method == "POST")
        #expect(request.url == "https://fcm.googleapis.com/v1/projects/tide-app/messages:send")
        #expect(
            request.headers == [
                "authorization": "Bearer <access token>", "content-type": "application/json",
                "x-goog-api-format-version": "2",
            ])
        // The fields that expires_after fills are in it, for a minute from now.
        let message: JSONValue = [
            "topic": "tides", "notification": ["title": "High tide", "body": "18:42 at Ostia"],
            "data": ["spot": "ostia"], "android": ["ttl": "60s"],
            "apns": ["headers": ["apns-expiration": "1796112060"]], "webpush": ["headers": ["TTL": "60"]],
        ]
        #expect(request.body == ["message": message])
        #expect(preview.devices.map(\.platform) == [.ios, .android, .web])
        #expect(preview.devices.first?.headers["apns-expiration"] == "1796112060")
    }

    @Test func `no credential goes to an emulator`() throws {
        let preview = try preview(.topic("tides"), in: PreviewSamples.surroundings(signsIn: false))
        #expect(preview.requests.first?.headers["authorization"] == nil)
    }

    @Test(arguments: [
        (Registration.fid(7), "fid", "<registration 1 of 2>"), (.token(7), "token", "<registration 1 of 2>"),
    ])
    func `of many recipients the first is counted and not named`(
        registration: Registration, field: String, name: String
    ) throws {
        let preview = try preview(
            .audience("anglers"), members: [1, 2], in: PreviewSamples.surroundings([registration, .fid(8)]))
        #expect(preview.requestCount == 2)
        #expect(preview.requests.first?.body["message"]?[field] == .string(name))
        #expect(!PreviewDocument(preview).rendered(as: OutputFormat.json).contains(registration.rawValue))
        #expect(!PreviewDocument(preview).rendered(as: OutputFormat.text).contains(registration.rawValue))
    }

    @Test func `with a state's key registrations have their names in reports`() throws {
        let fingerprints = Fingerprinter(key: [1, 2, 3])
        let preview = try preview(
            .registrations([.fid(7)]), members: [1],
            in: PreviewSamples.surroundings([.fid(7)], fingerprints: fingerprints))
        #expect(preview.requests.first?.body["message"]?["fid"] == .string(fingerprints.name(.fid(7))))
    }

    @Test func `who asks for registrations gets them`() throws {
        let preview = try preview(
            .registrations([.fid(7)]), members: [1],
            in: PreviewSamples.surroundings([.fid(7)], fingerprints: Fingerprinter(key: [], reveals: true)))
        #expect(preview.requests.first?.body["message"]?["fid"] == .string(Registration.fid(7).rawValue))
    }

    @Test func `a group is named, not its key`() throws {
        let group = try #require(GroupName(rawValue: "appUser-Chris"))
        let preview = try preview(.group(group))
        #expect(preview.requests.first?.body["message"]?["token"] == "<notification key of appUser-Chris>")
    }

    @Test func `a group's members are sent to one by one`() throws {
        let group = try #require(GroupName(rawValue: "appUser-Chris"))
        let preview = try preview(
            .group(group), delivery: .init(members: .each), members: [1, 2],
            in: PreviewSamples.surroundings([.fid(1), .token(2)]))
        #expect(preview.requests.first?.body["message"]?["fid"] == "<registration 1 of 2>")
        #expect(preview.requests.first?.body["message"]?["token"] == nil)
    }

    @Test func `a condition is written as FCM reads it`() throws {
        let condition = try #require(Condition(any: [], all: ["a"], none: ["b"]))
        let preview = try preview(.condition(condition))
        #expect(preview.requests.first?.body["message"]?["condition"] == "'a' in topics && !('b' in topics)")
    }

    @Test func `a live activity's token is not shown`() throws {
        let preview = try preview(
            .topic("tides"), message: ["apns": ["live_activity_token": "secret", "payload": ["aps": ["event": "end"]]]])
        #expect(preview.requests.first?.body["message"]?["apns"]?["live_activity_token"] == "<live activity token>")
        #expect(!PreviewDocument(preview).rendered(as: OutputFormat.json).contains("secret"))
    }

    @Test func `nobody to send to is no request, and the devices are shown`() throws {
        let preview = try preview(.audience("anglers"), delivery: .init(expiresAfter: .seconds(60)), members: [])
        #expect(preview.requests.isEmpty)
        #expect(preview.requestCount == 0)
        #expect(preview.warnings == ["there is nobody to send to"])
        #expect(preview.devices.map { $0.shown?.title } == ["High tide", "High tide", "High tide"])
        #expect(preview.devices[1].headers["ttl"] == "60s")
    }

    @Test(
        arguments: [
            (.audience("anglers"), [], false), (.topic("tides"), .target, true), (.registrations([]), .target, true),
        ]
            as [(Campaign.Target, RecipientSet, Bool)])
    func `requests to lists that were not read are not counted`(
        _ target: Campaign.Target, _ members: RecipientSet, _ isCounted: Bool
    ) throws {
        var surroundings = PreviewSamples.surroundings()
        surroundings.listsSkipped = true
        let document = PreviewDocument(try preview(target, members: members, in: surroundings))
        let count = try #require(document.json["request_count"])
        #expect(isCounted ? (count.int ?? 0) > 0 : count == .null, "\(count)")
    }

    // MARK: When

    @Test func `a send to come is shown at its time`() throws {
        let due = Self.now.adding(.seconds(86_400))
        let preview = try preview(
            .topic("tides"), schedule: Schedule(.at(due)), delivery: .init(expiresAfter: .seconds(3600)))
        #expect(preview.at == due)
        #expect(preview.occurrence.rawValue == "tide-rome@2026-12-02T08:00:00Z")
        #expect(preview.devices[1].headers["ttl"] == "3600s")
    }

    @Test func `a send that is due has what is left of its time`() throws {
        let preview = try preview(
            .topic("tides"), schedule: Schedule(.at(Self.now.adding(.seconds(-600)))),
            delivery: .init(expiresAfter: .seconds(3600)))
        #expect(preview.at == Self.now)
        #expect(preview.devices[1].headers["ttl"] == "3000s")
        #expect(preview.warnings == [])
    }

    @Test func `a send that is too late is shown as it would have been`() throws {
        let preview = try preview(
            .topic("tides"), schedule: Schedule(.at(Self.now.adding(.seconds(-86_400)))),
            delivery: .init(expiresAfter: .seconds(3600)))
        #expect(preview.devices[1].headers["ttl"] == "3600s")
        #expect(preview.warnings == ["it was due at 2026-11-30T08:00:00Z and is too late to be sent"])
    }

    @Test func `of a cron the next occurrence is shown`() throws {
        let cron = try Cron(parsing: "30 9 * * *")
        let preview = try preview(.topic("tides"), schedule: Schedule(.cron(cron, start: nil, end: nil)))
        #expect(preview.occurrence.rawValue == "tide-rome@2026-12-01T09:30:00Z")
        let over = try self.preview(
            .topic("tides"), schedule: Schedule(.cron(cron, start: nil, end: Self.now.adding(.seconds(-1)))))
        #expect(over.warnings == ["its schedule is over"])
    }

    private static func window(_ from: Int, _ to: Int, _ whenClosed: SendWindow.WhenClosed = .wait) -> SendWindow {
        SendWindow(hours: DailyHours(from: from * 60, to: to * 60), zone: .utc, whenClosed: whenClosed)
    }

    @Test(arguments: [SendWindow.WhenClosed.wait, .skip])
    func `a message lives no longer than the window is open`(_ whenClosed: SendWindow.WhenClosed) throws {
        let preview = try preview(.topic("tides"), delivery: .init(window: Self.window(7, 21, whenClosed)))
        #expect(preview.at == Self.now)
        let message = preview.requests.first?.body["message"]
        #expect(message?["android"]?["ttl"] == "46800s")
        #expect(message?["apns"]?["headers"]?["apns-expiration"] == "1796158800")
        #expect(message?["webpush"]?["headers"]?["TTL"] == "46800")
    }

    @Test func `what is due while the window is closed is shown as it opens`() throws {
        let cron = try Cron(parsing: "7 22 * * *")
        let preview = try preview(
            .topic("tides"), schedule: Schedule(.cron(cron, start: nil, end: nil)),
            delivery: .init(expiresAfter: .seconds(12 * 3600), window: Self.window(9, 21)))
        #expect(preview.occurrence.rawValue == "tide-rome@2026-12-01T22:07:00Z")
        #expect(preview.at.rfc3339 == "2026-12-02T09:00:00Z")
        #expect(preview.devices[1].headers["ttl"] == "4020s")
        #expect(preview.warnings == [])
    }

    @Test(arguments: [
        (PreviewTests.window(9, 21, .skip), "its window is closed then (09:00 to 21:00 UTC): it is not sent"),
        (PreviewTests.window(9, 21), "it expires before its window opens (09:00 to 21:00 UTC): it is not sent"),
    ])
    func `what is never sent because of its window says so`(_ window: SendWindow, _ warning: String) throws {
        let preview = try preview(
            .topic("tides"), schedule: Schedule(.at(Self.now)),
            delivery: .init(expiresAfter: .seconds(1800), window: window))
        #expect(preview.warnings == [warning])
    }

    // MARK: Warnings and text

    @Test func `a disabled campaign says so`() throws {
        var campaign = PreviewSamples.campaign(.topic("tides"))
        campaign.enabled = false
        let preview = try Preview(
            of: DesiredSend(campaign: campaign, members: .target), in: PreviewSamples.surroundings(), at: Self.now)
        #expect(preview.warnings == ["the campaign is disabled: no run sends it"])
    }

    @Test(arguments: [(2047, 0), (2048, 1), (4096, 0)])
    func `a size that FCM's pages disagree on is warned about`(length: Int, count: Int) throws {
        let text = String(repeating: "x", count: length)
        let surroundings = PreviewSamples.surroundings(platforms: [.android])
        // One byte is the key's.
        #expect(
            try preview(.topic("tides"), message: ["data": ["k": .string(text)]], in: surroundings).warnings.count
                == count)
        let toOne = try preview(
            .audience("a"), message: ["data": ["k": .string(text)]], members: [1],
            in: PreviewSamples.surroundings([.fid(1)], platforms: [.android]))
        #expect(toOne.warnings == [])
    }

    @Test func `hostile text moves no cursor and begins no line of herald's`() throws {
        let preview = try preview(
            .topic("tides"),
            message: ["notification": ["title": "\u{1B}[2Ja\u{202E}b\r", "body": "one\n\nThe request\r\n  POST x"]])
        let text = PreviewDocument(preview).rendered(as: OutputFormat.text)
        #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0 == "\u{202E}" })
        #expect(text.contains("  │ one\n  │ \n  │ The request\n  │   POST x\n"))
        // Programs get the real message.
        let json = try JSONValue(parsing: PreviewDocument(preview).rendered(as: OutputFormat.json).utf8)
        #expect(
            json["requests"]?.array?.first?["body"]?["message"]?["notification"]?["title"]
                == "\u{1B}[2Ja\u{202E}b\r")
    }

    @Test func `a text preview has the whole message, with what writing and emoji need`() throws {
        let (title, long) = ("🏳️‍🌈 می\u{200C}شود", String(repeating: "x", count: 1500))
        let preview = try preview(
            .topic("tides"), message: ["notification": ["title": .string(title)], "data": ["long": .string(long)]])
        let text = PreviewDocument(preview).rendered(as: OutputFormat.text)
        #expect(text.contains("  │ \(title)\n"))
        #expect(text.contains(#""title" : "\#(title)""#))
        #expect(text.contains(#""long" : "\#(long)""#))
    }

    @Test func `several previews are one document`() throws {
        let one = try preview(.topic("tides"))
        let json = PreviewsDocument([one, one]).json
        #expect(json["schema"] == "herald.previews/1")
        #expect(json["previews"] == .array([PreviewDocument(one).json, PreviewDocument(one).json]))
    }
}
