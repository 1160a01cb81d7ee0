import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What a person approved holds, whatever a file, a merge or an artifact says.
@Suite struct ApprovalHoldsTests {
    private static let settings = "workspace/herald.yaml"

    private func sandbox(_ settings: String = "") throws -> Sandbox {
        var files = Sandbox.small(count: 20, subscribers: 10)
        files[Self.settings] = (files[Self.settings] ?? "").replacing("herald: 1", with: "herald: 2") + settings
        return try Sandbox(files)
    }

    private func edit(_ sandbox: Sandbox, _ path: String, _ old: String, _ new: String) throws {
        let text = try sandbox.folder.read(path)
        try #require(text.contains(old))
        try sandbox.folder.write(text.replacing(old, with: new), to: path)
    }

    private func plan(_ sandbox: Sandbox, _ options: String = "", host: String) async throws -> JSONValue {
        let plan = try await sandbox.herald("plan --format json \(options)", host: host)
        try #require(plan.status == 0, "\(plan.errors)")
        try sandbox.folder.write(plan.output, to: "plan.json")
        return try JSONValue(parsing: Array(plan.output.utf8))
    }

    private func approve(_ sandbox: Sandbox, _ options: String = "", host: String) async throws -> ChildProcess.Result {
        try await sandbox.herald("approve \(sandbox.folder.path)/plan.json --by anna \(options)", host: host)
    }

    @Test(arguments: ["definitions", "sizes", "approval"])
    func `what is recorded is worked out, and a plan that says otherwise is refused`(_ part: String) async throws {
        let sandbox = try sandbox("approval: required\n")
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        var whole = try #require(try await plan(sandbox, host: host).object)
        var definitions = try #require(whole["definitions"]?.object)
        let digest = JSONValue.string("sha256:" + String(repeating: "0", count: 64))
        switch part {
        case "definitions":
            definitions["campaign:to-all"] = ["digest": digest, "size": 20]
        case "sizes":
            let same = definitions["campaign:to-all"]?["digest"] ?? .null
            definitions["campaign:to-all"] = ["digest": same, "size": 900]
        default: whole["approval"] = digest
        }
        whole["definitions"] = .object(definitions)
        try sandbox.folder.write(JSONValue.object(whole).prettyText, to: "plan.json")
        let refused = try await approve(sandbox, host: host)
        #expect(refused.status == 7, "\(refused.errors)")
        #expect(try await sandbox.state()["approvals"]?.array == [])
        await sandbox.end()
    }

    @Test func `sizes are recorded as the lists here have them`() async throws {
        let sandbox = try sandbox("approval: required\n")
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        _ = try await plan(sandbox, "--lists skip", host: host)
        #expect(try await approve(sandbox, host: host).status == 0)
        func size() async throws -> JSONValue? {
            try await sandbox.state()["approvals"]?.array?.first { $0["resource"] == "campaign:to-all" }?["size"]
        }
        #expect(try await size() == 20)
        // Whoever approves without lists records none, and lifts those from before.
        _ = try await plan(sandbox, host: host)
        let skipped = try await approve(sandbox, "--lists skip", host: host)
        #expect(skipped.status == 0 && skipped.errors.contains("no sizes were recorded"), "\(skipped.errors)")
        #expect(try await size() == .null)
        await sandbox.end()
    }

    @Test(arguments: [
        ("approval: required\n", ""), ("approval: required\n", "approval: required\napproval_band: 9999%\n"),
        ("max_recipients: 50", "max_recipients: 50000"),
    ])
    func `a merge that loosens the settings needs an approval`(_ old: String, _ new: String) async throws {
        let sandbox = try sandbox("approval: required\nguards: {max_recipients: 50}\n")
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        _ = try await plan(sandbox, host: host)
        #expect(try await approve(sandbox, host: host).status == 0)
        try edit(sandbox, Self.settings, old, new)
        let refused = try await sandbox.herald("run", host: host)
        #expect(refused.status == 3, "\(refused.errors)")
        #expect(refused.output.contains("herald.yaml changed since anna approved it"), "\(refused.output)")
        #expect(try sandbox.folder.read("ledger.ndjson").isEmpty)
        _ = try await plan(sandbox, host: host)
        #expect(try await approve(sandbox, host: host).status == 0)
        #expect(try await sandbox.herald("run", host: host).status == 0)
        await sandbox.end()
    }

