import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// People who edit the target while an occurrence in local time is under way. On Tuesday, 9:07 is 0:07 UTC in Tokyo, 8:07 in
/// Rome and 14:07 in New York.
extension LocalTimeTests {
    private static let tuesday = once("2027-01-05T09:07")
    private static let window = #"delivery: {window: {from: "08:00", to: "21:00"}}"#

    /// - Parameters:
    ///   - zones: those of the members 1, 2 and so on.
    ///   - others: those of another audience, whose members are 11, 12 and so on.
    private static func targets(
        _ target: String, _ schedule: String = tuesday, zones: [String], others: [String] = [], title: String = "Hello",
        more: String = ""
    ) -> [String: String] {
        var files = files(schedule, zones: zones, more: more, title: title, target: "{audience: \(target)}")
        let rows = others.enumerated().map { "\(Registration.fid($0 + 11).rawValue),\($1)\n" }
        files["others.csv"] = "fid,zone\n" + rows.joined()
        files["audiences.yaml"] = """
            kind: audience
            name: romans
            from: members
            where: {zone: Europe/Rome}
            ---
            kind: audience
            name: others
            source: {file: others.csv}
            fields: {zone: {type: timezone}}

            """
        return files
    }

    private func write(_ files: [String: String], _ town: Town) throws {
        for (name, text) in files { try town.folder.write(text, to: name) }
    }

    /// Everybody of the other target has it, and so nothing is held.
    @Test(arguments: [tuesday, daily])
    func `another target that is taken back loses no wave that came meanwhile`(_ schedule: String) async throws {
        let zones = ["Asia/Tokyo", "Europe/Rome", "America/New_York"]
        let files = Self.targets("members", schedule, zones: zones)
        let town = try await town(files)
        #expect(try await hours(in: town, 0, 23, 25, 33) == [1: [25], 2: [33]])
        try write(Self.targets("romans", schedule, zones: zones), town)
        #expect(try await hours(in: town, 34, 38, 39).isEmpty)
        try write(files, town)
        #expect(try await hours(in: town, 39, 40) == [3: [39]])
    }

