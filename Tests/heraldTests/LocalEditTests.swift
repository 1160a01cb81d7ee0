import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// People who edit files and lists while an occurrence in local time is under way, and take it back.
extension LocalTimeTests {
    /// 1 is in Tokyo (0:07 UTC), 2 in Rome (8:07 UTC), 3 in New York (14:07 UTC).
    private static let three = ["Asia/Tokyo", "Europe/Rome", "America/New_York"]

    /// What a run prints, whatever comes of it, and who got a message from it.
    private func run(_ town: Town, at hour: Double) async throws -> (words: String, numbers: [Int]) {
        town.go(to: Self.monday + hour * 3600)
        let before = town.messages().count
        let run = try await town.herald("run")
        let fids = town.messages().dropFirst(before).compactMap { $0["fid"]?.string }
        let numbers = (1...20).flatMap { number in
            fids.filter { $0 == Registration.fid(number).rawValue }.map { _ in number }
        }
        return (run.output + run.errors, numbers)
    }

    private func occurrences(_ town: Town) async throws -> [JSONValue] {
        let shown = try await town.herald("state", "show", "--format", "json")
        return try JSONValue(parsing: Array(shown.output.utf8))["occurrences"]?.array ?? []
    }

    @Test(arguments: [("latest", [38]), ("all", [38, 38])])
    func `what waited for a window when its field was lost is sent, or a later one takes its place`(
        _ catchUp: String, _ sent: [Int]
    ) async throws {
        let window = "delivery: {window: {from: \"13:00\", to: \"19:00\", timezone: UTC}}"
        let files = { (zone: String) in
            Self.files(
                "cron: \"7 9,12 * * *\", timezone: \(zone), catch_up: \(catchUp)", zones: ["Asia/Tokyo"], more: window)
        }
        let town = try await town(files("{field: zone, default: Europe/Rome}"))
        // Tuesday's 9:07 comes to Tokyo at 0:07 UTC and waits for the window.
        #expect(try await hours(in: town, 0, 25).isEmpty)
        try town.folder.write(files("Europe/Rome")["x.yaml"] ?? "", to: "x.yaml")
        #expect(try await hours(in: town, 26).isEmpty)
        // In Rome 9:07 is 8:07 UTC, and 12:07 is 11:07: neither is late, because the window was closed.
        town.go(to: Self.monday + 38 * 3600)
        let plan = try await town.herald("plan", "--format", "json")
        let superseded = try JSONValue(parsing: Array(plan.output.utf8))["superseded"]?.array ?? []
        #expect(superseded.map { $0["occurrence"]?.string } == (sent.count == 1 ? ["hello@2027-01-05T09:07"] : []))
        #expect(try await hours(in: town, 38) == [1: sent])
        #expect(try await town.herald("plan", "--detailed-exitcode").failure == nil)
    }

    @Test(arguments: ["", "at"])
    func `a list that is short when its last wave is sent loses nobody whose clock is ahead`(_ kind: String)
        async throws
    {
        let files = Self.files(kind == "at" ? Self.once("2027-01-05T09:07") : Self.daily, zones: Self.three)
        let town = try await town(files, hours: 0)
        let list = try #require(files["members.csv"])
        var got: [Int: [Int]] = [:]
        for hour in [0, 23, 25, 33, 34, 39, 44] {
            let rows = list.split(separator: "\n").filter { hour != 33 || !$0.contains("New_York") }
            try town.folder.write(rows.joined(separator: "\n") + "\n", to: "members.csv")
            got.merge(try await hours(in: town, hour)) { $0 + $1 }
            if hour == 34 { #expect(try await occurrences(town).first?["finished"] == .null) }
        }
        #expect(got == [1: [25], 2: [33], 3: [39]])
        // No clock of the world shows 9:07 of Tuesday after 23:07 UTC.
        _ = try await hours(in: town, 48)
        #expect(
            try await occurrences(town).first { $0["occurrence"] == "hello@2027-01-05T09:07" }?["finished"] != .null)
    }

