import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// What stages are judged by, and what people see of them.
struct StageHealthTests: StageScene {
    // MARK: Health

    private static let refused = Exchange.error(
        400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT", message: "no such sound")
    private static let lost = Exchange.lost(reason: "the connection broke")

    @Test(arguments: [
        ("rejected", refused, "2 of 2 were rejected, more than 2 % of 50"),
        ("dead", Exchange.unregistered, "3 of 3 are dead, more than 5 % of 50"),
        ("unknown", lost, "1 of 1 have an unknown outcome, more than 1 % of 50"),
    ])
    func `a stage that is not well halts, and stays halted`(
        _ kind: String, _ answer: Exchange, _ words: String
    ) async throws {
        // Three seeds; the first answers stop it.
        let town = try await town(Self.files(Self.usual + ", seeds: our-phones", seeds: [701, 702, 703]))
        town.answer([.fid(701), .fid(702), .fid(703)], with: answer)
        let run = try await town.herald("run")
        #expect(run.failure?.status == .unknown, "\(run.errors)")
        if kind != "unknown" {
            #expect(run.errors.contains("stage seeds was halted"), "\(run.errors)")
        }
        town.answer([.fid(701), .fid(702), .fid(703)], with: nil)
        let before = town.messages().count
        for minute in [5, 20, 2000] {
            town.go(to: Self.monday + Double(minute) * 60)
            let later = try await town.herald("run")
            #expect(later.failure == nil, "\(later.errors)")
            #expect(later.errors.contains("stage seeds was halted"), "\(later.errors)")
            #expect(later.errors.contains("--continue"), "\(later.errors)")
            // What the state was told says the same as what stopped the run.
            if kind == "dead" { #expect(later.errors.contains(words), "\(later.errors)") }
        }
        #expect(town.messages().count == before)
        let occurrence = try await json(town, "state", "show")["occurrences"]?.array?.first
        #expect(occurrence?["halted"] == "stage")
        #expect(occurrence?["stages"]?.array?.first?["state"] == "halted")
    }

    @Test func `who accepts the figures goes on with the next stage`() async throws {
        let town = try await town(Self.files(Self.usual))
        town.answer(Self.tenth.map { .fid($0) }, with: Self.refused)
        #expect(try await town.herald("run").failure?.status == .unknown)
        #expect(try await town.herald("state", "resolve", "hello@once", "--continue").failure == nil)
        let snapshot = "\(town.folder.path)/snapshot.json"
        #expect(try await town.herald("state", "snapshot", "--out", snapshot).failure == nil)
        let forecast = try await town.herald("plan", "--snapshot", snapshot)
        #expect(forecast.output.contains("hello@once: 60 recipients in 3 stages"), "\(forecast.output)")
        #expect(try await runs(town, 1, 10, 16) == [Self.half, [], Self.rest])
        let stages = try await json(town, "state", "show")["occurrences"]?.array?.first?["stages"]?.array ?? []
        #expect(stages.map { $0["rejected"] } == [2, 0, 0])
    }

    @Test(arguments: [("manual", 30), ("manual", 90), ("3h", 30), ("3h", 90)])
    func `whose outcome is unknown is sent it again in time, or with the next stage`(_ soak: String, _ minute: Int)
        async throws
    {
        let schedule = "schedule: {at: 2027-01-04T00:00:00Z, max_lateness: 1h}"
        let delivery = "stages: [50%, 100%], soak: \(soak), on_unknown: resend, halt_when: {unknown_percent: 100}"
        let town = try await town(Self.files(delivery, more: schedule))
        town.answer([.fid(1)], with: .lost(reason: "cut"))
        #expect(try await town.herald("run").failure?.status == .unknown)
        let first = Set((1...60).filter { town.sent().contains(.fid($0)) })
        town.answer([.fid(1)], with: nil)
        var before = town.messages().count
        town.go(to: Self.monday + Double(minute) * 60)
        #expect(try await town.herald("run").failure == nil)
        #expect(try numbers(town.messages().dropFirst(before)) == (minute < 60 ? [1] : []))
        let isManual = soak == "manual"
        if isManual {
            let held = try await json(town, "plan")["held"]?.array ?? []
            let id = try #require(held.first?["occurrence"]?.string, "\(held)")
            #expect(held.count == 1 && held.first?["reason"]?.string?.contains("'soak' is manual") == true)
            #expect(try await town.herald("state", "resolve", id, "--continue").failure == nil)
        }
        before = town.messages().count
        town.go(to: Self.monday + Double(isManual ? minute + 10 : minute < 60 ? 211 : 181) * 60)
        #expect(try await town.herald("run").failure == nil)
        let rest = Self.everybody.subtracting(first)
        #expect(try numbers(town.messages().dropFirst(before)) == (minute < 60 ? rest : rest.union([1])))
        #expect(try await town.herald("plan", "--detailed-exitcode").failure == nil)
    }

    @Test func `whom a halted stage left over counts in the next one, and only there`() async throws {
        let seeds = Array(701...900)
        let town = try await town(Self.files(Self.usual + ", seeds: our-phones", seeds: seeds))
        town.answer(seeds.map { .fid($0) }, with: Self.refused)
        #expect(try await town.herald("run").failure?.status == .unknown)
        town.answer(seeds.map { .fid($0) }, with: nil)
        #expect(try await town.herald("state", "resolve", "hello@once", "--continue").failure == nil)
        let left = try await runs(town, 1)[0].subtracting(Self.tenth).count
        try #require(left > 0)
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("hello@once: 260 recipients in 4 stages"), "\(plan.output)")
        try await runs(town, 16, 31)
        let stages = try await json(town, "state", "show")["occurrences"]?.array?.first?["stages"]?.array ?? []
        #expect(stages.map { $0["planned"]?.int } == [200 - Int64(left), Int64(left) + 2, 26, 32])
        #expect(stages.map { $0["rejected"]?.int } == [200 - Int64(left), 0, 0, 0])
    }

    @Test func `whom the last stage but one left over counts in the last, and only there`() async throws {
        let town = try await town(Self.files("stages: [50%, 100%], soak: 15m"))
        let first = Self.tenth.union(Self.half)
        town.answer(first.map { .fid($0) }, with: Self.refused)
        #expect(try await town.herald("run").failure?.status == .unknown)
        let tried = try sent(town)
        try #require(tried.count < first.count)
        town.answer(first.map { .fid($0) }, with: nil)
        #expect(try await town.herald("state", "resolve", "hello@once", "--continue").failure == nil)
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("hello@once: 60 recipients in 2 stages"), "\(plan.output)")
        #expect(try await runs(town, 1) == [Self.everybody.subtracting(tried)])
        let stages = try await json(town, "state", "show")["occurrences"]?.array?.first?["stages"]?.array ?? []
        #expect(stages.map { $0["planned"]?.int } == [Int64(tried.count), Int64(60 - tried.count)])
        #expect(stages.map { $0["rejected"]?.int } == [Int64(tried.count), 0])
    }

