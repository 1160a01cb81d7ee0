import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// What a guard refuses, what nobody approved and what a clock was fast for ends no wave.
extension LocalTimeTests {
    /// 1 to 5 are in Tokyo (0:07 UTC), 6 to 155 in Rome (8:07 UTC).
    private static let many =
        Array(repeating: "Asia/Tokyo", count: 5) + Array(repeating: "Europe/Rome", count: 150)

    /// How many messages a run sends, and what it says.
    private func run(_ town: Town, at hour: Double) async throws -> (sent: Int, words: String, failure: CommandFailure?)
    {
        town.go(to: Self.monday + hour * 3600)
        let before = town.messages().count
        let run = try await town.herald("run")
        return (town.messages().count - before, run.output + run.errors, run.failure)
    }

    private func write(_ rows: Int, of files: [String: String], to town: Town) throws {
        let lines = (files["members.csv"] ?? "").split(separator: "\n").prefix(rows + 1)
        try town.folder.write(lines.joined(separator: "\n") + "\n", to: "members.csv")
    }

    private static func requireApproval(_ files: inout [String: String]) {
        files["herald.yaml"] =
            (files["herald.yaml"] ?? "").replacing("herald: 1", with: "herald: 2") + "approval: required\n"
    }

    /// Somebody approves what the files say now.
    private func approve(_ town: Town) async throws {
        let plan = try await town.herald("plan", "--format", "json")
        try town.folder.write(plan.output, to: "plan.json")
        let approved = try await town.herald("approve", "\(town.folder.path)/plan.json", "--by", "Ada")
        #expect(approved.failure == nil, "\(approved.errors)")
    }

    /// The list lacks all of Rome in the one run after Rome's 9:07.
    @Test(arguments: ["cron", "at"], [true, false])
    func `a list that a guard refuses takes nobody out of their wave`(_ kind: String, _ hasBegun: Bool) async throws {
        let files = Self.files(kind == "at" ? Self.once("2027-01-05T09:07") : Self.daily, zones: Self.many)
        let town = try await town(files, hours: 0)
        if !hasBegun {
            let list = try #require(files["members.csv"]).replacing("Asia/Tokyo", with: "Pacific/Honolulu")
            try town.folder.write(list, to: "members.csv")
        }
        let whole = try town.folder.read("members.csv")
        #expect(try await run(town, at: 0).sent == 0)
        #expect(try await run(town, at: 25).sent == (hasBegun ? 5 : 0))
        try write(5, of: ["members.csv": whole], to: town)
        let refused = try await run(town, at: 32.5)
        #expect(refused.sent == 0 && refused.failure?.status == .refused, "\(refused)")
        #expect(try await run(town, at: 33).sent == 0)
        try town.folder.write(whole, to: "members.csv")
        #expect(try await run(town, at: 33.5).sent == 150)
        #expect(try await run(town, at: 34).sent == 0)
    }

    @Test func `a list that a guard refuses ends nothing`() async throws {
        let zones = Array(repeating: "Asia/Tokyo", count: 5) + Array(repeating: "Pacific/Honolulu", count: 150)
        let files = Self.files(Self.once("2027-01-05T09:07"), zones: zones)
        let town = try await town(files, hours: 0)
        #expect(try await run(town, at: 0).sent == 0)
        try write(5, of: files, to: town)
        let refused = try await run(town, at: 34)
        #expect(refused.failure?.status == .refused && !refused.words.contains("missed"), "\(refused)")
        try town.folder.write(files["members.csv"] ?? "", to: "members.csv")
        let late = try await run(town, at: 35)
        #expect(late.sent == 0)
        #expect(try await run(town, at: 44).sent == 150)
    }