    /// Each edit is there for the run at 33, an hour after the wave of Rome, and gone at 34.
    @Test(arguments: ["gone", "instant", "revision"], ["cron", "at"])
    func `an edit that is taken back loses no wave that came meanwhile`(_ edit: String, _ kind: String) async throws {
        let schedule = kind == "at" ? Self.once("2027-01-05T09:07") : Self.daily
        let files = Self.files(schedule, zones: Self.three)
        let town = try await town(files, hours: 0)
        let original = try #require(files["x.yaml"])
        let instant = kind == "at" ? #"at: "2027-01-05T23:00:00Z""# : #"cron: "7 9 * * *", timezone: Europe/Rome"#
        let edited =
            switch edit {
            case "gone":
                "kind: audience\nname: members\nsource: {file: members.csv}\nfields: {zone: {type: timezone}}\n"
            case "instant": Self.files(instant)["x.yaml"] ?? ""
            default: original + "revision: 2\nenabled: false\n"
            }
        var got: [[Int]] = []
        for hour in [0, 23, 25, 32.5, 33, 34, 39] {
            try town.folder.write((32.5...33).contains(hour) ? edited : original, to: "x.yaml")
            got.append(try await run(town, at: hour).numbers)
        }
        #expect(got == [[], [], [1], [], [], [2], [3]])
    }

