import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Audiences of those of whom something came, through herald's own command lines, with a clock of the test.
struct FollowUpTests: FollowUpScene {
    @Test func `whom FCM refused gets another message, once, and the dead do not`() async throws {
        let town = try Town(
            Self.files(
                Self.campaign("high-water", to: "members"),
                Self.again("{campaign: high-water, is: [rejected]}") + Self.campaign("plain", to: "again"),
                members: 1...4),
            at: Self.monday)
        town.answer([.fid(2)], with: .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH"))
        town.answer([.fid(3)], with: .unregistered)
        #expect(try await town.herald("state", "init").failure == nil)
        let first = try await town.herald("plan")
        #expect(first.output.contains("> send  high-water@once") && !first.output.contains("> send  plain@once"))
        #expect(
            first.output.contains("audience 'again' is empty: no occurrence of campaign 'high-water' is finished"),
            "\(first.output)")
        _ = try await town.herald("run")
        #expect(town.sent("plain").isEmpty)
        let second = try await town.herald("plan")
        #expect(second.output.contains("> send  plain@once  to audience again, 1 recipient"), "\(second.output)")
        _ = try await town.herald("run")
        #expect(town.sent("plain") == fids(2))
        _ = try await town.herald("run")
        #expect(town.messages().filter { $0["notification"]?["title"] == "plain" }.count == 1)
    }

