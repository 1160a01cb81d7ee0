import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What was approved is what runs.
@Suite struct ApprovalCommandTests {
    private func sandbox(_ settings: String = "") throws -> Sandbox {
        var files = Sandbox.small(count: 20, subscribers: 10)
        files["workspace/herald.yaml"] =
            (files["workspace/herald.yaml"] ?? "").replacing("herald: 1", with: "herald: 2") + settings
        return try Sandbox(files)
    }

    private func plan(_ sandbox: Sandbox, _ options: String = "", host: String) async throws -> String {
        let plan = try await sandbox.herald("plan --format json \(options)", host: host)
        try #require(plan.status == 0, "\(plan.errors)")
        try sandbox.folder.write(plan.output, to: "plan.json")
        return "\(sandbox.folder.path)/plan.json"
    }

    /// A list with more registrations.
    private func list(_ count: Int, in sandbox: Sandbox) throws {
        let all = (1...count).map { Registration.fid($0).rawValue + "\n" }.joined()
        try sandbox.folder.write(all, to: "workspace/all.txt")
    }

    private func edit(_ sandbox: Sandbox, _ old: String, _ new: String) throws {
        let text = try sandbox.folder.read("workspace/resources.yaml")
        try #require(text.contains(old))
        try sandbox.folder.write(text.replacing(old, with: new), to: "workspace/resources.yaml")
    }

    @Test func `an approved plan is applied without asking, and again after a crash`() async throws {
        let sandbox = try sandbox()
        let (_, host) = try await sandbox.startEmulator()
        let plan = try await plan(sandbox, host: host)
        let first = try await sandbox.herald(
            "apply --approved \(plan) --report \(sandbox.folder.path)/report.json", host: host)
        #expect(first.status == 0, "\(first.errors)")
        let approval = try JSONValue(parsing: Array(sandbox.folder.read("plan.json").utf8))["approval"]
        #expect(try sandbox.report()["approval"] == approval)
        // Unlike a saved plan it is not spent.
        #expect(try await sandbox.herald("apply --approved \(plan)", host: host).status == 0)
        await sandbox.end()
    }

    @Test(arguments: [
        ("title: Hello, body: To each", "title: Ciao, body: To each", "campaign 'to-all'"),
        ("subscribers: [some]", "subscribers: [all]", "topic 'news'"),
        ("name: to-topic", "name: to-the-topic", "campaign 'to-the-topic' is new"),
        ("name: to-topic", "name: to-the-topic", "campaign 'to-topic' is gone"),
        ("{file: some.txt}", "{file: all.txt}", "audience 'some'"),
    ])
    func `files that decide something else are refused, and named`(_ old: String, _ new: String, _ name: String)
        async throws
    {
        let sandbox = try sandbox()
        let (_, host) = try await sandbox.startEmulator()
        let plan = try await plan(sandbox, host: host)
        try edit(sandbox, old, new)
        for command in ["apply --approved \(plan)", "approve \(plan) --by anna"] {
            let result = try await sandbox.herald(command, host: host)
            #expect(result.status == 7, "\(command): \(result.errors)")
            #expect(result.errors.contains(name), "\(result.errors)")
        }
        #expect(try sandbox.folder.read("ledger.ndjson").isEmpty)
        await sandbox.end()
    }

