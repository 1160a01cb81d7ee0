import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What people do between runs: try a message on themselves, pause, look ahead.
@Suite struct EverydayTests {
    // MARK: test

    @Test func `a test sends the real message to a few, and the campaign goes to everybody all the same`() async throws
    {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        let one = Registration.fid(77).rawValue
        let early = try await sandbox.herald(
            "test", "to-topic", "--to", one, Registration.token(3).rawValue, host: host)
        #expect(early.status == 0, "\(early.output)\(early.errors)")
        #expect(early.errors.contains("no state"))
        #expect(!FileManager.default.fileExists(atPath: sandbox.statePath))
        var accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted == [one: 1, Registration.token(3).rawValue: 1])
        let message = try await Control(host).ledger().first?["message"]
        #expect(message?["notification"]?["body"] == "To all who follow")

        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let report = "\(sandbox.folder.path)/test.json"
        let again = try await sandbox.herald("test", "to-all", "--audience", "some", "--report", report, host: host)
        #expect(again.status == 0, "\(again.output)\(again.errors)")
        #expect(try sandbox.report("test.json")["steps"]?.array?.first?["accepted"] == 2)
        accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted[Registration.fid(1).rawValue] == 2)
        #expect(accepted[Registration.fid(5).rawValue] == 1)
        let state = try await sandbox.state()
        #expect(state["occurrences"]?.array?.count == 2)
        #expect(state["tests"]?.array?.map { $0["campaign"] } == ["to-all"])
        #expect(try await sandbox.herald("plan", "--detailed-exitcode", host: host).status == 0)
        await sandbox.end()
    }

    @Test
    func `a test of a registration that is dead, or of an audience that is large, says so and forgetsDead nobody`()
        async throws
    {
        let sandbox = try Sandbox(Sandbox.small(count: 21, subscribers: 3))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        try await Control(host).put([.fid(1)], state: "unregistered")
        let dead = try await sandbox.herald("test", "to-all", "--audience", "some", host: host)
        #expect(dead.output.contains("UNREGISTERED"))
        #expect(try await sandbox.state()["dead"] == 0)
        let large = try await sandbox.herald("test", "to-all", "--audience", "all", host: host)
        #expect(large.status == 1)
        #expect(large.errors.contains("audience 'all' has 21 recipients"))
        await sandbox.end()
    }

    // MARK: pause and resume

    @Test(arguments: ["to-all", nil])
    func `a pause stops a run within two seconds, and after resume the rest is sent, nobody twice`(
        _ campaign: String?
    ) async throws {
        // Without a pause all of them would take a quarter of a minute.
        var files = Sandbox.small(count: 900, subscribers: 0)
        files["workspace/herald.yaml"] = Sandbox.settings.replacing("{rate: unlimited", with: "{rate: 60/s")
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let run = try HeraldProcess.start(["-w", sandbox.workspace, "run"], environment: sandbox.environment(host))
        try await eventually { try sandbox.accepted(in: ["ledger.ndjson"]).count >= 20 }
        let name = campaign.map { [$0] } ?? []
        let pause = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "pause"] + name, environment: sandbox.environment(host))
        let paused = Date()
        #expect(pause.status == 0, "\(pause.errors)")
        let stopped = await run.wait()
        #expect(stopped.status == 0, "\(stopped.output)\(stopped.errors)")
        #expect(stopped.output.contains("the campaign is paused"))
        let first = try sandbox.accepted(in: ["ledger.ndjson"]).filter { $0.key != "news" }
        #expect(first.count < 900)
        let last = try await Control(host).ledger().filter { $0["target"]?["fid"] != nil }
            .compactMap { $0["time"]?.string }.max()
        // A busy machine may stand still in that second, too.
        let limit = Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(paused.addingTimeInterval(2))
        #expect(try #require(last) <= limit)

        let held = try await sandbox.herald("plan", "--detailed-exitcode", host: host)
        #expect(held.output.contains(campaign == nil ? "herald resume\n" : "herald resume to-all"), "\(held.output)")
        #expect(try await sandbox.herald("run", host: host).status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).filter { $0.key != "news" }.count == first.count)
        let resume = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "resume"] + name, environment: sandbox.environment(host))
        #expect(resume.status == 0, "\(resume.errors)")
        try sandbox.folder.write(Sandbox.settings, to: "workspace/herald.yaml")
        #expect(try await sandbox.herald("run", host: host).status == 0)
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == 901)
        #expect(accepted.values.allSatisfy { $0 == 1 })
        await sandbox.end()
    }

    @Test func `one campaign cannot be resumed while everything is paused`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 3, subscribers: 1))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        #expect(try await sandbox.herald("pause to-al", host: host).errors.contains("did you mean 'to-all'?"))
        #expect(try await sandbox.herald("pause", host: host).status == 0)
        let one = try await sandbox.herald("resume to-all", host: host)
        #expect(one.status == 1)
        #expect(one.errors.contains("everything is paused"))
        // A pause does not stop membership changes.
        #expect(try await sandbox.herald("run", host: host).status == 0)
        #expect(try await Control(host).members(ofTopic: "news").count == 1)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty)
        #expect(try await sandbox.herald("resume", host: host).status == 0)
        #expect(try await sandbox.herald("run", host: host).status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 4)
        await sandbox.end()
    }

    // MARK: Looking ahead

    private static let schedules = [
        "workspace/herald.yaml": "herald: 1\nproject: demo-project\ntimezone: Europe/Rome\n",
        "workspace/resources.yaml": """
        kind: audience
        name: all
        source: {file: lists/all.txt}
        ---
        kind: campaign
        name: weekly
        target: {audience: all}
        message: {data: {a: b}}
        schedule: {cron: "30 9 * * MON"}
        ---
        kind: campaign
        name: nightly
        target: {audience: all}
        message: {data: {a: b}}
        schedule: {cron: "30 2 * * *"}
        ---
        kind: campaign
        name: christmas
        target: {audience: all}
        message: {data: {a: b}}
        schedule: {at: 2026-12-25T09:00}

        """,
        "workspace/lists/all.txt": Registration.fid(1).rawValue + "\n",
    ]

    @Test func `plan --days shows what comes, and of each campaign at least the next`() async throws {
        let sandbox = try Sandbox(Self.schedules)
        let plan = { (days: String) in
            let result = try await sandbox.herald(
                "plan", "--at", "2026-12-01T12:00:00Z", "--days", days, "--format", "json")
            #expect(result.status == 0, "\(result.errors)")
            let upcoming = try #require(try JSONValue(parsing: Array(result.output.utf8))["upcoming"]?.array)
            return upcoming.compactMap { $0["occurrence"]?.string }
        }
        #expect(
            try await plan("0") == [
                "nightly@2026-12-02T01:30:00Z", "weekly@2026-12-07T08:30:00Z", "christmas@2026-12-25T08:00:00Z",
            ])
        #expect(
            try await plan("2") == [
                "nightly@2026-12-02T01:30:00Z", "nightly@2026-12-03T01:30:00Z", "weekly@2026-12-07T08:30:00Z",
                "christmas@2026-12-25T08:00:00Z",
            ])
        #expect(try await plan("27").count == 27 + 4 + 1)
    }

    @Test func `plan --lists skip needs no list, shows no counts, and what is due all the same`() async throws {
        let sandbox = try Sandbox(Self.schedules)
        try FileManager.default.removeItem(atPath: "\(sandbox.workspace)/lists/all.txt")
        #expect(try await sandbox.herald("validate").status == 1)
        #expect(try await sandbox.herald("validate --lists skip").status == 0)
        #expect(try await sandbox.herald("plan").status == 1)
        let result = try await sandbox.herald(
            "plan", "--lists", "skip", "--at", "2026-12-25T08:00:01Z", "--format", "json")
        #expect(result.status == 0, "\(result.errors)")
        let plan = try JSONValue(parsing: Array(result.output.utf8))
        #expect(plan["summary"]?["recipients"] == .null)
        #expect(plan["steps"]?.array?.compactMap { $0["occurrence"]?.string } == ["christmas@2026-12-25T08:00:00Z"])
        #expect(plan["steps"]?.array?.first?["planned"] == .null)
    }

    @Test(arguments: ["", " --snapshot SNAPSHOT"])
    func `the calendar needs no list`(_ options: String) async throws {
        let sandbox = try Sandbox(Self.schedules)
        let snapshot = "\(sandbox.folder.path)/snapshot.json"
        #expect(try await sandbox.herald("state init").status == 0)
        #expect(try await sandbox.herald("state", "snapshot", "--out", snapshot).status == 0)
        try FileManager.default.removeItem(atPath: "\(sandbox.workspace)/lists")
        let command = "calendar --at 2026-12-01T12:00:00Z --days 2"
        let result = try await sandbox.herald(command + options.replacing("SNAPSHOT", with: snapshot))
        #expect(result.status == 0 && result.output.contains("nightly"), "\(result.output)\(result.errors)")
    }

    @Test func `the calendar tells local time and UTC, and where the clocks change`() async throws {
        let sandbox = try Sandbox(Self.schedules)
        let result = try await sandbox.herald(
            "calendar", "--at", "2027-03-27T12:00:00Z", "--days", "3", "--format", "json")
        #expect(result.status == 0, "\(result.errors)")
        let document = try JSONValue(parsing: Array(result.output.utf8))
        let entries = try #require(document["occurrences"]?.array)
        // There is no 02:30 on the 28th. The first instant after the gap takes its place.
        #expect(
            entries.compactMap { $0["at"]?.string } == [
                "2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z", "2027-03-29T07:30:00Z", "2027-03-30T00:30:00Z",
            ])
        #expect(
            entries.compactMap { $0["local"]?.string } == [
                "2027-03-28T03:00:00", "2027-03-29T02:30:00", "2027-03-29T09:30:00", "2027-03-30T02:30:00",
            ])
        #expect(entries.allSatisfy { $0["offset"] == "+02:00" && $0["timezone"] == "Europe/Rome" })
        #expect(try #require(entries.first?["note"]?.string).isEmpty == false)
        // What is due at the very instant is there, too.
        let exact = try await sandbox.herald(
            "calendar", "--at", "2027-03-28T01:00:00Z", "--days", "1", "--format", "json")
        let first = try JSONValue(parsing: Array(exact.output.utf8))["occurrences"]?.array?.first
        #expect(first == entries.first)
        let text = try await sandbox.herald("calendar", "--at", "2027-03-27T12:00:00Z", "--days", "3")
        #expect(text.output.contains("nightly"))
        #expect(text.output.contains("03:00"))
    }
}