    /// FCM refused 2. Then its registration died, and the list names a new one in the run that begins the follow-up.
    @Test func `whom FCM refused gets another message with a new registration, too`() async throws {
        let first = Self.campaign("high-water", to: "members")
        let town = try Town(Self.files(first), at: Self.monday)
        town.answer([.fid(2)], with: .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH"))
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        town.answer([.fid(2)], with: .unregistered)
        let second = first + "---\n" + Self.campaign("ebb", to: "members")
        try town.folder.write(second, to: "campaigns.yaml")
        _ = try await town.herald("run")
        #expect(town.sent("ebb").isSuperset(of: fids(1, 3)))
        let again = Self.again("{campaign: high-water, is: [rejected]}") + Self.campaign("plain", to: "again")
        try town.folder.write(second + "---\n" + again, to: "campaigns.yaml")
        let list = "token\n" + (1...3).map { "\(Registration.token($0).rawValue)\n" }.joined()
        try town.folder.write(list, to: "members.csv")
        let run = try await town.herald("run")
        let plain = town.messages().filter { $0["notification"]?["title"] == "plain" }
        #expect(plain.map { $0["token"]?.string } == [Registration.token(2).rawValue], "\(run.output)")
    }

    @Test func `who joined later gets what the others had, and a new name of the campaign changes nothing`()
        async throws
    {
        let follower = Self.again("{campaign: welcome, is: [never]}") + Self.campaign("late", to: "again")
        let town = try Town(Self.files(Self.campaign("welcome", to: "members"), follower), at: Self.monday)
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        #expect(town.sent("welcome") == fids(1, 2, 3) && town.sent("late").isEmpty)
        let renamed = Self.campaign("hello", to: "members", "previous_names: [welcome]")
            .replacing("title: hello", with: "title: welcome")
        try town.folder.write(
            renamed + "---\n" + follower.replacing("campaign: welcome", with: "campaign: hello"), to: "campaigns.yaml")
        try town.folder.write(Self.list(2...5), to: "members.csv")
        let run = try await town.herald("run")
        #expect(town.sent("late") == fids(4, 5), "\(run.errors)")
        #expect(town.messages().count == 5)
    }

    /// 2 has no name, and gets one too late. 4 joins.
    @Test func `whose row was bad was skipped, and did not join later`() async throws {
        let rows = { (names: [String]) in
            "fid,name\n"
                + names.enumerated().map { "\(Registration.fid($0 + 1).rawValue),\($1)\n" }.joined()
        }
        let personal = Self.campaign("high-water", to: "members", "personal: {fields: [name], bad_rows: skip}")
            .replacing("title: high-water", with: "title: \"Hi {{ name }}\"")
        var files = Self.files(
            personal, Self.again("{campaign: high-water, is: [skipped]}") + Self.campaign("sorry", to: "again"),
            Self.again("{campaign: high-water, is: [never]}").replacing("name: again", with: "name: new")
                + Self.campaign("welcome", to: "new"))
        files["audience.yaml"]? += "fields: {name: {}}\n"
        files["members.csv"] = rows(["Ann", "", "Bo"])
        let town = try Town(files, at: Self.monday)
        _ = try await town.herald("state", "init")
        let run = try await town.herald("run")
        #expect(run.failure == nil && run.output.contains("skipped: 1 bad row"), "\(run.output)\(run.errors)")
        let shown = try await town.herald("state", "show")
        #expect(shown.output.contains("2 accepted, skipped: 1 bad row, finished"), "\(shown.output)")
        let found = try await town.herald("state", "find", Registration.fid(2).rawValue)
        #expect(found.output.contains("high-water@once: skipped (bad_rows)"), "\(found.output)")
        try town.folder.write(rows(["Ann", "Cy", "Bo", "Di"]), to: "members.csv")
        _ = try await town.herald("run")
        #expect(town.sent("sorry") == fids(2) && town.sent("welcome") == fids(4))
        #expect(town.sent("Hi Cy").isEmpty && town.sent("Hi Di").isEmpty)
    }

    @Test func `a campaign that repeats leaves out whom it reached the last time`() async throws {
        let town = try Town(
            Self.files(
                Self.again("{campaign: tides, is: [accepted]}")
                    + Self.campaign("tides", to: "members", "exclude: [again]\nschedule: {cron: \"7 9 * * *\"}")),
            at: Self.monday)
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        town.go(to: Self.monday + 9.2 * 3600)
        _ = try await town.herald("run")
        #expect(town.sent() == fids(1, 2, 3))
        try town.folder.write(Self.list(2...4), to: "members.csv")
        town.go(to: Self.monday + Self.day + 9.2 * 3600)
        _ = try await town.herald("run")
        #expect(town.messages().count == 4 && town.sent().contains(.fid(4)))
        // The day after, 4 was reached and the others were not.
        town.go(to: Self.monday + 2 * Self.day + 9.2 * 3600)
        _ = try await town.herald("run")
        #expect(town.messages().count == 6)
    }

    @Test func `an occurrence that an audience goes by is not pruned`() async throws {
        let town = try Town(
            Self.files(Self.campaign("welcome", to: "members"), Self.campaign("other", to: "members"), Self.follower),
            at: Self.monday)
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        town.pass(10 * Self.day)
        let prune = try await town.herald("state", "prune", "--older-than", "1d", "--auto-approve")
        #expect(prune.errors.contains("welcome@once stays whole: audience 'again' goes by it"), "\(prune.errors)")
        #expect(prune.errors.contains("only counts of 1 old occurrence"), "\(prune.errors)")
        #expect(try await town.herald("plan").failure == nil)
        try town.folder.write("kind: audience\n", to: "mistake.yaml")
        let refused = try await town.herald("state", "prune", "--older-than", "1d", "--auto-approve")
        #expect(refused.failure?.status == .wrong && refused.errors.contains("'herald validate'"), "\(refused.errors)")
    }

    private static let follower =
        again("{campaign: welcome, is: [never]}") + campaign("late", to: "again")

    @Test func `a pruned occurrence is an error where it matters, and none where everything was sent`() async throws {
        let welcome = Self.campaign("welcome", to: "members")
        let town = try Town(Self.files(welcome), at: Self.monday)
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        town.pass(10 * Self.day)
        #expect(try await town.herald("state", "prune", "--older-than", "1d", "--auto-approve").failure == nil)
        try town.folder.write(welcome + "---\n" + Self.follower, to: "campaigns.yaml")
        for command in ["plan", "run"] {
            let refused = try await town.herald(command)
            #expect(refused.failure?.status == .wrong)
            #expect(
                refused.errors.contains("campaigns.yaml:11:21: audience 'again' goes by welcome@once"),
                "\(refused.errors)")
            #expect(refused.errors.contains("which was pruned") && refused.errors.contains("--older-than"))
        }
        try town.folder.write(welcome + "---\n" + Self.follower + "enabled: false\n", to: "campaigns.yaml")
        #expect(try await town.herald("run").failure == nil)
    }

