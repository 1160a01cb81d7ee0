import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Waves that no run came for, through herald's own command lines.
extension LocalTimeTests {
    /// Cron sends Tokyo's wave at 0:07 UTC and is dead until 11:00. Rome's was at 8:07, New York's at 14:07.
    @Test func `a wave that no run came for needs somebody until a run notes it, and only the first is a failure`()
        async throws
    {
        let zones = ["Asia/Tokyo", "Europe/Rome", "America/New_York", "America/Los_Angeles"]
        let town = try await town(Self.files(Self.daily, zones: zones))
        let sent = try await hours(in: town, 0, 25)
        #expect(sent == [1: [25]])
        for (hour, isNews) in [(34.2, true), (40.5, false), (44, false)] as [(Double, Bool)] {
            town.go(to: Self.monday + hour * 3600)
            let needs = try await kindsOfNeeds(town)
            #expect(needs.kinds == ["missed"] && needs.hasFailed, "\(hour): \(needs)")
            let plan = try await town.herald("plan")
            #expect(plan.output.contains(", done, 1 skipped\n"), "\(hour): \(plan.output)")
            let run = try await town.herald("run")
            #expect(run.failure?.help?.contains("revision") != true, "\(hour): \(run.errors)")
            #expect(run.failure?.status == (isNews ? .failed : nil), "\(hour): \(run.output)\(run.errors)")
            let words = "hello@2027-01-05T09:07 was missed: it is too late for 1 recipient"
            #expect((run.output + run.errors).contains(words) == isNews, "\(hour): \(run.output)\(run.errors)")
            #expect(run.output.contains("1 too late"), "\(hour): \(run.output)")
            #expect(try await kindsOfNeeds(town).kinds.isEmpty, "\(hour)")
        }
        #expect(numbers(town.sent()) == [1])
    }

    /// Runs sent Tokyo's wave of 0:07 UTC and Rome's of 8:07. Cron is dead when New York's comes at 14:07. A snapshot does
    /// not say who has it.
    @Test(
        arguments: [
            (33.5, [], []), (35, [], []), (38.1, [], []), (38.5, ["overdue"], ["at most 1 recipient (estimated)"]),
            (41, [], ["at most 0 recipients (estimated), skipped: 1 too late", "done, 1 skipped"]),
        ] as [(Double, [String], [String])])
    func `from a snapshot only what no run has seen to is late`(
        _ hour: Double, _ kinds: [String], _ words: [String]
    ) async throws {
        let zones = ["Asia/Tokyo", "Europe/Rome", "America/New_York"]
        let town = try await town(Self.files(Self.daily, zones: zones))
        #expect(try await hours(in: town, 0, 25, 33) == [1: [25], 2: [33]])
        let path = "\(town.folder.path)/snapshot.json"
        #expect(try await town.herald("state", "snapshot", "--out", path).failure == nil)
        town.go(to: Self.monday + hour * 3600)
        let plan = try await town.herald("plan", "--snapshot", path).output
        for words in words { #expect(plan.contains(words), "\(plan)") }
        #expect(plan.contains("skipped") == (hour > 40), "\(plan)")
        #expect(try await kindsOfNeeds(town, "--snapshot", path).kinds == kinds)
    }

    private func kindsOfNeeds(_ town: Town, _ more: String...) async throws -> (kinds: [String], hasFailed: Bool) {
        let status = try await town.herald(["status", "--format", "json"] + more)
        let needs = try JSONValue(parsing: Array(status.output.utf8))["needs"]?.array ?? []
        return (needs.compactMap { $0["kind"]?.string }, status.failure?.status == .failed)
    }
}
