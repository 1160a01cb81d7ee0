import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// What people do about a send in stages: accept, try again, edit, empty a list.
struct StageRepairTests: StageScene {
    private static let refused = Exchange.error(
        400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT", message: "no such sound")

    private func accepted(_ town: Town) async throws -> JSONValue? {
        try await json(town, "state", "show")["occurrences"]?.array?.first?["accepted"]
    }

    @Test func `what was accepted halts nothing again`() async throws {
        let town = try await town(Self.files("stages: [50%, 100%], soak: 15m"))
        let first = Self.tenth.union(Self.half)
        town.answer(first.map { .fid($0) }, with: Self.refused)
        #expect(try await town.herald("run").failure?.status == .unknown)
        let tried = try sent(town)
        // Some of the stage are left, and FCM is well again.
        #expect(!first.subtracting(tried).isEmpty)
        town.answer(first.map { .fid($0) }, with: nil)
        #expect(try await town.herald("state", "resolve", "hello@once", "--continue").failure == nil)
        #expect(try await runs(town, 1) == [Self.everybody.subtracting(tried)])
        #expect(try await json(town, "state", "show")["occurrences"]?.array?.first?["finished"] != .null)
        // Those who were refused are tried again after its end, and are not judged by what was.
        #expect(
            try await town.herald("state", "resolve", "hello@once", "--retry", "INVALID_ARGUMENT").failure == nil)
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(try await accepted(town) == 60)
    }

    // MARK: A corrected text

    private func correct(_ town: Town, _ delivery: String, title: String) async throws {
        try town.folder.write(Self.campaign(delivery, title: title), to: "hello.yaml")
        #expect(try await town.herald("state", "resolve", "hello@once", "--continue").failure == nil)
    }

    @Test func `a stage soaks to its end, however often the text is corrected meanwhile`() async throws {
        let delivery = Self.usual + ", seeds: our-phones"
        let town = try await town(Self.files(delivery, seeds: [700]))
        #expect(try await runs(town, 0) == [[700]])
        try await correct(town, delivery, title: "Second")
        #expect(try await runs(town, 1, 13, 15) == [[], [], Self.tenth])
        try await correct(town, delivery, title: "Third")
        #expect(try await runs(town, 16, 28, 30) == [[], [], Self.half])
        #expect(town.sent("Second") == Set(Self.tenth.map { .fid($0) }))
    }

    @Test func `to decide the same once more opens nothing`() async throws {
        let delivery = Self.usual + ", seeds: our-phones"
        let town = try await town(Self.files(delivery, seeds: [700]))
        #expect(try await runs(town, 0) == [[700]])
        for _ in 1...2 { try await correct(town, delivery, title: "Second") }
        #expect(try await runs(town, 1) == [[]])
        try await correct(town, delivery, title: "Second")
        #expect(try await runs(town, 13, 15) == [[], Self.tenth])
    }

    @Test func `where a person opens each stage, they open the next one with the corrected text`() async throws {
        let delivery = "stages: [10%, 50%, 100%], soak: manual"
        let town = try await town(Self.files(delivery))
        #expect(try await runs(town, 0) == [Self.tenth])
        try await correct(town, delivery, title: "Second")
        #expect(try await runs(town, 1, 2) == [Self.half, []])
    }

    @Test func `a halted stage is accepted together with the corrected text`() async throws {
        let town = try await town(Self.files(Self.usual))
        town.answer(Self.tenth.map { .fid($0) }, with: Self.refused)
        #expect(try await town.herald("run").failure?.status == .unknown)
        try await correct(town, Self.usual, title: "Second")
        #expect(try await runs(town, 1, 10, 16) == [Self.half, [], Self.rest])
    }

    // MARK: Lists, names and approvals

    @Test func `an empty list begins nothing, whoever the seeds are`() async throws {
        let town = try await town(Self.files(Self.usual + ", seeds: our-phones", seeds: [700], members: []))
        let run = try await town.herald("run")
        #expect(run.errors.contains("has nobody to send to"), "\(run.errors)")
        #expect(try sent(town).isEmpty)
        try town.folder.write(Self.list(1...60), to: "members.csv")
        #expect(try await runs(town, 5, 20) == [[700], Self.tenth])
    }

    @Test func `who is suppressed is no seed`() async throws {
        let town = try await town(
            Self.files(
                Self.usual + ", seeds: our-phones", seeds: [4, 700], settings: "suppress: [our-phones]"))
        let run = try await town.herald("run")
        #expect((run.output + run.errors).contains("has no seeds to send to"), "\(run.output)\(run.errors)")
        // 4 would be in the first stage.
        #expect(try sent(town) == Self.tenth.subtracting([4]))
    }