    @Test func `whom a halted stage left over counts once, also where the file has other shares by then`()
        async throws
    {
        let town = try await town(Self.files("stages: [50%, 100%], soak: 15m"))
        let first = Self.tenth.union(Self.half)
        town.answer(first.map { .fid($0) }, with: Self.refused)
        #expect(try await town.herald("run").failure?.status == .unknown)
        let tried = Int64(try sent(town).count)
        try #require(tried < first.count)
        town.answer(first.map { .fid($0) }, with: nil)
        try write("stages: [60%, 100%], soak: 15m", town)
        let planned = { (stages: JSONValue?) in stages?.array?.compactMap { $0["planned"]?.int } ?? [] }
        let halted = try await json(town, "plan")["held"]?.array?.first?["stages"]
        let held = planned(halted)
        #expect(held.count == 3 && held.first == tried && held.reduce(0, +) == 60, "\(held)")
        #expect(try await town.herald("state", "resolve", "hello@once", "--continue").failure == nil)
        let going = try await json(town, "plan")["steps"]?.array?.first?["stages"]
        #expect(planned(going) == held)
        try await runs(town, 1, 16)
        let shown = try await json(town, "state", "show")["occurrences"]?.array?.first?["stages"]
        #expect(planned(shown) == held)
        #expect(shown?.array?.map { $0["accepted"]?.int } == [0, held[1], held[2]])
    }

    /// One of those who would get it third is a seed by now.
    @Test func `a new seed counts in the stage of the seeds`() async throws {
        let town = try await town(Self.files(Self.usual + ", seeds: our-phones", seeds: [701]))
        try await runs(town, 0)
        try town.folder.write(Self.list([5]), to: "seeds.csv")
        let step = try await json(town, "plan")["steps"]?.array?.first
        #expect(step?["stages"]?.array?.map { $0["planned"] } == [2, 2, 25, 32])
        #expect(try await runs(town, 1) == [[5]])
        let stages = try await json(town, "state", "show")["occurrences"]?.array?.first?["stages"]?.array ?? []
        #expect(stages.map { $0["planned"] } == [2] && stages.map { $0["accepted"] } == [2])
    }

    @Test func `who abandons it ends it`() async throws {
        let town = try await town(Self.files(Self.usual))
        town.answer(Self.tenth.map { .fid($0) }, with: Self.refused)
        _ = try await town.herald("run")
        #expect(try await town.herald("state", "resolve", "hello@once", "--abandon").failure == nil)
        #expect(try await runs(town, 1, 60) == [[], []])
    }

    @Test func `a later stage is judged by its own figures`() async throws {
        // 2 of 28 so far would be too many for one of 50, but they came in two stages.
        let town = try await town(Self.files(Self.usual))
        town.answer([.fid(4), .fid(1), .fid(2)], with: Self.refused)
        for minute in [0, 15, 30] {
            town.go(to: Self.monday + Double(minute) * 60)
            let run = try await town.herald("run")
            // A rejected message is a failure, and no reason to halt.
            #expect(run.failure?.status == .failed, "\(run.errors)")
        }
        #expect(try sent(town) == Self.everybody)
    }