    @Test(arguments: [
        ("", 22, true), ("", 23, false), ("approval_band: 50%\n", 30, true), ("approval_band: 0%\n", 21, false),
    ])
    func `a list may grow by the band and no more`(_ settings: String, _ count: Int, _ isApplied: Bool) async throws {
        let sandbox = try sandbox(settings)
        let (_, host) = try await sandbox.startEmulator()
        let plan = try await plan(sandbox, host: host)
        try list(count, in: sandbox)
        let result = try await sandbox.herald("apply --approved \(plan)", host: host)
        #expect(result.status == (isApplied ? 0 : 7), "\(result.errors)")
        if !isApplied {
            #expect(
                result.errors.contains(
                    "campaign 'to-all' to audience all: it has \(count) recipients, and 20 were approved"))
            #expect(try sandbox.folder.read("ledger.ndjson").isEmpty)
        }
        await sandbox.end()
    }

    @Test func `sizes that were not seen have no band`() async throws {
        let sandbox = try sandbox()
        let (_, host) = try await sandbox.startEmulator()
        let plan = try await plan(sandbox, "--lists skip", host: host)
        try list(40, in: sandbox)
        #expect(try await sandbox.herald("apply --approved \(plan)", host: host).status == 0)
        await sandbox.end()
    }

    @Test func `where approval is required, only what was recorded is done`() async throws {
        let sandbox = try sandbox("approval: required\n")
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        let refused = try await sandbox.herald("run", host: host)
        #expect(refused.status == 3, "\(refused.errors)")
        #expect(refused.output.contains("campaign 'to-all' is not approved: nobody approved it"), "\(refused.output)")
        #expect(try sandbox.folder.read("ledger.ndjson").isEmpty)
        let shown = try await sandbox.herald("plan", host: host)
        let left = "campaign 'to-all', topic 'news', campaign 'to-topic': nobody approved it"
        for command in ["run --quiet", "apply --auto-approve --quiet"] {
            let told = try await sandbox.herald(command, host: host)
            #expect(told.status == 3)
            #expect(told.errors.hasPrefix("herald: \(left)\n  help: look at the plan"), "\(told.errors)")
        }
        #expect(shown.output.contains("Not approved, and so left out:\n  \(left)"))

        // A dry run may come before.
        #expect(try await sandbox.herald("apply --dry-run", host: host).status == 0)

        let plan = try await plan(sandbox, host: host)
        let unnamed = try await sandbox.herald("approve \(plan)", host: host)
        #expect(unnamed.status == 1)
        #expect(unnamed.errors.contains("nothing says who approved the plan\n  help: add --by NAME\n"))
        #expect(try await sandbox.herald("approve \(plan) --by anna", host: host).status == 0)
        // The message of one campaign changes after the approval.
        try edit(sandbox, "title: Hello, body: To each", "title: Ciao, body: To each")
        let half = try await sandbox.herald("run --report \(sandbox.folder.path)/report.json", host: host)
        #expect(half.status == 3, "\(half.errors)")
        #expect(half.output.contains("campaign 'to-all' is not approved: the files changed since anna approved it"))
        let steps = try #require(try sandbox.report()["steps"]?.array)
        #expect(steps.first { $0["occurrence"] == "to-topic@once" }?["approved_by"] == "anna")
        #expect(steps.first { $0["occurrence"] == "to-all@once" }?["accepted"] == 0)

        let told = try await sandbox.herald(
            "report \(sandbox.folder.path)/report.json --format markdown", host: host)
        #expect(told.output.hasPrefix("## herald run: a guard refused something, or nobody approved it\n"))

        let second = try await self.plan(sandbox, host: host)
        #expect(try await sandbox.herald("approve \(second) --by bert", host: host).status == 0)
        #expect(try await sandbox.herald("run", host: host).status == 0)
        let state = try await sandbox.state()
        let approvals = try #require(state["approvals"]?.array)
        #expect(approvals.first { $0["resource"] == "campaign:to-topic" }?["by"] == "anna")
        #expect(approvals.first { $0["resource"] == "campaign:to-all" }?["by"] == "bert")
        await sandbox.end()
    }

    @Test func `a snapshot says what nobody approved, and not who approved the rest`() async throws {
        let sandbox = try sandbox("approval: required\n")
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        let path = "\(sandbox.folder.path)/snapshot.json"
        for isApproved in [false, true] {
            if isApproved {
                let plan = try await plan(sandbox, host: host)
                #expect(try await sandbox.herald("approve \(plan) --by anna", host: host).status == 0)
            }
            #expect(try await sandbox.herald("state snapshot --out \(path)", host: host).status == 0)
            let status = try await sandbox.herald("status --snapshot \(path)", host: host)
            #expect(status.status == (isApproved ? 0 : 4), "\(status.output)\(status.errors)")
            #expect(status.output.contains("! Not approved: ") == !isApproved, "\(status.output)")
            let shown = try await sandbox.herald("plan --snapshot \(path)", host: host)
            #expect(shown.output.contains("Not approved, and so left out:") == !isApproved, "\(shown.output)")
        }
        #expect(try !sandbox.folder.read("snapshot.json").contains("anna"))
        try edit(sandbox, "title: Hello, body: To each", "title: Ciao, body: To each")
        let changed = try await sandbox.herald("plan --snapshot \(path)", host: host)
        #expect(
            changed.output.contains("campaign 'to-all': the files changed since somebody approved it"),
            "\(changed.output)")
        await sandbox.end()
    }

    @Test func `who leaves the files leaves FCM only when that was approved`() async throws {
        let sandbox = try sandbox("approval: required\nguards: {max_unsubscribe_percent: 100}\n")
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        let before = try await plan(sandbox, host: host)
        #expect(try await sandbox.herald("approve \(before) --by anna", host: host).status == 0)
        #expect(try await sandbox.herald("run", host: host).status == 0)
        let text = try sandbox.folder.read("workspace/resources.yaml")
        let parts = text.components(separatedBy: "---\n")
        try sandbox.folder.write(
            parts.filter { !$0.contains("news") }.joined(separator: "---\n"), to: "workspace/resources.yaml")
        let refused = try await sandbox.herald("run", host: host)
        #expect(refused.status == 3)
        #expect(refused.output.contains("topic 'news' is not approved: nobody approved that the files leave it out"))
        let after = try await plan(sandbox, host: host)
        #expect(try await sandbox.herald("approve \(after) --by anna", host: host).status == 0)
        #expect(try await sandbox.herald("run", host: host).status == 0)
        #expect(try await sandbox.state()["topics"]?.array?.first?["owned"] ?? 0 == 0)
        await sandbox.end()
    }
}