    @Test func `whoever ends it is told until when clocks would have come to it`() async throws {
        let files = Self.files(Self.once("2027-01-05T09:07"), zones: Self.three)
        let town = try await town(files, hours: 23)
        #expect(try await run(town, at: 25).numbers == [1])
        let ended = try await town.herald("state", "resolve", "hello@2027-01-05T09:07", "--abandon")
        #expect(ended.failure == nil)
        let words = "whoever's clock comes to it later gets nothing; the last clock of the world does at 2027-01-05T"
        #expect(ended.errors.contains(words) && !ended.errors.contains("whom it was for"), "\(ended.errors)")
        for hour in [33, 39] as [Double] { #expect(try await run(town, at: hour).numbers.isEmpty) }
        let again = try await town.herald("state", "resolve", "hello@2027-01-05T09:07", "--abandon")
        #expect(again.failure != nil && !again.errors.contains("clock of the world"), "\(again.errors)")
    }

    /// Nobody is in it yet, and nothing runs for it while the wave of Tokyo comes.
    @Test(arguments: ["gone", "disabled"])
    func `a time that nobody was sent yet waits for its file`(_ edit: String) async throws {
        let files = Self.files(Self.once("2027-01-05T09:07"), zones: Self.three)
        let town = try await town(files, hours: 23)
        let original = try #require(files["x.yaml"])
        let edited =
            edit == "gone"
            ? "kind: audience\nname: members\nsource: {file: members.csv}\nfields: {zone: {type: timezone}}\n"
            : original + "enabled: false\n"
        var got: [[Int]] = []
        for hour in [23, 24, 25, 26, 33, 39] as [Double] {
            try town.folder.write((24...25).contains(hour) ? edited : original, to: "x.yaml")
            got.append(try await run(town, at: hour).numbers)
        }
        #expect(got == [[], [], [], [1], [2], [3]])
    }

    @Test(arguments: ["gone", "revision", "time"])
    func `a wave that came during an edit that was there for too long is missed, and said once`(_ edit: String)
        async throws
    {
        let files = Self.files(Self.once("2027-01-05T09:07"), zones: Self.three)
        let town = try await town(files, hours: 23)
        let original = try #require(files["x.yaml"])
        _ = try await run(town, at: 25)
        let edited =
            switch edit {
            case "gone":
                "kind: audience\nname: members\nsource: {file: members.csv}\nfields: {zone: {type: timezone}}\n"
            case "revision": original + "revision: 2\nenabled: false\n"
            default: original.replacing("2027-01-05", with: "2027-03-05")
            }
        try town.folder.write(edited, to: "x.yaml")
        _ = try await run(town, at: 33)
        try town.folder.write(original, to: "x.yaml")
        #expect(try await run(town, at: 36).numbers.isEmpty)
        #expect(try await run(town, at: 39).numbers == [3])
        #expect(try await occurrences(town).first?["skipped_because"]?["missed"] == 1)
    }

    @Test func `whoever joined too late stays out, also if the time is changed and changed back`() async throws {
        let files = Self.files(Self.once("2027-01-05T09:07"), zones: ["Asia/Tokyo"])
        let town = try await town(files, hours: 23)
        let original = try #require(files["x.yaml"])
        #expect(try await run(town, at: 25).numbers == [1])
        _ = try await run(town, at: 33)
        let list = Self.files("", zones: ["Asia/Tokyo", "Europe/Rome"])["members.csv"] ?? ""
        try town.folder.write(list, to: "members.csv")
        for (hour, date) in [(33.2, "2027-01-05"), (33.4, "2027-03-05"), (33.6, "2027-01-05"), (33.8, "2027-01-05")] {
            try town.folder.write(original.replacing("2027-01-05", with: date), to: "x.yaml")
            #expect(try await run(town, at: hour).numbers.isEmpty)
        }
    }

    @Test func `an occurrence that lost its field is held and not missed`() async throws {
        let files = Self.files(Self.daily, zones: Self.three)
        let town = try await town(files, hours: 0)
        var got: [[Int]] = []
        for hour in [0, 25] as [Double] { got.append(try await run(town, at: hour).numbers) }
        try town.folder.write(Self.files(#"cron: "7 9 * * *", timezone: Europe/Rome"#)["x.yaml"] ?? "", to: "x.yaml")
        let words = try await run(town, at: 36).words
        #expect(got == [[], [1]] && !words.contains("Missed") && !words.contains("missed"), "\(words)")
        try town.folder.write(files["x.yaml"] ?? "", to: "x.yaml")
        #expect(try await run(town, at: 39).numbers == [3])
    }

    /// - Parameter hour: of the run that sees revision 2. Rome's 9:07 is 8:07 UTC, at hour 32.1.
    @Test(arguments: [(33, [1, 2]), (50, [])] as [(Double, [Int])])
    func `a new revision of a time goes to those who are not too late`(_ hour: Double, _ again: [Int]) async throws {
        let files = Self.files(Self.once("2027-01-05T09:07"), zones: ["Europe/Rome", "Europe/Rome"])
        let town = try await town(files, hours: 23)
        #expect(try await run(town, at: 32.5).numbers == [1, 2])
        try town.folder.write((files["x.yaml"] ?? "") + "revision: 2\n", to: "x.yaml")
        let second = try await run(town, at: hour)
        #expect(second.numbers == again)
        #expect(second.words.contains("hello@2027-01-05T09:07#2"), "\(second.words)")
        #expect(try await run(town, at: hour + 1).numbers.isEmpty)
    }

    @Test func `a time for which everybody on the list joined too late is no failure, and said once`() async throws {
        let town = try await town(Self.files(Self.once("2027-01-05T09:07"), zones: ["Pacific/Honolulu"]), hours: 22)
        for hour in [23, 33] as [Double] { #expect(try await run(town, at: hour).numbers.isEmpty) }
        let list = Self.files("", zones: ["Asia/Tokyo", "Europe/Rome"])["members.csv"] ?? ""
        try town.folder.write(list, to: "members.csv")
        #expect(try await run(town, at: 34).numbers.isEmpty)
        town.go(to: Self.monday + 48 * 3600)
        let plan = try JSONValue(parsing: Array(try await town.herald("plan", "--format", "json").output.utf8))
        #expect(plan["missed"]?.array?.isEmpty == true && plan["joined_late"]?.array?.count == 1, "\(plan)")
        let over = try await town.herald("run")
        #expect(over.failure == nil, "\(over.errors)")
        let words = "nobody was listed when their clock came to it; 2 recipients joined too late"
        #expect((over.output + over.errors).contains("hello@2027-01-05T09:07: \(words)"), "\(over)")
        #expect(try await occurrences(town).first?["finished"] != .null)
        #expect(try await run(town, at: 49).words.contains("nobody was listed") == false)
    }

    /// It is over when the last clock of the world has shown it: at 23:07 UTC.
    @Test(arguments: [[5, 6, 23, 23.5, 24, 48], [30, 31, 48]])
    func `a time that all clocks on the list have passed is told once, when it is over`(_ hours: [Double]) async throws
    {
        let files = Self.files(Self.once("2027-01-04T09:07"), zones: ["Asia/Tokyo", "Asia/Tokyo"])
        let town = try await town(files, hours: hours[0])
        var failed: [Double] = []
        for hour in hours {
            town.go(to: Self.monday + hour * 3600)
            let run = try await town.herald("run")
            if run.failure != nil { failed.append(hour) }
            #expect(run.failure == nil || run.failure?.status == .failed, "\(run.errors)")
            #expect((run.output + run.errors).contains("was missed") == (run.failure != nil), "\(run)")
        }
        #expect(failed == [hours.first { $0 > 23.2 }] && town.messages().isEmpty)
        #expect(try await town.herald("status").failure == nil)
    }

    @Test func `a plan names the zones that a new field leaves out`() async throws {
        let town = try await town(Self.files(#"cron: "7 9 * * *", timezone: Europe/Rome"#, zones: Self.three))
        _ = try await run(town, at: 9)
        try town.folder.write(Self.files(Self.daily, zones: Self.three)["x.yaml"] ?? "", to: "x.yaml")
        let plan = try await town.herald("plan", "--at", "2027-01-05T05:00:00Z")
        #expect(
            plan.errors.contains(
                "leaves out 1 recipient whose clock had passed it when its schedule got a time zone field: Asia/Tokyo")
                || plan.output.contains("when its schedule got a time zone field: Asia/Tokyo"),
            "\(plan.output) \(plan.errors)")
    }

    /// 1 and 2 are in Rome: everybody has it at 8:07 UTC, and the last clock of the world comes to it at 23:07.
    @Test(arguments: ["gone", "instant", "revision", "text", "disabled"])
    func `what everybody on the list has is held by no edit`(_ edit: String) async throws {
        let files = Self.files(Self.daily, zones: ["Europe/Rome", "Europe/Rome"])
        let town = try await town(files, hours: 0)
        let original = try #require(files["x.yaml"])
        for hour in [0, 23] as [Double] { #expect(try await run(town, at: hour).numbers.isEmpty) }
        #expect(try await run(town, at: 33).numbers == [1, 2])
        #expect(try await run(town, at: 33.1).numbers.isEmpty)
        let edited =
            switch edit {
            case "gone":
                "kind: audience\nname: members\nsource: {file: members.csv}\nfields: {zone: {type: timezone}}\n"
            case "instant": Self.files(#"cron: "7 9 * * *", timezone: Europe/Rome"#)["x.yaml"] ?? ""
            case "text": original.replacing("Hello", with: "Good evening")
            case "disabled": original + "enabled: false\n"
            default: original + "revision: 2\n"
            }
        try town.folder.write(edited, to: "x.yaml")
        for hour in [33.2, 48] as [Double] {
            let later = try await run(town, at: hour)
            #expect(!later.words.contains("half done"), "\(hour): \(later.words)")
            #expect(later.numbers.isEmpty)
            #expect(try await town.herald("status").failure == nil)
        }
        // What no file asks for may be of people who wait a day.
        _ = try await run(town, at: 72)
        #expect(try await occurrences(town).first?["finished"] != .null)
    }

    /// `apply --campaign` moves the campaign's watermark as a run does.
    @Test func `an edit that an apply of one campaign saw loses no wave either`() async throws {
        let files = Self.files(Self.daily, zones: Self.three)
        let town = try await town(files, hours: 0)
        let original = try #require(files["x.yaml"])
        for hour in [0, 23] as [Double] { _ = try await run(town, at: hour) }
        #expect(try await run(town, at: 25).numbers == [1])
        try town.folder.write(original + "revision: 2\n", to: "x.yaml")
        town.go(to: Self.monday + 33 * 3600)
        _ = try await town.herald("apply", "--campaign", "hello", "--auto-approve")
        try town.folder.write(original, to: "x.yaml")
        #expect(try await run(town, at: 33.5).numbers == [2])
        #expect(try await run(town, at: 39).numbers == [3])
    }

    @Test(arguments: ["text", "disabled"])
    func `a list that is short while the campaign is edited loses nobody either`(_ edit: String) async throws {
        let files = Self.files(Self.daily, zones: Self.three)
        let town = try await town(files, hours: 0)
        let (original, list) = (try #require(files["x.yaml"]), try #require(files["members.csv"]))
        let edited =
            edit == "text" ? original.replacing("Hello", with: "Good evening") : original + "enabled: false\n"
        let short = list.split(separator: "\n").filter { !$0.contains("New_York") }.joined(separator: "\n") + "\n"
        var got: [[Int]] = []
        for hour in [0, 23, 25, 33, 34, 35, 39] as [Double] {
            try town.folder.write(hour == 34 ? edited : original, to: "x.yaml")
            try town.folder.write(hour == 34 ? short : list, to: "members.csv")
            got.append(try await run(town, at: hour).numbers)
        }
        #expect(got == [[], [], [1], [2], [], [], [3]])
    }

    /// 4 alone is in the first stage, and has the last clock: the others wait for it, until the file has no stages or a
    /// larger first one, or until 4 has left the list.
    @Test(arguments: ["stages: [90%, 100%]", "expires_after: 1d", "left"])
    func `whoever waited for a first stage is not late when it is another one`(_ edit: String) async throws {
        let zones = ["Asia/Tokyo", "Asia/Tokyo", "Europe/Rome", "America/New_York"]
        let files = { (delivery: String) in Self.files(Self.daily, zones: zones, more: "delivery: {\(delivery)}") }
        let before = files("stages: [50%, 100%]")
        let town = try await town(before)
        for hour in [0, 23, 25, 28] as [Double] { #expect(try await run(town, at: hour).numbers.isEmpty) }
        if edit == "left" {
            let list = (before["members.csv"] ?? "").split(separator: "\n").dropLast().joined(separator: "\n")
            try town.folder.write(list + "\n", to: "members.csv")
        } else {
            try town.folder.write(files(edit)["x.yaml"] ?? "", to: "x.yaml")
        }
        #expect(try await run(town, at: 28.5).numbers == [1, 2])
        #expect(try await run(town, at: 33).numbers == [3])
    }

    /// 4 has their clock at 38:07, and the next stage opens 15 minutes later. For 1 and 2 it expires at 30:07.
    @Test func `a plan warns of those whose message expires before a first stage with a later clock`() async throws {
        let zones = ["Asia/Tokyo", "Asia/Tokyo", "Europe/Rome", "America/New_York"]
        let delivery = "delivery: {stages: [50%, 100%], expires_after: 6h}"
        let town = try await town(Self.files(Self.daily, zones: zones, more: delivery))
        for hour in [0, 23] as [Double] { _ = try await run(town, at: hour) }
        let words =
            "hello@2027-01-05T09:07 expires for 2 recipients before their stage opens, at 2027-01-05T14:22:00Z at the earliest"
        let waiting = try await run(town, at: 25)
        #expect(waiting.numbers.isEmpty && waiting.words.contains(words), "\(waiting.words)")
        let traced = try await town.herald("state", "find", Registration.fid(1).rawValue)
        #expect(traced.output.contains("it expires before their stage opens"), "\(traced.output)")
    }

    @Test func `a snapshot shows nothing to send of what everybody has`() async throws {
        let town = try await town(Self.files(Self.daily, zones: ["Europe/Rome", "Europe/Rome"]), hours: 0)
        for hour in [0, 23, 33, 33.1] as [Double] { _ = try await run(town, at: hour) }
        let path = "\(town.folder.path)/state.json"
        #expect(try await town.herald("state", "snapshot", "--out", path).failure == nil)
        let plan = try await town.herald("plan", "--snapshot", path, "--format", "json")
        let json = try JSONValue(parsing: Array(plan.output.utf8))
        #expect(json["steps"]?.array?.isEmpty == true, "\(plan.output) \(plan.errors)")
    }
}