    @Test func `who is in which stage stays so when the file does not name the former name any more`() async throws {
        let town = try await town(Self.files(Self.usual))
        #expect(try await runs(town, 0) == [Self.tenth])
        let renamed = Self.campaign(Self.usual).replacing("name: hello", with: "name: ciao")
        try town.folder.write(renamed + "previous_names: [hello]\n", to: "hello.yaml")
        #expect(try await runs(town, 1) == [[]])
        try town.folder.write(renamed, to: "hello.yaml")
        #expect(try await runs(town, 2, 16, 17, 32) == [[], Self.half, [], Self.rest])
    }

    @Test func `who is in which stage stays so, whatever former names the file has since`() async throws {
        let hello = Self.campaign(Self.usual)
        let named = { (name: String, former: String) in
            hello.replacing("name: hello", with: "name: \(name)") + "previous_names: [\(former)]\n"
        }
        let town = try await town(Self.files(Self.usual))
        try town.folder.write(named("ciao", "hello"), to: "hello.yaml")
        #expect(try await runs(town, 0) == [Self.tenth])
        try town.folder.write(named("salve", "hello, ciao"), to: "hello.yaml")
        #expect(try await runs(town, 1) == [[]])
        // Nothing was sent under the first of the names.
        try town.folder.write(named("salve", ""), to: "hello.yaml")
        #expect(try await runs(town, 2, 16, 17, 32) == [[], Self.half, [], Self.rest])
    }

    @Test func `another name in the midst of a send leaves everybody in their stage`() async throws {
        let everybody = "stages: [100%]"
        let town = try await town(Self.files(everybody))
        #expect(try await runs(town, 0) == [Self.everybody])
        let ciao = Self.campaign(everybody).replacing("name: hello", with: "name: ciao")
        try town.folder.write(ciao + "previous_names: [hello]\n", to: "hello.yaml")
        #expect(try await runs(town, 1) == [[]])
        // The file does not name the former name any more when the next one begins.
        let next = Self.campaign(Self.usual, more: "revision: 2").replacing("name: hello", with: "name: ciao")
        try town.folder.write(next, to: "hello.yaml")
        #expect(try await runs(town, 2) == [[2, 24, 36, 37, 42, 49, 59]])
        let salve = next.replacing("name: ciao", with: "name: salve")
        try town.folder.write(salve + "previous_names: [ciao]\n", to: "hello.yaml")
        #expect(try await runs(town, 3) == [[]])
    }

    @Test func `an approval covers the seeds`() async throws {
        let town = try await town(
            Self.files(Self.usual + ", seeds: our-phones", seeds: [700], settings: "approval: required"))
        let plan = "\(town.folder.path)/plan.json"
        #expect(try await town.herald("plan", "--out", plan).failure == nil)
        #expect(try await town.herald("approve", plan, "--by", "anna").failure == nil)
        try town.folder.write(Self.list([701]), to: "others.csv")
        let files = Self.files(Self.usual, seeds: [700])
        try town.folder.write(
            (files["audiences.yaml"] ?? "").replacing("seeds.csv", with: "others.csv"), to: "audiences.yaml")
        let run = try await town.herald("run")
        #expect(run.failure?.status == .refused, "\(run.errors)")
        #expect(try sent(town).isEmpty)
    }

    @Test func `without an approval no statement is told who is dead`() async throws {
        let settings = "approval: required\nfeedback: {postgres: '${DB}', dead: SELECT $3}"
        let town = try await town(Self.files(Self.usual, settings: settings))
        let run = try await town.herald("run")
        #expect(run.errors.contains("not handed over before somebody approves herald.yaml"), "\(run.errors)")
    }