    @Test func `a state requires approvals from the first one on, until a person ends that`() async throws {
        let sandbox = try sandbox()
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        _ = try await plan(sandbox, host: host)
        #expect(try await approve(sandbox, host: host).status == 0)
        try edit(sandbox, "workspace/resources.yaml", "title: Hello, body: To each", "title: Ciao, body: To each")
        let refused = try await sandbox.herald("run", host: host)
        #expect(refused.status == 3, "\(refused.errors)")
        #expect(refused.output.contains("campaign 'to-all' is not approved: the files changed since anna"))
        #expect(refused.output.contains("'herald approve --end' ends that"), "\(refused.output)")
        let asked = try await sandbox.herald("approve --end", host: host)
        #expect(asked.status == 1 && asked.errors.contains("--auto-approve"), "\(asked.errors)")
        #expect(try await sandbox.herald("approve --end --auto-approve", host: host).status == 0)
        #expect(try await sandbox.state()["approvals"]?.array == [])
        #expect(try await sandbox.herald("run", host: host).status == 0)
        await sandbox.end()
    }

    @Test func `a plan says of what waits for its window that nobody approved it`() async throws {
        let sandbox = try sandbox("approval: required\n")
        try sandbox.folder.write(
            """
            kind: campaign
            name: by-day
            target: {audience: all}
            message: {notification: {title: By day}}
            delivery: {window: {from: "09:00", to: "20:00"}, expires_after: 12h}

            """, to: "workspace/by-day.yaml")
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        for format in ["text", "markdown"] {
            let shown = try await sandbox.herald("plan --at 2026-12-01T22:00:00Z --format \(format)", host: host)
            let told = shown.output.replacing("`", with: "")
            #expect(told.contains("by-day@once") && told.contains("the window is closed"), "\(told)")
            #expect(told.contains("campaign 'by-day': nobody approved it"), "\(told)")
        }
        let other = try await sandbox.herald("plan --at 2026-12-01T22:00:00Z --campaign to-all", host: host)
        #expect(!other.output.contains("by-day"), "\(other.output)")
        await sandbox.end()
    }

    @Test func `a plan of an older herald approves nothing, and says what to do`() async throws {
        let sandbox = try sandbox("approval: required\n")
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        var whole = try #require(try await plan(sandbox, host: host).object)
        // It did not know of the settings.
        var definitions = try #require(whole["definitions"]?.object)
        definitions["settings:"] = nil
        whole["definitions"] = .object(definitions)
        try sandbox.folder.write(JSONValue.object(whole).prettyText, to: "plan.json")
        let old = try await approve(sandbox, host: host)
        #expect(old.status == 7 && old.errors.contains("from an older herald"), "\(old.errors)")
        await sandbox.end()
    }

    @Test func `a list beside the files does not take the place of an approved one`() async throws {
        let sandbox = try sandbox("approval: required\nlists: ../exports\n")
        let folder = sandbox.folder
        try folder.write(try folder.read("workspace/all.txt"), to: "exports/all.txt")
        try FileManager.default.removeItem(atPath: "\(folder.path)/workspace/all.txt")
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        _ = try await plan(sandbox, host: host)
        #expect(try await approve(sandbox, host: host).status == 0)
        let other = (101...120).map { Registration.fid($0).rawValue + "\n" }.joined()
        try folder.write(other, to: "workspace/all.txt")
        let refused = try await sandbox.herald("run", host: host)
        #expect(refused.status == 3, "\(refused.errors)")
        #expect(refused.output.contains("campaign 'to-all' is not approved: the files changed"), "\(refused.output)")
        let applied = try await sandbox.herald("apply --approved \(folder.path)/plan.json", host: host)
        #expect(applied.status == 7 && applied.errors.contains("audience 'all'"), "\(applied.errors)")
        await sandbox.end()
    }
}
