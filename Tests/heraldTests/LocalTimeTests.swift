import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Campaigns in local time through herald's own command lines, with a clock of the test.
struct LocalTimeTests {
    /// 2027-01-04T00:00:00Z, a Monday
    static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    static let zones = ["Asia/Tokyo", "Europe/Rome", "America/New_York", "", "Nowhere/Land", "+05:30"]
    static let daily = #"cron: "7 9 * * *", timezone: {field: zone, default: Europe/Rome}"#

    static func once(_ time: String, _ ifPassed: String = "skip") -> String {
        "at: \"\(time)\", if_passed: \(ifPassed), timezone: {field: zone, default: Europe/Rome}"
    }

    static func files(
        _ schedule: String, zones: [String] = zones, more: String = "", title: String = "Hello",
        target: String = "{audience: members}"
    ) -> [String: String] {
        [
            "herald.yaml": """
            herald: 1
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}

            """,
            "members.csv": "fid,zone\n"
                + zones.enumerated().map { "\(Registration.fid($0 + 1).rawValue),\($1)\n" }.joined(),
            "x.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            fields: {zone: {type: timezone}}
            ---
            kind: campaign
            name: hello
            message: {notification: {title: \(title)}}
            target: \(target)
            schedule: {\(schedule)}
            \(more)

            """,
        ]
    }

    func numbers(_ registrations: Set<Registration>) -> Set<Int> {
        Set((1...20).filter { registrations.contains(.fid($0)) })
    }

    /// Runs at these hours since Monday, and returns those at which each person got a message.
    func hours(in town: Town, _ runs: Int...) async throws -> [Int: [Int]] {
        var hours: [Int: [Int]] = [:]
        for hour in runs {
            town.go(to: Self.monday + Double(hour) * 3600)
            let before = town.messages().count
            let run = try await town.herald("run")
            #expect(run.failure == nil, "\(hour): \(run.errors)")
            for message in town.messages().dropFirst(before) {
                let fid = message["fid"]?.string.flatMap { Registration($0) }
                for number in 1...20 where fid == .fid(number) { hours[number, default: []].append(hour) }
            }
        }
        return hours
    }

    func town(_ files: [String: String], hours: Double = 0) async throws -> Town {
        let town = try Town(files, at: Self.monday + hours * 3600)
        #expect(try await town.herald("state", "init").failure == nil)
        return town
    }

    @Test func `everybody gets it once a day, at their own 9 o'clock`() async throws {
        let town = try await town(Self.files(Self.daily))
        // 9:07 is 0:07 UTC in Tokyo, 8:07 in Rome, 14:07 in New York and 3:37 at +05:30. The first occurrence is the one
        // that was ahead on every clock: Tuesday's, which Tokyo reaches on Monday evening in New York.
        let hours = try await hours(in: town, 0, 1, 4, 9, 15, 24, 25, 28, 33, 39, 49, 52, 57, 63, 72)
        #expect(hours[1] == [25, 49])
        #expect(hours[2] == [33, 57] && hours[4] == [33, 57] && hours[5] == [33, 57])
        #expect(hours[3] == [39, 63])
        #expect(hours[6] == [28, 52])
        let state = try await town.herald("state", "show", "--format", "json")
        let json = try JSONValue(parsing: Array(state.output.utf8))
        let occurrences = json["occurrences"]?.array ?? []
        #expect(occurrences.map { $0["occurrence"]?.string } == ["hello@2027-01-05T09:07", "hello@2027-01-06T09:07"])
        #expect(occurrences.allSatisfy { $0["finished"] != .null && $0["accepted"] == 6 })
        #expect(occurrences.first?["local"] == "2027-01-05T09:07:00")
    }

    @Test(arguments: [("skip", [Int]()), ("next_day", [25])])
    func `a time that some clocks have passed`(_ ifPassed: String, _ tokyo: [Int]) async throws {
        // First seen at 5:00 UTC: Tokyo passed 9:07 almost five hours ago, and +05:30 an hour and a half.
        let town = try await town(Self.files(Self.once("2027-01-04T09:07", ifPassed)), hours: 5)
        let words =
            ifPassed == "skip"
            ? "leaves out 1 recipient whose clock had passed it when the campaign was first seen (if_passed)"
            : "goes to 1 recipient a day later, because their clock had passed it when the campaign was first seen"
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("hello@2027-01-04T09:07 \(words)"), "\(plan.output)")
        let hours = try await hours(in: town, 5, 6, 9, 15, 25, 28, 33, 40)
        #expect(hours[1] ?? [] == tokyo)
        #expect(hours[6] == [5] && hours[2] == [9] && hours[4] == [9] && hours[3] == [15])
        #expect(try await town.herald("plan", "--detailed-exitcode").failure == nil)
    }

    /// 1 and 2 are in Tokyo (0:07 UTC), 3 and 4 in Rome (8:07 UTC).
    @Test(arguments: [
        // The list is short, or empty, from one run to another.
        (short: 2, from: 27, until: 30), (2, 27, 32), (0, 27, 30), (0, 27, 33), (0, 24, 26),
    ])
    func `a list that is short for a while loses nobody`(_ short: Int, _ from: Int, _ until: Int) async throws {
        let zones = ["Asia/Tokyo", "Asia/Tokyo", "Europe/Rome", "Europe/Rome"]
        let files = Self.files(Self.once("2027-01-05T09:07"), zones: zones)
        let town = try await town(files, hours: 23)
        let list = try #require(files["members.csv"]?.split(separator: "\n"))
        var got: [Int: [Int]] = [:]
        for hour in 23...50 {
            let rows = (from..<until).contains(hour) ? list.prefix(short + 1) : list[...]
            try town.folder.write(rows.joined(separator: "\n") + "\n", to: "members.csv")
            got.merge(try await hours(in: town, hour)) { $0 + $1 }
        }
        let (tokyo, rome) = (short == 0 && from < 25 ? max(25, until) : 25, short == 0 ? max(33, until) : 33)
        #expect(got[1] == [tokyo] && got[2] == [tokyo])
        #expect(got[3] == [rome] && got[4] == [rome])
        let shown = try await town.herald("state", "show", "--format", "json").output
        let occurrence = try JSONValue(parsing: Array(shown.utf8))["occurrences"]?.array?.first
        #expect(occurrence?["finished"] != .null)
    }

    @Test func `a list that is short for a while loses nobody of the next day`() async throws {
        let zones = ["Asia/Tokyo", "Europe/Rome"]
        let files = Self.files(Self.once("2027-01-04T09:07", "next_day"), zones: zones)
        // First seen at 5:00 UTC, when Tokyo has passed it.
        let town = try await town(files, hours: 5)
        let list = try #require(files["members.csv"])
        let short = list.split(separator: "\n").filter { !$0.contains("Tokyo") }.joined(separator: "\n") + "\n"
        var got: [Int: [Int]] = [:]
        // No clock of the world shows that time from 21:07 UTC on until the next day.
        for hour in 5...27 {
            try town.folder.write((20..<24).contains(hour) ? short : list, to: "members.csv")
            got.merge(try await hours(in: town, hour)) { $0 + $1 }
        }
        #expect(got == [1: [25], 2: [9]])
    }

    @Test func `people who move, join and leave between waves`() async throws {
        let town = try await town(Self.files(Self.once("2027-01-05T09:07")), hours: 24)
        _ = try await hours(in: town, 24, 25, 28, 33)
        #expect(numbers(town.sent()) == [1, 2, 4, 5, 6])
        var zones = Self.zones
        // Number 1 has it and moves to New York, 3 moves west to Los Angeles; 7 joins in Tokyo, 8 in Los Angeles.
        (zones[0], zones[2]) = ("America/New_York", "America/Los_Angeles")
        zones += ["Asia/Tokyo", "America/Los_Angeles"]
        try town.folder.write(Self.files("", zones: zones)["members.csv"] ?? "", to: "members.csv")
        let plan = try await town.herald("plan", "--format", "json", "--at", "2027-01-05T17:10:00Z")
        let json = try JSONValue(parsing: Array(plan.output.utf8))
        #expect(json["steps"]?.array?.first?["joined_late"] == 1)
        #expect(json["steps"]?.array?.first?["planned"] == 2)
        for format in ["text", "markdown", "html"] {
            let plan = try await town.herald("plan", "--format", format, "--at", "2027-01-05T17:10:00Z")
            #expect(plan.output.contains("1 joined or moved too late to get it"), "\(plan.output)")
        }
        let hours = try await hours(in: town, 34, 39, 42, 49, 57)
        // 9:07 in Los Angeles is 17:07 UTC.
        #expect(hours == [3: [42], 8: [42]])
    }

    @Test func `who becomes a seed between waves gets it by their own clock`() async throws {
        var files = Self.files(
            Self.daily, zones: ["Asia/Tokyo", "Asia/Tokyo", "America/New_York"],
            more: "delivery: {seeds: phones, stages: [100%]}")
        files["phones.yaml"] = "kind: audience\nname: phones\nsource: {file: phones.csv}\n"
        files["phones.csv"] = "fid\n\(Registration.fid(1).rawValue)\n"
        let town = try await town(files, hours: 0)
        var got = try await hours(in: town, 0, 25, 26)
        #expect(got == [1: [25], 2: [26]])
        try town.folder.write("fid\n\(Registration.fid(3).rawValue)\n", to: "phones.csv")
        got = try await hours(in: town, 27, 33, 34, 39, 40)
        #expect(got == [3: [39]])
    }

    @Test(arguments: ["text", "markdown", "html", "json"])
    func `the plan shows the waves`(_ format: String) async throws {
        let town = try await town(Self.files(Self.once("2027-01-05T09:07")), hours: 24)
        _ = try await hours(in: town, 24, 25, 28)
        let plan = try await town.herald("plan", "--format", format, "--at", "2027-01-05T08:30:00Z")
        guard format == "json" else {
            for text in ["00:07 UTC", "08:07 UTC", "14:07 UTC", "Europe/Rome", "in 4 waves"] {
                #expect(plan.output.contains(text), "\(text) in \(plan.output)")
            }
            return
        }
        let json = try JSONValue(parsing: Array(plan.output.utf8))
        let waves = json["steps"]?.array?.first?["waves"]?.array ?? []
        #expect(waves.map { $0["state"]?.string } == ["done", "done", "due", "ahead"])
        #expect(waves.map { $0["planned"] } == [1, 1, 3, 1])
        let upcoming = json["upcoming"]?.array?.first
        #expect(upcoming?["first"] == "2027-01-05T14:07:00Z" && upcoming?["waves"] == 1 && upcoming?["recipients"] == 1)
    }

    @Test func `waves that no run came for are missed, and that is said once`() async throws {
        let town = try await town(Self.files(Self.once("2027-01-05T09:07")), hours: 24)
        // Nothing runs from 1:00 to 11:00: +05:30 is late by more than two hours, Rome too.
        _ = try await hours(in: town, 24, 25)
        town.go(to: Self.monday + 35 * 3600)
        let late = try await town.herald("run")
        #expect(late.failure?.status == .failed, "\(late.errors)")
        #expect(numbers(town.sent()) == [1])
        let hours = try await hours(in: town, 36, 39, 40)
        #expect(hours == [3: [39]])
        let state = try await town.herald("state", "show", "--format", "json")
        let json = try JSONValue(parsing: Array(state.output.utf8))
        #expect(json["occurrences"]?.array?.first?["skipped_because"]?["missed"] == 4)
    }

    @Test func `an empty list says nothing about those who were on it`() async throws {
        let town = try await town(Self.files(Self.once("2027-01-05T09:07")), hours: 24)
        try town.folder.write("fid,zone\n", to: "members.csv")
        town.go(to: Self.monday + 32.2 * 3600)
        let run = try await town.herald("run")
        #expect(run.failure == nil && run.errors.contains("has nobody to send to"), "\(run.errors)")
        try town.folder.write(Self.files("")["members.csv"] ?? "", to: "members.csv")
        town.pass(600)
        #expect(try await town.herald("run").failure == nil)
        // Whose clock reached it before Rome's did is not known any more; the default zone decided.
        #expect(numbers(town.sent()).isSuperset(of: [2, 4, 5]))
    }

    @Test func `a schedule that gets the field, and loses it again`() async throws {
        let zoned = #"cron: "7 9 * * *", timezone: Europe/Rome"#
        let town = try await town(Self.files(zoned))
        // Monday at 8:07 UTC for everybody.
        var hours = try await hours(in: town, 0, 9)
        #expect(hours.values.allSatisfy { $0 == [9] } && hours.count == 6)
        try town.folder.write(Self.files(Self.daily)["x.yaml"] ?? "", to: "x.yaml")
        // No second one on Monday, whatever the clock.
        hours = try await self.hours(in: town, 10, 15, 24, 25, 28, 33, 39, 40)
        #expect(hours == [1: [25], 2: [33], 3: [39], 4: [33], 5: [33], 6: [28]])
        try town.folder.write(Self.files(zoned)["x.yaml"] ?? "", to: "x.yaml")
        hours = try await self.hours(in: town, 48, 49, 52, 57, 58)
        #expect(hours.values.allSatisfy { $0 == [57] } && hours.count == 6)
    }

    @Test func `whose clock was ahead of a time that passed with the field is missed once`() async throws {
        let town = try await town(Self.files(Self.daily, zones: ["America/New_York"]))
        var hours = try await hours(in: town, 0, 24, 34)
        #expect(hours.isEmpty)
        // Tuesday's 9:07 was 8:07 UTC in Rome. New York's clock would have come to it at 14:07 UTC.
        let zoned = #"cron: "7 9 * * *", timezone: Europe/Rome"#
        try town.folder.write(Self.files(zoned)["x.yaml"] ?? "", to: "x.yaml")
        town.go(to: Self.monday + 35 * 3600)
        let run = try await town.herald("run")
        #expect(run.failure?.status == .failed, "\(run.output) \(run.errors)")
        #expect((run.output + run.errors).contains("no time zone field any more"), "\(run.output) \(run.errors)")
        hours = try await self.hours(in: town, 36, 40, 56, 57)
        #expect(hours == [1: [57]])
    }

    @Test func `an edit of the time brings nobody a second one on that day`() async throws {
        let town = try await town(Self.files(Self.daily))
        var hours = try await hours(in: town, 0, 25, 28, 33, 39)
        #expect(hours == [1: [25], 2: [33], 3: [39], 4: [33], 5: [33], 6: [28]])
        // At 15:00 UTC on Tuesday it becomes 20:07: Tokyo has passed that, New York has not.
        let evening = #"cron: "7 20 * * *", timezone: {field: zone, default: Europe/Rome}"#
        try town.folder.write(Self.files(evening)["x.yaml"] ?? "", to: "x.yaml")
        hours = try await self.hours(in: town, 39, 40, 44, 50, 56)
        #expect(hours.isEmpty)
        hours = try await self.hours(in: town, 60, 63, 68, 74)
        #expect(hours == [1: [60], 2: [68], 3: [74], 4: [68], 5: [68], 6: [63]])
    }

    @Test func `a half-done occurrence is held when the field comes or goes, and goes on when told`() async throws {
        let town = try await town(Self.files(Self.once("2027-01-05T09:07")), hours: 24)
        _ = try await hours(in: town, 24, 25, 28)
        #expect(numbers(town.sent()) == [1, 6])
        try town.folder.write(Self.files(#"at: "2027-01-05T12:00:00Z""#)["x.yaml"] ?? "", to: "x.yaml")
        let held = try await town.herald("run")
        let words = held.output + held.errors
        #expect(words.contains("its message, target or time changed since"), "\(words)")
        let limit = "decide by 2027-01-05T14:00:00Z, or the wave of 2027-01-05T12:00:00Z is missed"
        #expect(words.contains(limit), "\(words)")
        town.go(to: Self.monday + 36.1 * 3600)
        #expect(try await town.herald("state", "resolve", "hello@2027-01-05T09:07", "--continue").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(numbers(town.sent()) == [1, 2, 3, 4, 5, 6])
        #expect(town.messages().count == 6)
    }

    @Test(arguments: [
        ("schedule: {at: \"2027-01-05T09:07Z\", if_passed: skip, timezone: {field: zone}}", "it has no offset"),
        ("schedule: {at: \"2027-01-05T09:07\", timezone: {field: zone}}", "'if_passed' must say"),
        ("schedule: {cron: \"7 * * * *\", timezone: {field: zone}}", "at most 4 times a day"),
        ("schedule: {cron: \"7 9 * * *\", if_passed: skip, timezone: {field: zone}}", "no meaning beside 'cron'"),
        ("schedule: {cron: \"7 9 * * *\", timezone: {field: zone}, dst: {overlap: both}}", "cannot be both"),
        ("schedule: {cron: \"7 9 * * *\", timezone: {field: zona}}", "has no field 'zona'"),
        ("schedule: {at: \"2027-01-05T09:07:00Z\", if_passed: skip}", "'if_passed' is for schedules in local time"),
        ("schedule: {cron: \"7 9 30 2 *\", timezone: {field: zone}}", "never fires"),
    ])
    func `mistakes in a schedule are named`(_ schedule: String, _ words: String) async throws {
        let files = Self.files("x: y")
        let text = files["x.yaml"]?.replacing("schedule: {x: y}", with: schedule) ?? ""
        let town = try Town(files.merging(["x.yaml": text]) { $1 }, at: Self.monday)
        let validate = try await town.herald("validate")
        #expect(validate.failure != nil)
        #expect((validate.output + validate.errors).contains(words), "\(validate.output)\(validate.errors)")
    }

    @Test func `one request cannot be sent at many times`() async throws {
        let town = try Town(Self.files(Self.daily, target: "{topic: news}"), at: Self.monday)
        let validate = try await town.herald("validate")
        #expect((validate.output + validate.errors).contains("reaches everybody at the same instant"))
    }

    @Test func `the calendar has one entry for each local time`() async throws {
        let town = try await town(Self.files(Self.daily))
        let calendar = try await town.herald(
            "calendar", "--days", "2", "--format", "json", "--at", "2027-01-04T12:00:00Z")
        let json = try JSONValue(parsing: Array(calendar.output.utf8))
        let occurrences = json["occurrences"]?.array ?? []
        // New York's clock has not reached Monday's yet.
        let days = ["hello@2027-01-04T09:07", "hello@2027-01-05T09:07", "hello@2027-01-06T09:07"]
        #expect(occurrences.compactMap { $0["occurrence"]?.string } == days)
        let second = occurrences.dropFirst().first
        #expect(second?["at"] == "2027-01-04T19:07:00Z" && second?["last"] == "2027-01-05T23:07:00Z")
        #expect(second?["offset"] == nil)
        let ics = try await town.herald("calendar", "--days", "2", "--format", "ics", "--at", "2027-01-04T12:00:00Z")
        #expect(ics.output.contains("DTSTART:20270104T190700Z") && ics.output.contains("DTEND:20270105T230700Z"))
    }

    @Test(arguments: [false, true])
    func `the calendar has an occurrence until the last clock has reached it`(_ hasSnapshot: Bool) async throws {
        let town = try await town(Self.files(Self.once("2027-01-05T09:07")), hours: 24)
        _ = try await hours(in: town, 24, 25)
        let path = "\(town.folder.path)/snapshot.json"
        #expect(try await town.herald("state", "snapshot", "--out", path).failure == nil)
        // The last clock of the world shows it at 23:07 UTC.
        for (clock, isShown) in [("02:00:00", true), ("23:07:00", true), ("23:07:01", false)] {
            let calendar = try await town.herald(
                ["calendar", "--at", "2027-01-05T\(clock)Z"] + (hasSnapshot ? ["--snapshot", path] : []))
            #expect(calendar.output.contains("on each clock") == isShown, "\(clock): \(calendar.output)")
            #expect(calendar.output.contains("Nothing is due") != isShown, "\(clock): \(calendar.output)")
        }
    }
}
