import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// What people are told of stages whose people a frequency cap stops.
struct CappedStageTests: StageScene {
    @Test func `a stage of which caps leave nobody is done, and nobody is promised for those to come`() async throws {
        let town = try await town(capped: Self.tenth)
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("hello@once: at most 60 recipients in 3 stages"), "\(plan.output)")
        let run = try await town.herald("apply", "--auto-approve")
        #expect(run.output.contains("stage 10 % done, 2 recipients: 2 got nothing\n"), "\(run.output)\(run.errors)")
        let next = try await town.herald("plan")
        #expect(next.output.contains("2  done: 2 got nothing\n"), "\(next.output)")
    }

    /// In local time others of the stage wait for their clock, and count in the next one.
    @Test func `from a snapshot nobody is said to be skipped with a stage`() async throws {
        var files = Self.files(Self.usual)
        files["members.csv"] =
            Self.list(1...30, zone: "Asia/Tokyo")
            + String(Self.list(31...60, zone: "Europe/Rome").dropFirst("fid,zone\n".count))
        files["audiences.yaml"] = files["audiences.yaml"]?.replacing(
            "source: {file: members.csv}", with: "source: {file: members.csv}\nfields: {zone: {type: timezone}}")
        let schedule = "{at: 2027-01-05T09:07, if_passed: skip, timezone: {field: zone, default: Europe/Rome}}"
        files["hello.yaml"] = Self.campaign(Self.usual, more: "schedule: \(schedule)")
        let town = try await town(files)
        try await runs(town, 0, 1447)
        try town.folder.write(try await town.herald("state", "snapshot").output, to: "snapshot.json")
        town.go(to: Self.monday + 1470 * 60)
        let plan = try await town.herald("plan", "--snapshot", "\(town.folder.path)/snapshot.json")
        #expect(plan.output.contains("done: 4 accepted\n"), "\(plan.output)\(plan.errors)")
    }
}
