import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands

/// A pause holds a campaign under every name that it has had.
struct PausedNameTests {
    /// 2027-01-04T00:00:00Z, a Monday
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    /// One with a history from the first run on, and one that the state does not know before it is due.
    private static let schedules = ["cron: 7 9 * * *, timezone: UTC", "at: 2027-01-04T09:07:00Z"]

    /// - Parameter number: whose message it is; the title is the campaign's name.
    private static func campaign(
        _ name: String, _ schedule: String = schedules[0], previous: [String] = [], to number: Int = 1
    ) -> String {
        """
        kind: campaign
        name: \(name)
        \(previous.isEmpty ? "" : "previous_names: [\(previous.joined(separator: ", "))]")
        target: {fids: [\(Registration.fid(number).rawValue)]}
        message: {notification: {title: Hello \(number)}}
        schedule: {\(schedule), max_lateness: 3h}

        """
    }

    private func town(_ campaigns: String...) async throws -> Town {
        let files = [
            "herald.yaml": "herald: 1\nproject: demo-project\nfcm: {ramp: 0s, settle: 0s}\n",
            "x.yaml": campaigns.joined(separator: "---\n"),
        ]
        let town = try Town(files, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        return town
    }

    private func write(_ campaigns: String..., to town: Town) throws {
        try town.folder.write(campaigns.joined(separator: "---\n"), to: "x.yaml")
    }

    private func due(_ town: Town) { town.go(to: Self.monday + 9.2 * 3600) }

    private func paused(in town: Town) async throws -> [String] {
        let status = try JSONValue(parsing: Array(try await town.herald("status", "--format", "json").output.utf8))
        return status["paused"]?["campaigns"]?.array?.compactMap(\.string) ?? []
    }

    @Test(arguments: schedules, [("tide", "tides"), ("tides", "tide")])
    func `either name pauses a renamed campaign, and either resumes it`(
        _ schedule: String, _ names: (pause: String, resume: String)
    ) async throws {
        for isCarried in [false, true] {
            let town = try await town(Self.campaign("tide", schedule))
            try write(Self.campaign("tides", schedule, previous: ["tide"]), to: town)
            if isCarried { #expect(try await town.herald("run").failure == nil) }
            let pause = try await town.herald("pause", names.pause)
            let called = names.pause == "tide" ? ", which was called 'tide'," : ""
            #expect(pause.errors.contains("campaign 'tides'\(called) is paused"), "\(pause.errors)")
            #expect(pause.errors.contains("2027-01-04T12:07:00Z (max_lateness)"), "\(pause.errors)")
            #expect(try await paused(in: town) == ["tides"])
            due(town)
            #expect(try await town.herald("run").failure == nil)
            #expect(town.sent().isEmpty)
            #expect(try await paused(in: town) == ["tides"])
            let resume = try await town.herald("resume", names.resume)
            #expect(resume.failure == nil, "\(resume.errors)")
            #expect(try await paused(in: town).isEmpty)
            #expect(try await town.herald("run").failure == nil)
            #expect(town.sent() == [.fid(1)])
        }
    }

    @Test(arguments: schedules, ["tide", "tides"])
    func `a campaign that is renamed while it is paused stays paused`(_ schedule: String, _ name: String) async throws {
        let town = try await town(Self.campaign("tide", schedule))
        #expect(try await town.herald("pause", "tide").failure == nil)
        try write(Self.campaign("tides", schedule, previous: ["tide"]), to: town)
        #expect(try await paused(in: town) == ["tides"])
        due(town)
        let plan = try await town.herald("plan").output
        #expect(plan.contains("herald resume tides"), "\(plan)")
        // Before any run has the new name.
        #expect(try await town.herald("resume", name).failure == nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent() == [.fid(1)])
    }

    /// A run that began with the files from before knows only the old name.
    @Test(arguments: schedules)
    func `a pause by the new name holds whoever still has the old files`(_ schedule: String) async throws {
        let town = try await town(Self.campaign("tide", schedule))
        try write(Self.campaign("tides", schedule, previous: ["tide"]), to: town)
        #expect(try await town.herald("pause", "tides").failure == nil)
        try write(Self.campaign("tide", schedule), to: town)
        due(town)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent().isEmpty)
    }

    /// As `git revert` does it.
    @Test(arguments: schedules, ["tide", "tides"])
    func `a paused campaign whose rename is taken back stays paused`(_ schedule: String, _ name: String) async throws {
        let town = try await town(Self.campaign("tide", schedule))
        #expect(try await town.herald("pause", "tide").failure == nil)
        try write(Self.campaign("tides", schedule, previous: ["tide"]), to: town)
        #expect(try await town.herald("run").failure == nil)
        try write(Self.campaign("tide", schedule), to: town)
        for _ in 1...2 {
            due(town)
            #expect(try await town.herald("run").failure == nil)
            #expect(town.sent().isEmpty)
            #expect(try await paused(in: town) == ["tide"])
        }
        #expect(try await town.herald("resume", name).failure == nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent() == [.fid(1)])
    }

    /// Somebody types the name that their checkout has.
    @Test func `a pause from files that are older than the state holds the campaign`() async throws {
        let (old, new) = (Self.campaign("tide"), Self.campaign("tides", previous: ["tide"]))
        let town = try await town(old)
        try write(new, to: town)
        #expect(try await town.herald("run").failure == nil)
        try write(old, to: town)
        let pause = try await town.herald("pause", "tide")
        #expect(pause.errors.contains("campaign 'tides', which was called 'tide', is paused"), "\(pause.errors)")
        try write(new, to: town)
        due(town)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent().isEmpty)
        #expect(try await paused(in: town) == ["tides"])
        #expect(try await town.herald("resume", "tides").failure == nil)
        try write(old, to: town)
        #expect(try await paused(in: town).isEmpty)
    }