    /// Nobody approved that the campaign goes to another list, and it is taken back.
    @Test func `an edit that nobody approved takes nobody out of their wave`() async throws {
        var files = Self.files(
            Self.once("2027-01-05T09:07"), zones: ["Europe/Rome", "Europe/Rome", "Pacific/Honolulu"])
        Self.requireApproval(&files)
        files["other.csv"] = (files["members.csv"] ?? "").replacing("Europe/Rome", with: "Pacific/Honolulu")
        let town = try await town(files, hours: 0)
        try await approve(town)
        let original = try #require(files["x.yaml"])
        #expect(try await run(town, at: 1).sent == 0)
        try town.folder.write(original.replacing("members.csv", with: "other.csv"), to: "x.yaml")
        _ = try await run(town, at: 32.5)
        #expect(try await run(town, at: 33).sent == 0)
        try town.folder.write(original, to: "x.yaml")
        #expect(try await run(town, at: 33.5).sent == 2)
    }

    /// Tokyo's wave is missed while nobody else is listed.
    @Test(arguments: ["cron", "at"])
    func `a wave that is missed ends no occurrence of which clocks are ahead`(_ kind: String) async throws {
        let files = Self.files(
            kind == "at" ? Self.once("2027-01-05T09:07") : Self.daily, zones: ["Asia/Tokyo", "America/New_York"])
        let town = try await town(files, hours: 0)
        #expect(try await run(town, at: 0).sent == 0)
        try write(1, of: files, to: town)
        let missed = try await run(town, at: 34)
        #expect(missed.failure?.status == .failed && missed.words.contains("Missed:"), "\(missed)")
        #expect(try await run(town, at: 35).failure == nil)
        try town.folder.write(files["members.csv"] ?? "", to: "members.csv")
        #expect(try await run(town, at: 36).sent == 0)
        #expect(try await run(town, at: 39).sent == 1)
        let shown = try await town.herald("state", "show", "--format", "json").output
        let occurrences = try JSONValue(parsing: Array(shown.utf8))["occurrences"]?.array ?? []
        #expect(
            occurrences.first { $0["occurrence"] == "hello@2027-01-05T09:07" }?["skipped_because"]?["missed"] == 1,
            "\(shown)")
    }

    /// Tokyo's wave comes while nobody has approved the new time, and is too late when somebody does.
    @Test func `a wave that comes before its time is approved is missed, and not passed over`() async throws {
        var files = Self.files(Self.once("2027-01-08T09:07"), zones: ["Asia/Tokyo", "Europe/Rome"])
        Self.requireApproval(&files)
        let town = try await town(files, hours: 0)
        try await approve(town)
        #expect(try await run(town, at: 1).sent == 0)
        try town.folder.write((files["x.yaml"] ?? "").replacing("01-08", with: "01-05"), to: "x.yaml")
        for hour in [2, 25] as [Double] { #expect(try await run(town, at: hour).sent == 0) }
        town.go(to: Self.monday + 32.5 * 3600)
        try await approve(town)
        let last = try await run(town, at: 32.5)
        #expect(last.sent == 1 && last.failure?.status == .failed, "\(last.words)")
        let shown = try await town.herald("state", "show", "--format", "json").output
        let occurrences = try JSONValue(parsing: Array(shown.utf8))["occurrences"]?.array ?? []
        #expect(occurrences.first?["skipped_because"]?["missed"] == 1, "\(shown)")
    }

    /// The field goes without approval, Rome's 9:07 passes, and the field is back.
    @Test func `a field that is taken away without approval decides nothing`() async throws {
        var files = Self.files(Self.daily, zones: ["Asia/Tokyo", "Europe/Rome"])
        Self.requireApproval(&files)
        let town = try await town(files, hours: 0)
        try await approve(town)
        for (hour, sent) in [(0, 0), (25, 1)] { #expect(try await run(town, at: Double(hour)).sent == sent) }
        let instant = Self.files(#"cron: "7 9 * * *", timezone: Europe/Rome"#)["x.yaml"] ?? ""
        try town.folder.write(instant, to: "x.yaml")
        #expect(try await run(town, at: 32.5).sent == 0)
        try town.folder.write(files["x.yaml"] ?? "", to: "x.yaml")
        #expect(try await run(town, at: 33).sent == 1)
    }

    /// Everybody on a short list is too late while the campaign is paused.
    @Test func `a pause ends no occurrence of which clocks are ahead`() async throws {
        let files = Self.files(Self.once("2027-01-05T09:07"), zones: ["Asia/Tokyo", "Pacific/Honolulu"])
        let town = try await town(files, hours: 0)
        #expect(try await run(town, at: 0).sent == 0)
        try write(1, of: files, to: town)
        #expect(try await town.herald("pause", "hello").failure == nil)
        #expect(try await run(town, at: 34).words.contains("Missed") == false)
        #expect(try await town.herald("resume", "hello").failure == nil)
        try town.folder.write(files["members.csv"] ?? "", to: "members.csv")
        #expect(try await run(town, at: 35).sent == 0)
        #expect(try await run(town, at: 44).sent == 1)
    }

    @Test func `a campaign that a fast clock saw first is due after a rewind`() async throws {
        let town = try await town(Self.files(Self.daily, zones: ["Asia/Tokyo", "Europe/Rome"]), hours: 0)
        _ = try await run(town, at: 120)
        town.go(to: Self.monday)
        #expect(try await town.herald("state", "rewind", "hello").failure == nil)
        var sent: [Int] = []
        for hour in [0, 25, 33, 49, 57] as [Double] { sent.append(try await run(town, at: hour).sent) }
        #expect(sent == [0, 1, 1, 1, 1])
    }

    @Test func `what a fast clock ended with nobody tried comes due after a rewind`() async throws {
        let town = try await town(Self.files(Self.daily, zones: ["Asia/Tokyo", "Europe/Rome"]), hours: 0)
        #expect(try await run(town, at: 0).sent == 0)
        _ = try await run(town, at: 120)
        #expect(try await run(town, at: 25).sent == 0)
        town.go(to: Self.monday + 25 * 3600)
        let rewound = try await town.herald("state", "rewind", "hello")
        #expect(rewound.failure == nil, "\(rewound.errors)")
        var sent: [Int] = []
        for hour in [25.5, 33, 49, 57, 73, 81] { sent.append(try await run(town, at: hour).sent) }
        #expect(sent == [0, 1, 1, 1, 1, 1])
    }

    /// Tokyo's clock comes to it at 0:07 UTC, and its window opens at 1:00. In between a clock is fast: for hours, so that
    /// Rome's wave is fixed too early, or for days, so that it is all over.
    @Test(arguments: ["cron", "at"], [32.5, 120])
    func `whoever waits for their window gets it after a rewind`(_ kind: String, _ fast: Double) async throws {
        let files = Self.files(
            kind == "at" ? Self.once("2027-01-05T09:07") : Self.daily, zones: ["Asia/Tokyo", "Europe/Rome"],
            more: #"delivery: {window: {from: "10:00", to: "20:00", timezone: {field: zone, default: Europe/Rome}}}"#)
        let town = try await town(files, hours: 0)
        for hour in [0, 24.3] { #expect(try await run(town, at: hour).sent == 0) }
        #expect(try await run(town, at: fast).sent == 0)
        // Whoever joins Tokyo now is too late for its wave, as without the fast clock.
        let list = try town.folder.read("members.csv")
        try town.folder.write(list + "\(Registration.fid(3).rawValue),Asia/Tokyo\n", to: "members.csv")
        town.go(to: Self.monday + 24.5 * 3600)
        let rewound = try await town.herald("state", "rewind", "hello")
        #expect(rewound.failure == nil, "\(rewound.errors)")
        for hour in [24.6, 25.1, 33.1] {
            let run = try await run(town, at: hour)
            #expect(run.failure == nil && run.sent == (hour == 24.6 ? 0 : 1), "\(hour): \(run)")
        }
        #expect(numbers(town.sent()) == [1, 2])
        if kind == "cron" { #expect(try await run(town, at: 49.1).sent == 2) }
    }

    /// It is due for all at 19:07, and after 20:00 the window is closed. The clock is set right before or after it is due.
    @Test(arguments: [30, 43.3])
    func `whoever only a fast clock skipped gets what is due for all after a rewind`(_ right: Double) async throws {
        let files = Self.files(
            #"cron: "7 19 * * *", timezone: Etc/UTC"#, zones: ["Asia/Tokyo", "Europe/Rome"],
            more: #"delivery: {window: {from: "06:00", to: "20:00", timezone: Etc/UTC, when_closed: skip}}"#)
        let town = try await town(files, hours: 0)
        for hour in [20, 44.2] { _ = try await run(town, at: hour) }
        #expect(town.sent().isEmpty)
        town.go(to: Self.monday + right * 3600)
        let rewound = try await town.herald("state", "rewind", "hello")
        #expect(rewound.failure == nil, "\(rewound.errors)")
        for (hour, sent) in [(43.4, 2), (43.5, 0), (67.2, 2)] { #expect(try await run(town, at: hour).sent == sent) }
    }

    /// Tokyo's clock came to it in the night of the window, Rome's comes by day.
    @Test func `whoever was skipped stays so after a rewind`() async throws {
        let files = Self.files(
            Self.daily, zones: ["Asia/Tokyo", "Europe/Rome"],
            more: #"delivery: {window: {from: "06:00", to: "20:00", timezone: Etc/UTC, when_closed: skip}}"#)
        let town = try await town(files, hours: 0)
        for hour in [0, 24.3, 120] { #expect(try await run(town, at: hour).sent == 0) }
        town.go(to: Self.monday + 24.5 * 3600)
        let rewound = try await town.herald("state", "rewind", "hello")
        #expect(rewound.failure == nil, "\(rewound.errors)")
        for hour in [24.6, 30.5, 33.1] { _ = try await run(town, at: hour) }
        #expect(numbers(town.sent()) == [2])
        let shown = try await town.herald("state", "show", "--format", "json").output
        let occurrences = try JSONValue(parsing: Array(shown.utf8))["occurrences"]?.array ?? []
        let tuesday = occurrences.first { $0["occurrence"] == "hello@2027-01-05T09:07" }
        #expect(tuesday?["skipped_because"]?["outside_window"] == 1, "\(shown)")
    }

    /// In the night of the fast clock both were outside of the window.
    @Test func `whoever only a fast clock skipped is sent it after a rewind`() async throws {
        let files = Self.files(
            Self.daily, zones: ["Asia/Tokyo", "Europe/Rome"],
            more: #"delivery: {window: {from: "06:00", to: "20:00", timezone: Etc/UTC, when_closed: skip}}"#)
        let town = try await town(files, hours: 0)
        for hour in [0, 45] as [Double] { #expect(try await run(town, at: hour).sent == 0) }
        town.go(to: Self.monday + 30.2 * 3600)
        let rewound = try await town.herald("state", "rewind", "hello")
        #expect(rewound.failure == nil, "\(rewound.errors)")
        for hour in [30.5, 32.3] { #expect(try await run(town, at: hour).sent == 1) }
        #expect(numbers(town.sent()) == [1, 2])
    }

    /// They were missed before the clock was fast, and so they are after it.
    @Test func `whose window had closed on them by now is not sent it after a rewind`() async throws {
        let files = Self.files(
            Self.daily, zones: ["Asia/Tokyo", "Europe/Rome"],
            more: #"delivery: {window: {from: "10:00", to: "20:00", timezone: {field: zone, default: Europe/Rome}}}"#)
        let town = try await town(files, hours: 0)
        for hour in [0, 24.3] { #expect(try await run(town, at: hour).sent == 0) }
        #expect(try await run(town, at: 120).sent == 0)
        // Two hours of Tokyo's window are over.
        town.go(to: Self.monday + 27.5 * 3600)
        #expect(try await town.herald("state", "rewind", "hello").failure == nil)
        #expect(try await run(town, at: 27.6).sent == 0)
        #expect(try await run(town, at: 33.1).sent == 1)
        #expect(numbers(town.sent()) == [2])
        let shown = try await town.herald("state", "show", "--format", "json").output
        let occurrences = try JSONValue(parsing: Array(shown.utf8))["occurrences"]?.array ?? []
        let tuesday = occurrences.first { $0["occurrence"] == "hello@2027-01-05T09:07" }
        #expect(tuesday?["skipped_because"]?["missed"] == 1, "\(shown)")
    }
}