    @Test func `an open occurrence is not looked at, nor one that a person took up again`() async throws {
        let follower = Self.again("{campaign: tides, is: [unknown]}") + Self.campaign("sorry", to: "again")
        let town = try Town(
            Self.files(Self.campaign("tides", to: "members"), follower), at: Self.monday)
        town.answer([.fid(2)], with: .lost(reason: "cut"))
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("> send  sorry@once  to audience again, 1 recipient"), "\(plan.output)")
        #expect(try await town.herald("state", "resolve", "tides@once", "--resend").failure == nil)
        let reopened = try await town.herald("plan", "--campaign", "sorry")
        #expect(
            reopened.output.contains("nobody knows yet who is in audience 'again': tides@once is not finished"),
            "\(reopened.output)")
        #expect(!reopened.output.contains("> send  sorry@once"))
    }

    @Test func `whom an audience takes out must be known before a send begins`() async throws {
        let got = Self.again("{campaign: welcome, is: [accepted]}")
        let town = try Town(Self.files(Self.campaign("welcome", to: "members"), got), at: Self.monday)
        town.answer([.fid(2)], with: .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH"))
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        try town.folder.write(
            Self.campaign("welcome", to: "members") + "---\n" + got
                + Self.campaign("others", to: "members", "exclude: [again]"), to: "campaigns.yaml")
        let retry = try await town.herald("state", "resolve", "welcome@once", "--retry", "SENDER_ID_MISMATCH")
        #expect(retry.failure == nil, "\(retry.errors)")
        let plan = try await town.herald("plan")
        #expect(
            plan.output.contains("campaign 'others' is due and waits: nobody knows yet who is in audience 'again'"),
            "\(plan.output)")
        // The retry is refused again, and so the occurrence is finished.
        _ = try await town.herald("run")
        #expect(town.sent("others").isEmpty)
        town.answer([.fid(2)], with: nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("others") == fids(2))
    }

    @Test func `who is in a follow-up is fixed when it begins`() async throws {
        let again = Self.again("{campaign: welcome, is: [rejected]}")
        let first = Self.campaign("welcome", to: "members", "delivery: {stop_when_rejected_percent: 100}")
        let sorry = Self.campaign("sorry", to: "again", "delivery: {stages: [50%, 100%], soak: manual}")
        let town = try Town(Self.files(first, again + sorry, members: 1...12), at: Self.monday)
        town.answer((1...12).map { .fid($0) }, with: .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH"))
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        town.answer((1...12).map { .fid($0) }, with: nil)
        #expect(try await town.herald("run").failure == nil)
        let begun = town.sent("sorry")
        #expect(!begun.isEmpty && begun.count < 12)
        // Everybody gets the second revision, so nobody is rejected any more.
        try town.folder.write(
            [first.replacing("tags:", with: "revision: 2\ntags:"), again + sorry].joined(separator: "---\n"),
            to: "campaigns.yaml")
        #expect(try await town.herald("run").failure == nil)
        #expect(try await town.herald("state", "resolve", "sorry@once", "--continue").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        let sorrySent = try await town.herald("state", "show", "sorry@once", "--format", "json")
        #expect(try JSONValue(parsing: Array(sorrySent.output.utf8))["occurrences"]?.array?.first?["accepted"] == 12)
    }

    @Test func `whom nothing came of gets it when their own window opens, also if something came meanwhile`()
        async throws
    {
        let window = "{from: '09:00', to: '21:00', timezone: {field: zone, default: Europe/Rome}}"
        let late =
            Self.again("{campaign: welcome, is: [never]}")
            + Self.campaign("sorry", to: "again", "delivery: {expires_after: 1d, window: \(window)}")
        let welcome = Self.campaign("welcome", to: "members")
        var files = Self.files(welcome, late)
        files["audience.yaml"] =
            "kind: audience\nname: members\nsource: {file: members.csv}\nfields: {zone: {type: timezone}}\n"
        let zones = ["Europe/Rome", "America/New_York", "Europe/Rome"]
        let list = { (members: [Int]) in
            "fid,zone\n" + members.map { "\(Registration.fid($0).rawValue),\(zones[$0 - 1])\n" }.joined()
        }
        files["members.csv"] = list([1])
        // 6:00 in Rome.
        let town = try Town(files, at: Self.monday + 5 * 3600)
        _ = try await town.herald("state", "init")
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("welcome") == fids(1))
        try town.folder.write(list([1, 2, 3]), to: "members.csv")
        town.pass(4 * 3600)
        // Whoever joins a campaign that is over gets nothing of it.
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("sorry") == fids(3))
        // Everybody gets the second revision of the other one.
        try town.folder.write(
            [welcome.replacing("tags:", with: "revision: 2\ntags:"), late].joined(separator: "---\n"),
            to: "campaigns.yaml")
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("welcome") == fids(1, 2, 3))
        // 11:00 in Rome, 5:00 in New York; then 8:59 and 9:00 there.
        for (hours, sorry) in [(1.0, fids(3)), (3.98, fids(3)), (0.02, fids(2, 3))] {
            town.pass(hours * 3600)
            #expect(try await town.herald("run").failure == nil)
            #expect(town.sent("sorry") == sorry)
        }
        let shown = try await town.herald("state", "show", "sorry@once", "--format", "json")
        #expect(try JSONValue(parsing: Array(shown.output.utf8))["occurrences"]?.array?.first?["accepted"] == 2)
    }

    @Test func `what everybody missed of a cron in local time left nobody out`() async throws {
        let schedule = "{cron: \"0 9 * * *\", max_lateness: 1h, timezone: {field: zone, default: Europe/Rome}}"
        let others = Self.again("{campaign: tides, is: [never]}") + Self.campaign("late", to: "again")
        var files = Self.files(Self.campaign("tides", to: "members", "schedule: \(schedule)"), others)
        files["audience.yaml"] =
            "kind: audience\nname: members\nsource: {file: members.csv}\nfields: {zone: {type: timezone}}\n"
        files["members.csv"] = "fid,zone\n\(Registration.fid(1).rawValue),America/Los_Angeles\n"
        let town = try Town(files, at: Self.monday)
        _ = try await town.herald("state", "init")
        #expect(try await town.herald("run").failure == nil)
        // Nothing runs for four days.
        town.pass(4 * Self.day)
        let missed = try await town.herald("run")
        #expect(missed.failure?.status == .failed, "\(missed.output) \(missed.errors)")
        for _ in 1...2 {
            town.pass(60)
            let run = try await town.herald("run")
            #expect(run.failure == nil, "\(run.errors)")
        }
        #expect(town.messages().isEmpty)
    }

    @Test func `guards look at the list that people are chosen from, and not at who is chosen`() async throws {
        let rest = "kind: audience\nname: rest\nfrom: members\nexclude: [again]\n---\n"
        let files = Self.files(
            Self.campaign("welcome", to: "members"),
            Self.again("{campaign: welcome, is: [accepted]}") + rest
                + Self.campaign("late", to: "rest", "enabled: false"),
            members: 1...200)
        let town = try Town(files, at: Self.monday)
        _ = try await town.herald("state", "init")
        _ = try await town.herald("run")
        // 'rest' has nobody now, and 'again' everybody.
        let plan = try await town.herald("plan")
        #expect(plan.failure == nil && !plan.output.contains("audience_collapse"), "\(plan.output)")
        try town.folder.write(Self.list(1...5), to: "members.csv")
        let collapsed = try await town.herald("plan")
        for name in ["again", "members", "rest"] {
            #expect(collapsed.output.contains("audience '\(name)' shrank from 200 to 5"), "\(collapsed.output)")
        }
    }

    @Test func `without a state the number is unknown, and a test takes no follow-up`() async throws {
        let follower = Self.again("{campaign: welcome, is: [never]}") + Self.campaign("late", to: "again")
        let town = try Town(Self.files(Self.campaign("welcome", to: "members"), follower), at: Self.monday)
        let test = try await town.herald("test", "late", "--audience", "again")
        #expect(test.failure?.status == .wrong && test.errors.contains("goes by what came of a campaign"))
        #expect(town.messages().isEmpty)
    }
}