    @Test func `who is tried again is soaked, too`() async throws {
        let town = try await town(Self.files("stages: [50%, 100%], soak: 1h, halt_when: {rejected_percent: 100}"))
        town.answer([.fid(1)], with: Self.refused)
        #expect(try await town.herald("run").failure?.status == .failed)
        town.answer([.fid(1)], with: nil)
        #expect(
            try await town.herald("state", "resolve", "hello@once", "--retry", "INVALID_ARGUMENT").failure == nil)
        town.go(to: Self.monday + 30 * 60)
        #expect(try await town.herald("run").failure == nil)
        let before = town.messages().count
        for (minute, count) in [(62, 0), (88, 0), (90, Self.rest.count)] {
            town.go(to: Self.monday + Double(minute) * 60)
            #expect(try await town.herald("run").failure == nil)
            #expect(town.messages().count - before == count, "\(minute)")
        }
    }

    @Test func `an outcome that a person left unknown stays in the figures when others are tried again`() async throws {
        let limits = "halt_when: {rejected_percent: 100, unknown_percent: 100}"
        let town = try await town(Self.files("stages: [50%, 100%], soak: manual, \(limits)"))
        town.answer([.fid(1)], with: .lost(reason: "cut"))
        town.answer([.fid(3)], with: Self.refused)
        #expect(try await town.herald("run").failure?.status == .unknown)
        #expect(try await town.herald("state", "resolve", "hello@once", "--abandon").failure == nil)
        town.answer([.fid(1), .fid(3)], with: nil)
        #expect(
            try await town.herald("state", "resolve", "hello@once", "--retry", "INVALID_ARGUMENT").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        let stages = try await json(town, "state", "show")["occurrences"]?.array?.first?["stages"]?.array ?? []
        #expect(stages.map { $0["accepted"]?.int } == [26, 1])
        #expect(stages.map { $0["unknown"]?.int } == [1, 0])
    }

    @Test func `without stages the rest follows, however long they soaked`() async throws {
        let schedule = "schedule: {at: 2027-01-04T00:00:00Z, max_lateness: 2h}"
        let town = try await town(Self.files("stages: [50%, 100%], soak: 3h", more: schedule))
        let first = try await runs(town, 0)[0]
        try town.folder.write(Self.campaign("rate: 500/s", more: schedule), to: "hello.yaml")
        #expect(try await runs(town, 150) == [Self.everybody.subtracting(first)])
    }

    @Test func `over a limit nothing is sent again either, also when nobody else is left`() async throws {
        let town = try await town(
            Self.files("stages: [100%], on_unknown: resend, halt_when: {unknown_percent: 0}", members: [1]))
        town.answer([.fid(1)], with: .lost(reason: "cut"))
        #expect(try await town.herald("run").failure?.status == .unknown)
        town.answer([.fid(1)], with: nil)
        let before = town.messages().count
        let held = try await town.herald("plan").output
        #expect(held.contains("stage 100 % was halted: 1 of 1 have an unknown outcome"), "\(held)")
        _ = try await town.herald("run")
        #expect(town.messages().count == before)
        #expect(try await town.herald("state", "resolve", "hello@once", "--continue").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.messages().count == before + 1)
    }

    @Test func `stages that are added change no window`() async throws {
        let window = "window: {from: \"00:00\", to: \"02:00\", timezone: UTC}, expires_after: 3d, on_unknown: resend"
        let town = try await town(Self.files(window))
        town.answer([.fid(1)], with: .lost(reason: "cut"))
        #expect(try await town.herald("run").failure?.status == .unknown)
        town.answer([.fid(1)], with: nil)
        try town.folder.write(
            Self.campaign(Self.usual + ", seeds: our-phones, " + window), to: "hello.yaml")
        let before = town.messages().count
        town.go(to: Self.monday + 3 * 3600)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.messages().count == before)
        town.go(to: Self.monday + 24 * 3600)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.messages().count == before + 1)
    }

    @Test func `once a person lets dead registrations go, the next stage opens by itself`() async throws {
        let town = try await town(
            Self.files("stages: [50%, 100%], soak: 15m, halt_when: {dead_percent: 100}"))
        let first = Self.tenth.union(Self.half)
        town.answer(first.sorted().prefix(12).map { .fid($0) }, with: .unregistered)
        #expect(try await town.herald("run").failure?.status == .refused)
        let over = "max_forget_percent=send:hello@once"
        let apply = try await town.herald("apply", "--auto-approve", "--override", over)
        #expect(apply.failure == nil, "\(apply.errors)")
        let before = town.messages().count
        town.go(to: Self.monday + 16 * 60)
        let run = try await town.herald("run")
        #expect(!run.errors.contains("is held"), "\(run.errors)")
        #expect(town.messages().count - before == Self.rest.count)
    }

    /// A new plan with the override sends it; see above.
    @Test(arguments: ["max_forget_percent", "max_forget_percent=send:hello@once"])
    func `an override does not reach into a saved plan, and says so`(_ over: String) async throws {
        let town = try await town(
            Self.files("stages: [50%, 100%], soak: 15m, halt_when: {dead_percent: 100}"))
        let first = Self.tenth.union(Self.half)
        town.answer(first.sorted().prefix(12).map { .fid($0) }, with: .unregistered)
        #expect(try await town.herald("run").failure?.status == .refused)
        let (path, before) = ("\(town.folder.path)/plan.json", town.messages().count)
        #expect(try await town.herald("plan", "--out", path).failure == nil)
        let apply = try await town.herald("apply", path, "--override", over)
        #expect(apply.failure?.status == .usage, "\(apply.output)\(apply.errors)")
        for words in [
            "a saved plan cannot be overridden when it is applied, and this one holds hello@once",
            "'herald apply --override max_forget_percent=send:hello@once' makes a new one with the override",
        ] {
            #expect(apply.errors.contains(words), "\(apply.errors)")
        }
        #expect(town.messages().count == before)
        // Without it, and with one of something else, the plan has nothing to do.
        for options in [[], ["--override", "max_forget_percent=send:other@once"]] {
            let idle = try await town.herald(["apply", path] + options)
            #expect(idle.failure == nil, "\(options): \(idle.errors)")
        }
        #expect(town.messages().count == before)
    }

    @Test func `where nobody is left, nothing is halted`() async throws {
        let town = try await town(Self.files("stages: [100%]", members: [1, 2]))
        town.answer([.fid(1), .fid(2)], with: Self.refused)
        #expect(try await town.herald("run").failure?.status == .failed)
        let occurrence = try await json(town, "state", "show")["occurrences"]?.array?.first
        #expect(occurrence?["finished"] != .null && occurrence?["halted"] == .null)
    }

    @Test func `a wave of people who are late is late in all stages`() async throws {
        let schedule = "schedule: {cron: \"0 * * * *\", timezone: UTC, max_lateness: 30m}"
        let town = try await town(Self.files("stages: [50%, 100%], soak: 2h", more: schedule))
        try await runs(town, 1)
        town.go(to: Self.monday + 95 * 60)
        #expect(try await town.herald("run").failure?.status == .failed)
        #expect(try sent(town).isEmpty)
    }

    /// Tokyo's 9:07 was almost ten hours ago, and the last clocks of the world have not come to it.
    @Test func `a wave in local time that is too late for everybody is so in all stages at once`() async throws {
        let clock = "timezone: {field: zone, default: Asia/Tokyo}"
        var files = Self.files(Self.usual, more: "schedule: {at: 2027-01-05T09:07, if_passed: skip, \(clock)}")
        files["members.csv"] = Self.list(1...60, zone: "Asia/Tokyo")
        files["audiences.yaml"] = files["audiences.yaml"]?.replacing(
            "source: {file: members.csv}", with: "source: {file: members.csv}\nfields: {zone: {type: timezone}}")
        let town = try await town(files)
        try await runs(town, 0)
        town.go(to: Self.monday + 2040 * 60)
        // It does not wait for the next stage.
        let applied = try await town.herald(
            "apply", "--auto-approve", "--report", "\(town.folder.path)/report.json")
        #expect(applied.failure?.status == .failed, "\(applied)")
        let report = try JSONValue(parsing: Array(try town.folder.read("report.json").utf8))
        let step = report["steps"]?.array?.first
        #expect(step?["skipped_because"]?["missed"] == 60 && step?["pending"] == 0, "\(report)")
        #expect(try await runs(town, 2041) == [[]])
    }

    @Test func `whom a newer occurrence has reached does not get the older one`() async throws {
        let schedule = "schedule: {cron: \"0 * * * *\", timezone: UTC, max_lateness: 2h}"
        let town = try await town(Self.files("stages: [50%, 100%], soak: 90m", more: schedule))
        // From one o'clock on. At two the first stage of the newer one is sent, at half past two the rest of the older.
        for minute in [1, 60, 120, 151, 211, 212] {
            town.go(to: Self.monday + Double(minute) * 60)
            _ = try await town.herald("run")
        }
        let occurrences = try await json(town, "state", "show")["occurrences"]?.array ?? []
        let older = occurrences.first { $0["occurrence"] == "hello@2027-01-04T01:00:00Z" }
        let skipped = older?["skipped_because"]?["superseded"]?.int ?? 0
        #expect(skipped > 0, "\(occurrences)")
        #expect((older?["accepted"]?.int ?? 0) + skipped == 60)
    }

    @Test(arguments: [0.7, 1.2])
    func `a plan that was saved in the second in which a stage ends is true`(_ seconds: Double) async throws {
        let town = try await town(Self.files("stages: [50%, 100%], soak: 0s"))
        town.go(to: Self.monday + 0.5)
        #expect(try await town.herald("apply", "--auto-approve").failure == nil)
        town.go(to: Self.monday + seconds)
        let path = "\(town.folder.path)/plan.json"
        #expect(try await town.herald("plan", "--out", path).failure == nil)
        let applied = try await town.herald("apply", path)
        #expect(applied.failure == nil, "\(applied.errors)")
        town.go(to: Self.monday + 5)
        #expect(try await town.herald("run").failure == nil)
        #expect(try sent(town) == Self.everybody)
    }
}