    /// The name is free once the history has moved and no file claims it.
    @Test(arguments: [false, true])
    func `a new campaign with the old name is not paused`(_ isPausedFirst: Bool) async throws {
        let town = try await town(Self.campaign("tide"))
        if isPausedFirst { #expect(try await town.herald("pause", "tide").failure == nil) }
        try write(Self.campaign("tides", previous: ["tide"]), to: town)
        #expect(try await town.herald("run").failure == nil)
        if !isPausedFirst { #expect(try await town.herald("pause", "tide").failure == nil) }
        try write(Self.campaign("tides"), Self.campaign("tide", to: 2), to: town)
        #expect(try await town.herald("run").failure == nil)
        #expect(try await paused(in: town) == ["tides"])
        due(town)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent() == [.fid(2)])
        let wrong = try await town.herald("resume", "tide")
        #expect(wrong.failure?.status == .wrong && wrong.errors.contains("campaign 'tide' is not paused"))
        #expect(try await town.herald("resume", "tides").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent() == [.fid(1), .fid(2)])
    }

    /// Each takes the other's name, over a third one, as the files allow it.
    @Test func `campaigns that swap their names keep their own pauses`() async throws {
        let town = try await town(Self.campaign("ebb"), Self.campaign("flood", to: 2))
        #expect(try await town.herald("pause", "ebb").failure == nil)
        let steps = [
            [Self.campaign("tide", previous: ["ebb"]), Self.campaign("flood", to: 2)],
            [Self.campaign("tide"), Self.campaign("ebb", previous: ["flood"], to: 2)],
            [Self.campaign("flood", previous: ["tide"]), Self.campaign("ebb", to: 2)],
        ]
        for (files, name) in zip(steps, ["tide", "tide", "flood"]) {
            try town.folder.write(files.joined(separator: "---\n"), to: "x.yaml")
            #expect(try await paused(in: town) == [name])
            #expect(try await town.herald("run").failure == nil)
        }
        due(town)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent() == [.fid(2)])
        // Its own name now, whoever had it before.
        #expect(try await town.herald("pause", "ebb").failure == nil)
        #expect(try await paused(in: town) == ["ebb", "flood"])
        #expect(try await town.herald("resume", "flood").failure == nil)
        #expect(try await paused(in: town) == ["ebb"])
    }

    @Test func `resume of what is not paused says so, and without a name it is well`() async throws {
        let town = try await town(Self.campaign("tides", previous: ["tide"]))
        for (name, words) in [("tides", "campaign 'tides'"), ("tide", "campaign 'tides', which was called 'tide',")] {
            let resume = try await town.herald("resume", name)
            #expect(resume.failure?.status == .wrong)
            #expect(resume.errors.contains("\(words) is not paused"), "\(resume.errors)")
            #expect(resume.errors.contains("'herald status' shows what is paused"), "\(resume.errors)")
        }
        #expect(try await town.herald("resume").failure == nil)
        for command in ["pause", "resume"] {
            let unknown = try await town.herald(command, "tidse")
            #expect(unknown.failure?.status == .wrong)
            #expect(unknown.errors.contains("there is no campaign 'tidse'"), "\(unknown.errors)")
            #expect(unknown.errors.contains("did you mean 'tide'?") || unknown.errors.contains("did you mean 'tides'?"))
        }
    }
}