    @Test func `limits of the file count, and nothing more starts once one is passed`() async throws {
        let all = "stages: [100%], halt_when: {rejected_percent: 20}"
        let town = try await town(Self.files(all))
        town.answer((1...60).map { .fid($0) }, with: Self.refused)
        let run = try await town.herald("run")
        #expect(run.failure?.status == .unknown && run.errors.contains("more than 20 % of 50"), "\(run.errors)")
        // Eleven of fifty are over it. Whatever had started by then was let end.
        let count = try sent(town).count
        #expect(count >= 11 && count < 60, "\(count)")
        // There is no next stage.
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("--continue accepts that and goes on with the rest"), "\(plan.output)")
    }

    /// The first stage soaks, and one of its two is dead.
    private func soaking(_ settings: String = "") async throws -> Town {
        let town = try await town(Self.files(Self.usual, settings: settings))
        if !settings.isEmpty { try await town.approve() }
        town.answer([.fid(4)], with: .unregistered)
        _ = try await town.herald("run")
        #expect(try sent(town) == Self.tenth)
        return town
    }

    private func write(_ delivery: String, _ town: Town) throws {
        try town.folder.write(Self.campaign(delivery), to: "hello.yaml")
    }

    @Test func `a run that halts a stage while it plans says so, and the next one does not`() async throws {
        let town = try await soaking()
        try write(Self.usual + ", halt_when: {dead_percent: 0}", town)
        let run = try await town.herald("run")
        #expect(run.failure?.status == .unknown, "\(run.errors)")
        #expect(run.errors.contains("hello@once: stage 10 % was halted: 1 of 2 are dead"), "\(run.errors)")
        #expect(try await runs(town, 1) == [[]])
    }

    @Test func `what the next run would halt can be accepted before it comes`() async throws {
        let town = try await soaking()
        try write(Self.usual + ", halt_when: {dead_percent: 0}", town)
        #expect(try await town.herald("state", "resolve", "hello@once", "--continue").failure == nil)
        #expect(try await runs(town, 1) == [Self.half])
    }

    @Test func `limits that nobody approved halt nothing`() async throws {
        let town = try await soaking("approval: required")
        try write(Self.usual + ", halt_when: {dead_percent: 0}", town)
        let run = try await town.herald("run")
        #expect(run.failure?.status != .unknown, "\(run.errors)")
        try write(Self.usual, town)
        #expect(try await runs(town, 16) == [Self.half])
    }

    // MARK: What people see

    @Test(arguments: ["text", "markdown", "html", "json"])
    func `the plan shows the stages`(_ format: String) async throws {
        let town = try await town(Self.files(Self.usual + ", seeds: our-phones", seeds: [4, 700]))
        try await runs(town, 0)
        town.go(to: Self.monday + 15 * 60)
        let plan = try await town.herald("plan", "--format", format)
        guard format == "json" else {
            for text in ["seeds", "10 %", "50 %", "100 %", "2 accepted", "15m after the last outcome"] {
                #expect(plan.output.contains(text), "\(text) in \(plan.output)")
            }
            // The first line counts the whole of it.
            if format != "text" { #expect(plan.output.contains("1 campaign to 61 recipients")) }
            return
        }
        let step = try JSONValue(parsing: Array(plan.output.utf8))["steps"]?.array?.first
        #expect(step?["planned"] == 1)
        let stages = step?["stages"]?.array ?? []
        #expect(stages.map { $0["share"] } == ["seeds", "10%", "50%", "100%"])
        #expect(stages.map { $0["state"] } == ["done", "open", "ahead", "ahead"])
        #expect(stages.map { $0["planned"] } == [2, 1, 26, 32])
        #expect(stages.map { $0["accepted"] } == [2, 0, .null, .null])
    }

    @Test func `a dry run says whom it does not check`() async throws {
        let town = try await town(Self.files(Self.usual))
        let dry = try await town.herald("apply", "--dry-run", "--sample", "all")
        #expect(dry.output.contains("58 recipients of later stages (50 %, 100 %) not checked"), "\(dry.output)")
        #expect(try sent(town) == Self.tenth)
    }

    @Test func `the report and a waiting plan say when the next stage opens`() async throws {
        let town = try await town(Self.files(Self.usual))
        let run = try await town.herald("run")
        #expect(run.output.contains("stage 10 % soaking, 2 recipients: 2 accepted"), "\(run.output)")
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("stage 10 % soaks, then 50 % opens if all is well"), "\(plan.output)")
        let waiting = try await json(town, "plan")["waiting"]?.array?.first
        #expect(waiting?["until"] == "2027-01-04T00:15:00Z" && waiting?["recipients"] == 58)
    }

    @Test func `max_recipients judges the whole occurrence, and approval covers stages`() async throws {
        let town = try await town(Self.files(Self.usual, settings: "guards: {max_recipients: 59}"))
        let run = try await town.herald("run")
        #expect(run.failure?.status == .refused, "\(run.errors)")
        #expect(try sent(town).isEmpty)
    }
}
