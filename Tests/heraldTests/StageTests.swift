import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// How sends open in stages.
struct StageTests: StageScene {
    // MARK: Opening

    @Test func `seeds, then one share after the other, each when the one before has soaked`() async throws {
        // 4 would be in the first stage, 2 in the last, and 700 is not on the list.
        let town = try await town(Self.files(Self.usual + ", seeds: our-phones", seeds: [4, 2, 700]))
        let sent = try await runs(town, 0, 13, 15, 28, 30, 43, 45, 60)
        #expect(sent[0] == [4, 2, 700])
        #expect(sent[1].isEmpty && sent[2] == Self.tenth.subtracting([4]))
        #expect(sent[3].isEmpty && sent[4] == Self.half)
        #expect(sent[5].isEmpty && sent[6] == Self.rest.subtracting([2]))
        #expect(sent[7].isEmpty)
        let occurrence = try await json(town, "state", "show")["occurrences"]?.array?.first
        #expect(occurrence?["accepted"] == 61 && occurrence?["finished"] != .null)
        let stages = occurrence?["stages"]?.array ?? []
        #expect(stages.map { $0["share"] } == ["seeds", "10%", "50%", "100%"])
        #expect(stages.map { $0["planned"] } == [3, 1, 26, 31] && stages.map { $0["accepted"] } == [3, 1, 26, 31])
        #expect(stages.allSatisfy { $0["state"] == "done" })
        #expect(
            stages.map { $0["opened"] }
                == ["2027-01-04T00:00:00Z", "2027-01-04T00:15:00Z", "2027-01-04T00:30:00Z", "2027-01-04T00:45:00Z"])
    }

    @Test func `a stage that nobody is in is passed over at once`() async throws {
        // Of these, nobody is in the first stage, and only 1 in the second.
        let town = try await town(Self.files(Self.usual, members: [1, 2, 10]))
        #expect(try await runs(town, 0, 15) == [[1], [2, 10]])
        let stages = try await json(town, "state", "show")["occurrences"]?.array?.first?["stages"]?.array
        #expect(stages?.map { $0["share"] } == ["50%", "100%"])
    }

    @Test func `what is over needs no more stages`() async throws {
        let town = try await town(Self.files(Self.usual, members: [4]))
        #expect(try await runs(town, 0) == [[4]])
        #expect(try await json(town, "state", "show")["occurrences"]?.array?.first?["finished"] != .null)
    }

    @Test func `a manual soak waits for a person`() async throws {
        let town = try await town(Self.files("stages: [10%, 100%], soak: manual"))
        #expect(try await runs(town, 0, 60, 6000) == [Self.tenth, [], []])
        let held = try await town.herald("run")
        #expect(held.failure == nil)
        #expect(held.errors.contains("stage 10 % is done, and 'soak' is manual"), "\(held.errors)")
        #expect(held.errors.contains("herald state resolve hello@once --continue or --abandon"))
        #expect(try await town.herald("state", "resolve", "hello@once", "--continue").failure == nil)
        #expect(try await runs(town, 6001, 6002) == [Self.everybody.subtracting(Self.tenth), []])
    }

    @Test func `what waits for a person says when it expires, and does not go on after that`() async throws {
        let town = try await town(Self.files("stages: [10%, 100%], soak: manual, expires_after: 6h"))
        #expect(try await runs(town, 0, 60) == [Self.tenth, []])
        let held = try await town.herald("run")
        let words = "'soak' is manual; decide by 2027-01-04T06:00:00Z, when it expires"
        #expect(held.errors.contains(words), "\(held.errors)")
        town.go(to: Self.monday + 6 * 3600)
        let late = try await town.herald("state", "resolve", "hello@once", "--continue")
        #expect(late.failure?.status == .wrong, "\(late.output)")
        #expect(late.errors.contains("hello@once expired at 2027-01-04T06:00:00Z"), "\(late.errors)")
        #expect(try await town.herald("state", "resolve", "hello@once", "--abandon").failure == nil)
    }

    @Test func `who joins the list while it opens is no part of it, and who leaves gets nothing`() async throws {
        let town = try await town(Self.files(Self.usual))
        try await runs(town, 0)
        // 1 is of the second stage, 2 of the last; 61 joins.
        try town.folder.write(Self.list(Set(3...61)), to: "members.csv")
        let sent = try await runs(town, 15, 30)
        #expect(sent[0] == Self.half.subtracting([1]))
        #expect(sent[1] == Self.rest.subtracting([2]))
        // They come back in time.
        try town.folder.write(Self.list(1...61), to: "members.csv")
        #expect(try await runs(town, 40) == [[1, 2]])
    }

    @Test func `an edit of the shares goes on from the share that is open`() async throws {
        let town = try await town(Self.files("stages: [10%, 100%], soak: 15m"))
        try await runs(town, 0)
        try town.folder.write(Self.campaign("stages: [1%, 50%, 100%], soak: 20m"), to: "hello.yaml")
        #expect(try await runs(town, 18, 20) == [[], Self.half])
        // Without stages the rest follows.
        try town.folder.write(Self.campaign("rate: 500/s"), to: "hello.yaml")
        #expect(try await runs(town, 21) == [Self.rest])
    }

    @Test func `stages that are added to a send under way hold for the rest`() async throws {
        let town = try await town(Self.files("rate: 500/s"))
        town.answer(
            [.fid(1), .fid(2), .fid(4)], with: .error(503, "UNAVAILABLE", fcm: "UNAVAILABLE", retryAfter: "99999"))
        _ = try await town.herald("run")
        let had = Set(town.messages().compactMap { $0["fid"]?.string })
        town.answer([.fid(1), .fid(2), .fid(4)], with: nil)
        #expect(!had.isEmpty)
        try town.folder.write(Self.campaign(Self.usual), to: "hello.yaml")
        for minute in [1, 16, 31, 46] {
            town.go(to: Self.monday + Double(minute) * 60)
            _ = try await town.herald("run")
        }
        let accepted = try await json(town, "state", "show")["occurrences"]?.array?.first?["accepted"]
        #expect(accepted == 60)
    }

    @Test func `a corrected text goes on where the seeds found the mistake`() async throws {
        let town = try await town(Self.files(Self.usual + ", seeds: our-phones", seeds: [700]))
        try await runs(town, 0)
        try town.folder.write(Self.campaign(Self.usual + ", seeds: our-phones", title: "Corrected"), to: "hello.yaml")
        let held = try await town.herald("run")
        #expect(held.errors.contains("it is half done and its message, target or time changed since"), "\(held.errors)")
        #expect(try await runs(town, 20) == [[]])
        #expect(try await town.herald("state", "resolve", "hello@once", "--continue").failure == nil)
        #expect(try await runs(town, 21, 36, 51) == [Self.tenth, Self.half, Self.rest])
        #expect(town.sent("Hello") == [.fid(700)])
    }

    @Test func `while it soaks or is held, a plan shows its stages, and find says who waits for what`() async throws {
        let town = try await town(Self.files(Self.usual))
        try await runs(town, 0)
        let soaking = try await json(town, "plan")["waiting"]?.array?.first?["stages"]?.array ?? []
        #expect(soaking.map { $0["state"] } == ["soaking", "ahead", "ahead"])
        #expect(soaking.map { $0["planned"] } == [2, 26, 32] && soaking.first?["accepted"] == 2)
        for format in ["text", "markdown", "html"] {
            let plan = try await town.herald("plan", "--format", format).output
            #expect(plan.contains("Who gets it when") && plan.contains("soaking: 2 accepted"), "\(plan)")
        }
        let find = { try await town.herald("state", "find", Registration.fid(1).rawValue).output }
        let wait = try await find()
        #expect(wait.contains("stage 10 % soaks, then 50 % opens if all is well; next 2027-01-04T00:15:00Z"), "\(wait)")
        #expect(try await town.herald("pause", "hello").failure == nil)
        let held = try await json(town, "plan")["held"]?.array?.first?["stages"]?.array ?? []
        #expect(held.map { $0["planned"] } == [2, 26, 32])
        let paused = try await find()
        #expect(paused.contains("waits for hello@once: the campaign is paused; 'herald resume hello'"), "\(paused)")
        #expect(try await town.herald("resume", "hello").failure == nil)
        town.go(to: Self.monday + 15 * 60)
        let due = try await find()
        #expect(due.contains("waits for hello@once: the next run sends it; next 2027-01-04T00:15:00Z"), "\(due)")
        let last = try await town.herald("state", "find", Registration.fid(2).rawValue).output
        #expect(last.contains("hello@once: stage 100 % is not open; the stages before it come first"), "\(last)")
    }

    // MARK: Time

    @Test func `nobody is late while a stage soaks, and those are whom no run came for`() async throws {
        let schedule = "schedule: {at: 2027-01-04T00:00:00Z, max_lateness: 20m}"
        let town = try await town(Self.files("stages: [10%, 50%, 100%], soak: 1h", more: schedule))
        // 1, 8 and others are in its first stage: the time is part of the draw.
        let first: Set = [1, 8, 35, 38, 44, 49, 55]
        #expect(try await runs(town, 0, 58) == [first, []])
        let second = try await runs(town, 80)[0]
        #expect(second.count == 21)
        // The last stage could open at 140; a run at 161 is 21 minutes late.
        town.go(to: Self.monday + 161 * 60)
        let late = try await town.herald("run")
        #expect(late.failure?.status == .failed, "\(late.errors)")
        #expect(try sent(town) == first.union(second))
        #expect(try await json(town, "state", "show")["occurrences"]?.array?.first?["finished"] != .null)
        let quiet = try await town.herald("run")
        #expect(quiet.failure == nil)
    }

    @Test func `what expires ends all stages`() async throws {
        let town = try await town(Self.files("stages: [10%, 50%, 100%], soak: 15m, expires_after: 40m"))
        #expect(try await runs(town, 0, 15) == [Self.tenth, Self.half])
        town.go(to: Self.monday + 41 * 60)
        let late = try await town.herald("run")
        #expect(late.failure?.status == .failed, "\(late.errors)")
        #expect(try sent(town) == Self.tenth.union(Self.half))
    }

    @Test func `a window holds for stages, and not for seeds`() async throws {
        let window = "window: {from: \"02:00\", to: \"20:00\", timezone: UTC}, expires_after: 12h"
        let town = try await town(Self.files(Self.usual + ", seeds: our-phones, " + window, seeds: [700]))
        // At midnight it is closed.
        #expect(try await runs(town, 0, 20, 119, 120) == [[700], [], [], Self.tenth])
        #expect(try await runs(town, 135, 150) == [Self.half, Self.rest])
    }

    @Test func `seeds fill no cap and are stopped by none`() async throws {
        let seeds = [4, 700]
        let town = try await town(Self.files(Self.usual + ", seeds: our-phones", seeds: seeds, settings: Self.oneADay))
        #expect(try await runs(town, 0, 15) == [[4, 700], [30]])
        // Another campaign reaches the seeds, and not 30, who had one message.
        try town.folder.write(Self.other(to: [4, 30]), to: "other.yaml")
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.sent("Other") == [.fid(4)])
    }

    @Test func `whom a cap stops stays in the figure of their stage`() async throws {
        // Both of the first stage, and one of the second, have had a message.
        let town = try await town(capped: Self.tenth.union([1]))
        #expect(try await town.herald("run").failure == nil)
        // The first stage has nobody to send to, so the second opens in the same run.
        #expect(town.sent("Hello") == Set(Self.half.subtracting([1]).map { .fid($0) }))
        try await runs(town, 15)
        let stages =
            try await json(town, "state", "show")["occurrences"]?.array?
            .first { $0["occurrence"] == "hello@once" }?["stages"]?.array ?? []
        #expect(stages.map { $0["planned"]?.int } == [2, 26, 32])
        #expect(stages.map { $0["accepted"]?.int } == [0, 25, 32])
    }

    @Test func `a last stage of which caps left nobody is done, in the report as in the state`() async throws {
        let town = try await town(Self.files("stages: [50%, 100%], soak: 15m", settings: Self.oneADay))
        #expect(try await runs(town, 0) == [Self.tenth.union(Self.half)])
        try town.folder.write(Self.other(to: Self.rest), to: "other.yaml")
        #expect(try await town.herald("run").failure == nil)
        town.go(to: Self.monday + 15 * 60)
        let run = try await town.herald("run")
        #expect(run.output.contains("stage 100 % done, 32 recipients"), "\(run.output)\(run.errors)")
        let occurrence =
            try await json(town, "state", "show")["occurrences"]?.array?
            .first { $0["occurrence"] == "hello@once" }
        #expect(occurrence?["finished"] != .null && occurrence?["stages"]?.array?.last?["state"] == "done")
    }

    @Test func `a pause holds the stage that is due, and nothing opens meanwhile`() async throws {
        let town = try await town(Self.files(Self.usual))
        try await runs(town, 0)
        #expect(try await town.herald("pause", "hello").failure == nil)
        #expect(try await runs(town, 15, 60) == [[], []])
        #expect(try await town.herald("resume", "hello").failure == nil)
        #expect(try await runs(town, 61, 76) == [Self.half, Self.rest])
    }

    // MARK: Local time

    private func local(
        _ delivery: String, seeds: [Int] = [], tokyo: some Sequence<Int> = 1...30, rome: some Sequence<Int> = 31...60,
        settings: String = ""
    ) -> [String: String] {
        var files = Self.files(delivery, seeds: seeds, settings: settings)
        files["members.csv"] =
            Self.list(tokyo, zone: "Asia/Tokyo")
            + Self.list(rome, zone: "Europe/Rome").split(separator: "\n").dropFirst().map { "\($0)\n" }.joined()
        files["audiences.yaml"] = (files["audiences.yaml"] ?? "").replacing(
            "source: {file: members.csv}", with: "source: {file: members.csv}\nfields: {zone: {type: timezone}}")
        files["hello.yaml"] = Self.campaign(
            delivery,
            more: "schedule: {at: 2027-01-05T09:07, if_passed: skip, timezone: {field: zone, default: Europe/Rome}}")
        return files
    }

    @Test func `with waves a stage opens once, and seeds start with the first wave`() async throws {
        // 9:07 is 0:07 UTC in Tokyo and 8:07 in Rome: 1,447 and 1,927 minutes after Monday.
        let town = try await town(local(Self.usual + ", seeds: our-phones", seeds: [700]))
        let (tenth, half): (Set, Set) = (
            [4, 7, 9, 29, 33, 41, 60],
            [5, 11, 12, 14, 19, 21, 23, 25, 26, 31, 32, 34, 37, 40, 42, 44, 45, 48, 49, 50, 51, 52, 55, 58]
        )
        let tokyo = Set(1...30)
        let sent = try await runs(town, 0, 1446, 1447, 1462, 1477, 1492, 1926, 1927, 1928)
        #expect(sent[0].isEmpty && sent[1].isEmpty && sent[2] == [700])
        #expect(sent[3] == tenth.intersection(tokyo))
        #expect(sent[4] == half.intersection(tokyo))
        #expect(sent[5] == tokyo.subtracting(tenth).subtracting(half))
        #expect(sent[6].isEmpty && sent[7] == Set(31...60) && sent[8].isEmpty)
    }

    /// - Parameter areCapped: whether those of the second wave whose stage is open have had another message.
    @Test(arguments: [false, true])
    func `the next stage opens with a later wave, if the open one has soaked since an earlier`(_ areCapped: Bool)
        async throws
    {
        let caps = areCapped ? Self.oneADay : ""
        var files = local(Self.usual, settings: caps)
        files["hello.yaml"] = files["hello.yaml"]?.replacing(
            "if_passed: skip", with: "if_passed: skip, max_lateness: 12h")
        let town = try await town(files)
        let (tokyo, rome): (Set, Set) = ([4, 7, 9, 29], [33, 41, 60])
        let half: Set = [
            5, 11, 12, 14, 19, 21, 23, 25, 26, 31, 32, 34, 37, 40, 42, 44, 45, 48, 49, 50, 51, 52, 55, 58,
        ]
        #expect(try await runs(town, 0, 1447) == [[], tokyo])
        if areCapped {
            try town.folder.write(Self.other(to: rome), to: "other.yaml")
            #expect(try await town.herald("run").failure == nil)
            #expect(town.sent("Other") == Set(rome.map { .fid($0) }))
        }
        #expect(try await runs(town, 1927) == [areCapped ? half : half.union(rome)])
        #expect(try await json(town, "plan")["steps"]?.array?.isEmpty == true)
        #expect(
            try await runs(town, 1940, 1942) == [
                [], Self.everybody.subtracting(tokyo).subtracting(rome).subtracting(half),
            ])
    }

    @Test func `others wait for a first stage whose clocks come later, and the plan says until when`() async throws {
        // Of these, only 33 is in the first stage, and nobody in the second.
        let town = try await town(local(Self.usual, tokyo: [1, 2, 3], rome: [33, 35, 36]))
        #expect(try await runs(town, 0, 1446, 1447) == [[], [], []])
        // Who is in the first wave is noted, and nothing else is left to do.
        let plan = try await json(town, "plan")
        #expect(plan["steps"]?.array?.isEmpty == true)
        let waiting = plan["waiting"]?.array ?? []
        #expect(waiting.map { $0["until"] } == ["2027-01-05T08:07:00Z"] && waiting.map { $0["recipients"] } == [3])
        #expect(waiting.first?["reason"]?.string?.hasPrefix("stage 10 % comes first") == true)
        #expect(waiting.first?["stages"]?.array?.map { $0["planned"] } == [1, 5])
        let wait = try await town.herald("state", "find", Registration.fid(1).rawValue).output
        #expect(wait.contains("waits for hello@2027-01-05T09:07: stage 10 % comes first"), "\(wait)")
        #expect(wait.contains("their clock or window; next 2027-01-05T08:07:00Z"), "\(wait)")
        let own = try await town.herald("state", "find", Registration.fid(33).rawValue)
        #expect(own.failure == nil, "\(own.errors)")
        #expect(own.output.contains("hello@2027-01-05T09:07: their clock comes to it then; next 2027-01-05T08:07:00Z"))
        #expect(try await runs(town, 1460, 1926, 1927, 1940, 1942) == [[], [], [33], [], [1, 2, 3, 35, 36]])
    }

    @Test func `a stage of which caps leave nobody is not done while others of it wait for their clock`() async throws {
        let town = try await town(local(Self.usual, settings: "frequency_caps: [{name: all, max: 1, per: 48h}]"))
        try town.folder.write(Self.other(to: 1...30), to: "other.yaml")
        #expect(try await runs(town, 0) == [Set(1...30)])
        town.go(to: Self.monday + 1447 * 60)
        let run = try await town.herald("run")
        #expect(run.output.contains("stage 10 % open, 7 recipients\n"), "\(run.output)\(run.errors)")
    }

    @Test func `where everybody is a seed, each gets it by their own clock`() async throws {
        let town = try await town(local(Self.usual + ", seeds: our-phones", seeds: [1, 33], tokyo: [1], rome: [33]))
        #expect(try await runs(town, 0, 1446, 1447, 1926, 1927, 1942) == [[], [], [1], [], [33], []])
    }
}