    /// The list lacks New York while the campaign has another text, which holds it, or is paused.
    @Test(arguments: ["text", "pause"])
    func `a list that is short while an occurrence waits for a person loses no wave`(_ why: String) async throws {
        let zones = ["Asia/Tokyo", "America/New_York", "Pacific/Honolulu"]
        let files = Self.targets("members", zones: zones)
        let town = try await town(files)
        #expect(try await hours(in: town, 0, 23, 25) == [1: [25]])
        let short = Self.targets("members", zones: zones, title: why == "text" ? "Good evening" : "Hello")
        let rows = (short["members.csv"] ?? "").split(separator: "\n").filter { !$0.contains("New_York") }
        try write(short.merging(["members.csv": rows.joined(separator: "\n") + "\n"]) { $1 }, town)
        if why == "pause" { #expect(try await town.herald("pause", "hello").failure == nil) }
        for hour in [33, 39] as [Double] {
            town.go(to: Self.monday + hour * 3600)
            _ = try await town.herald("run")
        }
        #expect(numbers(town.sent()) == [1])
        try write(files, town)
        if why == "pause" { #expect(try await town.herald("resume", "hello").failure == nil) }
        #expect(try await hours(in: town, 39, 40, 44) == [2: [39], 3: [44]])
    }

    /// 11 is in Honolulu. 12 is in Tokyo, where it is too late since 26.1 when a person lets it go on. 13 is in New York,
    /// where the window is closed for a part of that time.
    @Test(arguments: [["Asia/Tokyo", "America/New_York"], ["Asia/Tokyo"]], ["", window])
    func `whom only another target has joined late if it is too late for them`(
        _ others: [String], _ more: String
    ) async throws {
        let town = try await town(Self.targets("members", zones: ["Asia/Tokyo"], more: more))
        #expect(try await hours(in: town, 0, 23, 25) == [1: [25]])
        let all = ["Pacific/Honolulu"] + others
        try write(Self.targets("others", zones: ["Asia/Tokyo"], others: all, more: more), town)
        town.go(to: Self.monday + 28 * 3600)
        _ = try await town.herald("run")
        let resolved = try await town.herald("state", "resolve", "hello@2027-01-05T09:07", "--continue")
        #expect(resolved.failure == nil, "\(resolved.errors)")
        #expect(try await hours(in: town, 30, 39) == (others.count == 1 ? [:] : [13: [39]]))
        // 9:07 is 19:07 UTC in Honolulu.
        town.go(to: Self.monday + 44 * 3600)
        let last = try await town.herald("run")
        #expect(last.failure == nil && !last.output.contains("missed"), "\(last.output)")
        #expect(numbers(town.sent()).count == others.count + 1)
        let shown = try await town.herald("state", "show", "--format", "json").output
        let occurrence = try JSONValue(parsing: Array(shown.utf8))["occurrences"]?.array?.first
        #expect(occurrence?["accepted"]?.int == Int64(others.count + 1) && occurrence?["skipped"] == 0, "\(shown)")
    }

    /// It is too late in Tokyo since 26.1. A person decides before that, and no run comes until 30.
    @Test func `whom only another target has is missed if a person let it go on in time for them`() async throws {
        let town = try await town(Self.targets("members", zones: ["Asia/Tokyo", "Pacific/Honolulu"]))
        #expect(try await hours(in: town, 0, 23, 25) == [1: [25]])
        try write(Self.targets("others", zones: ["Asia/Tokyo"], others: ["Asia/Tokyo"]), town)
        town.go(to: Self.monday + 25.5 * 3600)
        _ = try await town.herald("run")
        let resolved = try await town.herald("state", "resolve", "hello@2027-01-05T09:07", "--continue")
        #expect(resolved.failure == nil, "\(resolved.errors)")
        town.go(to: Self.monday + 30 * 3600)
        let run = try await town.herald("run")
        #expect(run.failure?.status == .failed, "\(run.output)\(run.errors)")
        #expect(run.output.contains("it is too late for 1 recipient"), "\(run.output)")
        #expect(numbers(town.sent()) == [1])
    }

    @Test func `a plan says if everybody of another target joined late`() async throws {
        let town = try await town(Self.targets("members", zones: ["Asia/Tokyo", "Pacific/Honolulu"]))
        #expect(try await hours(in: town, 0, 23, 25) == [1: [25]])
        try write(Self.targets("others", zones: ["Asia/Tokyo"], others: ["Asia/Tokyo", "Asia/Tokyo"]), town)
        town.go(to: Self.monday + 28 * 3600)
        _ = try await town.herald("run")
        _ = try await town.herald("state", "resolve", "hello@2027-01-05T09:07", "--continue")
        let plan = try await town.herald("plan")
        let words = "hello@2027-01-05T09:07 goes to nobody more: 2 recipients joined too late to get it"
        #expect(plan.failure == nil && plan.output.contains(words), "\(plan.output)")
        #expect(try await hours(in: town, 30, 48, 49).isEmpty)
    }

    /// 11 joined late, and 12 waits for a person.
    @Test func `a plan does not say that nobody gets more while somebody waits`() async throws {
        let town = try await town(Self.targets("members", zones: ["Asia/Tokyo"]))
        #expect(try await hours(in: town, 0, 23, 25) == [1: [25]])
        try write(Self.targets("others", zones: ["Asia/Tokyo"], others: ["Asia/Tokyo", "Europe/Rome"]), town)
        town.go(to: Self.monday + 28 * 3600)
        _ = try await town.herald("run")
        _ = try await town.herald("state", "resolve", "hello@2027-01-05T09:07", "--continue")
        #expect(try await town.herald("pause", "hello").failure == nil)
        town.go(to: Self.monday + 33 * 3600)
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("paused") && !plan.output.contains("goes to nobody more"), "\(plan.output)")
        #expect(try await town.herald("resume", "hello").failure == nil)
        #expect(try await hours(in: town, 33) == [12: [33]])
    }

    /// 19 has it with the first wave. 20 becomes a seed together with the other target.
    @Test func `a new seed starts with the next wave of another target`() async throws {
        let seeds = { (numbers: [Int], files: [String: String]) -> [String: String] in
            let fids = numbers.map { Registration.fid($0).rawValue }.joined(separator: ", ")
            return files.merging(["seeds.yaml": "kind: audience\nname: ours\nfids: [\(fids)]\n"]) { $1 }
        }
        let more = "delivery: {seeds: ours}"
        let town = try await town(seeds([19], Self.targets("members", zones: ["Asia/Tokyo"], more: more)))
        #expect(try await hours(in: town, 0, 23, 25, 26) == [19: [25], 1: [26]])
        let others = Self.targets("others", zones: ["Asia/Tokyo"], others: ["Europe/Rome"], more: more)
        try write(seeds([19, 20], others), town)
        town.go(to: Self.monday + 28 * 3600)
        _ = try await town.herald("run")
        let resolved = try await town.herald("state", "resolve", "hello@2027-01-05T09:07", "--continue")
        #expect(resolved.failure == nil, "\(resolved.errors)")
        #expect(try await hours(in: town, 29, 33) == [20: [33], 11: [33]])
    }
}
