import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// What goes by an audience while people of the campaign that it follows are tried again, through herald's own command
/// lines. The people have numbers, and `welcome` went to some of them.
struct UndecidedTests {
    private static let monday = LocalTimeTests.monday
    private static let refusal = "SENDER_ID_MISMATCH"

    private static func files(_ welcomed: ClosedRange<Int>, _ members: [(Int, zone: String)]) -> [String: String] {
        [
            "herald.yaml": """
            herald: 2
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}

            """,
            "members.csv": "fid,zone\n" + members.map { "\(Registration.fid($0).rawValue),\($1)\n" }.joined(),
            "welcomed.csv": "fid\n" + welcomed.map { "\(Registration.fid($0).rawValue)\n" }.joined(),
            "audiences.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            fields: {zone: {type: timezone}}
            ---
            kind: audience
            name: welcomed
            source: {file: welcomed.csv}
            ---
            kind: audience
            name: again
            from: welcomed
            outcome: {campaign: welcome, is: [accepted]}
            ---
            kind: campaign
            name: welcome
            target: {audience: welcomed}
            message: {notification: {title: Welcome}}

            """,
        ]
    }

    private func fids(_ numbers: Int...) -> Set<Registration> { Set(numbers.map { .fid($0) }) }

    /// FCM refuses the message to somebody, and a person has them tried again: FCM will refuse it again.
    private func retry(in town: Town) async throws {
        let retry = try await town.herald("state", "resolve", "welcome@once", "--retry", Self.refusal)
        #expect(retry.failure == nil, "\(retry.errors)")
    }

    private static let news = "kind: topic\nname: news\nsubscribers: [members]\n"
    private static let others = """
        exclude: [again]
        ---
        kind: topic
        name: other
        subscribers: [welcomed]
        ---
        kind: campaign
        name: bulletin
        target: {topic: news}
        message: {notification: {title: Bulletin}}

        """

    /// 2 was refused, 3 is suppressed, and 1 is to leave the topic once it is known whom the audience has.
    @Test func `a topic keeps its members until it is known whom the audience takes out`() async throws {
        let files = Self.files(1...3, [(1, zone: ""), (2, zone: ""), (3, zone: "")])
        let town = try Town(files.merging(["news.yaml": Self.news]) { $1 }, at: Self.monday)
        town.answer([.fid(2)], with: .error(403, "PERMISSION_DENIED", fcm: Self.refusal))
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        #expect(town.members(of: "news") == fids(1, 2, 3))
        try town.folder.write("fid\n\(Registration.fid(3).rawValue)\n", to: "gone.csv")
        try town.folder.write("kind: audience\nname: gone\nsource: {file: gone.csv}\n", to: "gone.yaml")
        try town.folder.write(try town.folder.read("herald.yaml") + "suppress: [gone]\n", to: "herald.yaml")
        try town.folder.write(Self.news + Self.others, to: "news.yaml")
        try await retry(in: town)
        let words = "topic 'news' waits: nobody knows yet who is in audience 'again'"
        let campaign = "campaign 'bulletin' is due and waits: nobody knows yet who is in audience 'again'"
        let plan = try await town.herald("plan", "--format", "json")
        let warnings = try JSONValue(parsing: Array(plan.output.utf8))["warnings"]?.array ?? []
        #expect(warnings.contains(.string(words)) && warnings.contains(.string(campaign)), "\(plan.output)")
        let text = try await town.herald("plan").output
        #expect(text.contains(words) && text.contains(campaign) && !text.contains("again' is empty"), "\(text)")
        let run = try await town.herald("run", "--report", "\(town.folder.path)/report.json")
        let notes = try JSONValue(parsing: Array(town.folder.read("report.json").utf8))["notes"]?.array ?? []
        #expect(notes.contains(.string(words)) && notes.contains(.string(campaign)), "\(run.output)")
        // Who is suppressed leaves, and what does not go by the audience goes on.
        #expect(town.members(of: "news") == fids(1, 2) && town.members(of: "other") == fids(1, 2))
        #expect(!town.messages().contains { $0["topic"] != nil })
        let decided = try await town.herald("run")
        #expect(decided.failure == nil, "\(decided.errors)")
        #expect(town.members(of: "news") == fids(2) && town.members(of: "other") == fids(1, 2))
        #expect(town.messages().count { $0["topic"] == "news" } == 1)
        #expect(!(try await town.herald("plan").output.contains("nobody knows yet")))
    }

    /// 2 and 4 are in Rome, and 2 was welcomed. 3 is in New York, and was refused.
    @Test func `a wave waits until it is known whom the audience takes out`() async throws {
        let hello = """
            kind: campaign
            name: hello
            target: {audience: members}
            exclude: [again]
            message: {notification: {title: Hello}}
            schedule: {at: "2027-01-05T09:07", timezone: {field: zone, default: Europe/Rome}, if_passed: skip}

            """
        let members = [
            (1, zone: "Asia/Tokyo"), (2, zone: "Europe/Rome"), (3, zone: "America/New_York"), (4, zone: "Europe/Rome"),
        ]
        let town = try Town(
            Self.files(2...3, members).merging(["hello.yaml": hello]) { $1 }, at: Self.monday)
        town.answer([.fid(3)], with: .error(403, "PERMISSION_DENIED", fcm: Self.refusal))
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        #expect(town.sent("Welcome") == fids(2, 3))
        // 9:07 in Tokyo.
        town.go(to: Self.monday + 24.25 * 3600)
        _ = try await town.herald("run")
        #expect(town.sent("Hello") == fids(1))
        try await retry(in: town)
        // 9:07 in Rome.
        town.go(to: Self.monday + 32.25 * 3600)
        let plan = try await town.herald("plan")
        let words = "campaign 'hello' is due and waits: nobody knows yet who is in audience 'again'"
        #expect(plan.output.contains(words), "\(plan.output)")
        _ = try await town.herald("run")
        #expect(town.sent("Hello") == fids(1))
        town.pass(600)
        _ = try await town.herald("run")
        #expect(town.sent("Hello") == fids(1, 4))
        // 9:07 in New York. It is FCM that refuses the message to 3, and not herald that leaves them out.
        town.go(to: Self.monday + 38.25 * 3600)
        _ = try await town.herald("run")
        #expect(town.sent("Hello") == fids(1, 3, 4))
        #expect(town.messages().count { $0["notification"]?["title"] == "Hello" } == 3)
    }

    /// 1 is in Tokyo, 2 in Rome. 3 joins on the second day. Where that is in Tokyo, everybody who is to get it on that day
    /// has it before Rome's clock comes to it.
    @Test(arguments: ["Europe/Rome", "Asia/Tokyo"])
    func `a campaign in local time that goes by its own last occurrence goes on`(_ zone: String) async throws {
        let hello = """
            kind: audience
            name: got-it
            from: members
            outcome: {campaign: hello, is: [accepted]}
            ---
            kind: campaign
            name: hello
            target: {audience: members}
            exclude: [got-it]
            message: {notification: {title: Hello}}
            schedule: {cron: "7 9 * * *", timezone: {field: zone, default: Europe/Rome}}

            """
        let town = try Town(
            Self.files(2...3, [(1, zone: "Asia/Tokyo"), (2, zone: "Europe/Rome")])
                .merging(["hello.yaml": hello]) { $1 }, at: Self.monday)
        _ = try await town.herald("state", "init")
        for hour in [0, 24.25, 32.25] {
            town.go(to: Self.monday + hour * 3600)
            let run = try await town.herald("run")
            #expect(run.failure == nil, "\(run.errors)")
        }
        #expect(town.sent("Hello") == fids(1, 2))
        let list = try town.folder.read("members.csv")
        try town.folder.write(list + "\(Registration.fid(3).rawValue),\(zone)\n", to: "members.csv")
        for hour in [47.25, 48.25, 56.25, 56.5, 60] {
            town.go(to: Self.monday + hour * 3600)
            let run = try await town.herald("run")
            #expect(run.failure == nil, "\(run.errors)")
        }
        #expect(town.sent("Hello") == fids(1, 2, 3))
        #expect(town.messages().count { $0["notification"]?["title"] == "Hello" } == 3)
    }

    /// 1 is in Rome, 2 in New York. The list lacks 2 in one run, after Rome's wave. 3 joins when no clock is ahead any more.
    @Test func `who is back on the list before their clock comes to it is not taken for somebody it is not for`()
        async throws
    {
        let files = """
            kind: campaign
            name: hello
            target: {audience: members}
            message: {notification: {title: Hello}}
            schedule: {at: "2027-01-05T09:07", if_passed: skip, timezone: {field: zone, default: Europe/Rome}}
            ---
            kind: audience
            name: others
            from: members
            outcome: {campaign: hello, is: [never]}
            ---
            kind: campaign
            name: late
            target: {audience: others}
            message: {notification: {title: Late}}

            """
        let town = try Town(
            Self.files(4...4, [(1, zone: "Europe/Rome"), (2, zone: "America/New_York")])
                .merging(["hello.yaml": files]) { $1 }, at: Self.monday)
        _ = try await town.herald("state", "init")
        let list = try town.folder.read("members.csv")
        let joined = list + "\(Registration.fid(3).rawValue),Europe/Rome\n"
        for hour in [24, 32.25, 33, 33.25, 38.25, 46, 46.25] {
            let short = list.split(separator: "\n").filter { !$0.contains("New_York") }.joined(separator: "\n")
            try town.folder.write(hour == 33 ? short : hour < 46 ? list : joined, to: "members.csv")
            town.go(to: Self.monday + hour * 3600)
            let run = try await town.herald("run")
            #expect(run.failure == nil, "\(run.errors)")
            #expect(town.sent("Late") == (hour >= 46 ? fids(3) : []), "\(hour)")
        }
        #expect(town.sent("Hello") == fids(1, 2))
    }
}
