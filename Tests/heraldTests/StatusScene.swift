import FCM
import Foundation
import HeraldTestSupport
import Testing

extension StatusTests {
    /// A workspace, and a shell in it.
    struct Scene {
        let sandbox: Sandbox
        let host: String
        var variables: [String: String]

        init(_ files: [String: String] = Sandbox.small(count: 20, subscribers: 12)) async throws {
            sandbox = try Sandbox(files)
            host = try await sandbox.startEmulator().host
            variables = sandbox.environment(host)
            variables["USER"] = "anna"
            let program = "\(sandbox.folder.path)/bin/herald"
            try sandbox.folder.write("", to: "bin/x")
            try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: HeraldProcess.program)
            variables["PATH"] = "\(sandbox.folder.path)/bin:/usr/bin:/bin"
            variables["NO_GCE_CHECK"] = "true"
        }

        func type(_ command: String) async throws -> ChildProcess.Result {
            try await ChildProcess(
                "/bin/sh", ["-c", "cd \"$1\" && eval \"$2\"", "sh", sandbox.workspace, command],
                environment: variables
            ).wait()
        }

        @discardableResult
        func done(_ command: String, _ status: Int32 = 0) async throws -> ChildProcess.Result {
            let result = try await type(command)
            try #require(result.status == status, "\(command): \(result.status) \(result.output)\(result.errors)")
            return result
        }

        /// What needs somebody, and whether the exit code says so.
        func needs(_ options: String = "") async throws -> [(kind: String, command: String)] {
            let result = try await type("herald status --format json \(options)")
            let json = try JSONValue(parsing: Array(result.output.utf8))
            #expect(json["schema"] == "herald.status/1")
            let needs = try #require(json["needs"]?.array)
            #expect(json["calm"] == .bool(needs.isEmpty))
            #expect(result.status == (needs.isEmpty ? 0 : 4), "\(result.errors)")
            return needs.map { ($0["kind"]?.string ?? "", $0["command"]?.string ?? "") }
        }

        func write(_ text: String, to name: String) throws { try sandbox.folder.write(text, to: "workspace/\(name)") }
    }

    /// A set-up, what it needs, and the command that mends it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: String
        let command: String
        let prepare: @Sendable (inout Scene) async throws -> Void
        /// What `apply` needs besides without a terminal.
        var approves = false

        init(
            _ name: String, _ kind: String, _ command: String, approves: Bool = false,
            _ prepare: @escaping @Sendable (inout Scene) async throws -> Void
        ) {
            (testDescription, self.kind, self.command, self.prepare) = (name, kind, command, prepare)
            self.approves = approves
        }
    }

    private static func halt(_ scene: Scene) async throws {
        try await Control(scene.host).put((2...300).map { Registration.fid($0) }, state: "other_sender")
        try await scene.done("herald state init")
        try await scene.done("herald run", 4)
    }

    private static func requireApproval(_ scene: Scene) async throws {
        let settings = "herald: 2\n" + Sandbox.settings.dropFirst("herald: 1\n".count) + "approval: required\n"
        try scene.write(settings, to: "herald.yaml")
        try await scene.done("herald state init")
    }

    static let cases: [Case] = [
        Case("no state", "no_state", "herald state init") { _ in },
        Case("unknown outcomes", "unknown", "herald state resolve to-all@once --accept") { scene in
            try await scene.done("herald state init")
            let proxy = try LossyProxy(serverPort: try Sandbox.port(of: scene.host), losing: 2)
            var lossy = scene
            lossy.variables["FCM_EMULATOR_HOST"] = proxy.host
            try await lossy.done("herald run", 6)
            proxy.stop()
        },
        Case("halted by rejections", "halted", "herald state resolve to-all@once --continue") { scene in
            scene = try await Scene(Sandbox.small(count: 300, subscribers: 1))
            try await halt(scene)
            // The next run holds it, and is no failure itself.
            try await scene.done("herald run")
        },
        Case("half done, and at another revision", "held", "herald state resolve to-all@once --abandon") { scene in
            scene = try await Scene(Sandbox.small(count: 300, subscribers: 1))
            try await halt(scene)
            let text = try scene.sandbox.folder.read("workspace/resources.yaml")
            try scene.write(text.replacing("name: to-all\n", with: "name: to-all\nrevision: 2\n"), to: "resources.yaml")
            try await Control(scene.host).put((1...300).map { Registration.fid($0) }, state: "active")
            try await scene.done("herald run")
        },
        Case("a list that lost rows", "refused", "herald apply --override max_unsubscribe_percent=news", approves: true)
        { scene in
            try await scene.done("herald apply --auto-approve")
            try scene.write((1...5).map { "\(Registration.fid($0).rawValue)\n" }.joined(), to: "some.txt")
        },
        Case("two lists that lost rows", "refused", "herald apply --override max_unsubscribe_percent", approves: true) {
            scene in
            let more = "---\nkind: topic\nname: other\nsubscribers: [some]\n"
            try scene.write(
                try scene.sandbox.folder.read("workspace/resources.yaml") + more, to: "resources.yaml")
            try await scene.done("herald apply --auto-approve")
            try scene.write((1...5).map { "\(Registration.fid($0).rawValue)\n" }.joined(), to: "some.txt")
        },
        Case("an older copy of the state", "refused", "herald apply --override state_went_back", approves: true) {
            scene in
            try await scene.done("herald state init && herald state backup ../old.sqlite && herald run")
            try await scene.done("rm -f ../state.sqlite-wal ../state.sqlite-shm && cp ../old.sqlite ../state.sqlite")
        },
        Case(
            "a definition that nobody approved", "unapproved",
            "herald plan --out plan.json && herald approve plan.json --by \"$USER\""
        ) { scene in
            try await requireApproval(scene)
        },
        Case("a clock that was fast", "silenced", "herald state rewind yearly") { scene in
            try scene.write(campaign("yearly", "schedule: {cron: \"0 0 1 1 *\"}"), to: "yearly.yaml")
            for at in ["2098-12-31T23:59:00Z", "2099-01-01T00:00:00Z"] {
                try await scene.done("herald apply --auto-approve --at \(at)")
            }
        },
        Case("no run for an hour", "overdue", "herald run") { scene in
            try await scene.done("herald state init && herald run")
            try scene.write(
                campaign("late", "schedule: {at: \"\(ago(3600))\", max_lateness: 1d}"), to: "late.yaml")
        },
        Case("too late", "missed", "herald run || [ $? = 4 ]") { scene in
            try await scene.done("herald state init && herald run")
            try scene.write(
                campaign("late", "schedule: {at: \"\(ago(7200))\", max_lateness: 1h}"), to: "late.yaml")
        },
        Case("a run that could not reach FCM", "failed", "herald run") { scene in
            try await scene.done("herald state init")
            var away = scene
            away.variables["FCM_EMULATOR_HOST"] = "127.0.0.1:9"
            try await away.done("herald run", 4)
        },
    ]

    static let otherCases: [Case] = [
        Case(
            "a coming send that nobody approved", "unapproved",
            "herald plan --out plan.json && herald approve plan.json --by \"$USER\""
        ) { scene in
            try await requireApproval(scene)
            try await scene.done("herald plan --out plan.json && herald approve plan.json --by anna && herald run")
            try scene.write(campaign("yearly", "schedule: {cron: \"7 9 1 1 *\"}"), to: "yearly.yaml")
            let plan = try await scene.done("herald plan").output
            #expect(plan.contains("yearly, to audience all (not approved: nobody approved it)"), "\(plan)")
        },
        Case("a stage that halted", "halted", "herald state resolve to-all@once --continue") { scene in
            let text = try scene.sandbox.folder.read("workspace/resources.yaml")
            let staged = text.replacing("name: to-all\n", with: "name: to-all\ndelivery: {stages: [50%, 100%]}\n")
            try scene.write(staged, to: "resources.yaml")
            try await Control(scene.host).put((1...20).map { Registration.fid($0) }, state: "other_sender")
            try await scene.done("herald state init")
            try await scene.done("herald run", 6)
        },
        Case(
            "renamed without a word", "refused", "herald apply --override looks_renamed=to-everybody", approves: true
        ) { scene in
            try await scene.done("herald apply --auto-approve")
            let text = try scene.sandbox.folder.read("workspace/resources.yaml")
            try scene.write(text.replacing("name: to-all\n", with: "name: to-everybody\n"), to: "resources.yaml")
        },
        Case("an audience that collapsed", "refused", "herald apply --override audience_collapse=all", approves: true) {
            scene in
            scene = try await Scene(Sandbox.small(count: 120, subscribers: 12))
            try await scene.done("herald apply --auto-approve")
            try scene.write((1...5).map { "\(Registration.fid($0).rawValue)\n" }.joined(), to: "all.txt")
        },
        Case("refused for an hour", "refused", "herald apply --override max_recipients=late", approves: true) { scene in
            try await scene.done("herald state init && herald run")
            try scene.write(Sandbox.settings + "guards: {max_recipients: 15}\n", to: "herald.yaml")
            try scene.write(
                campaign("late", "schedule: {at: \"\(ago(3600))\", max_lateness: 1d}"), to: "late.yaml")
            try await scene.done("herald run", 3)
        },
        Case("a group that others made", "refused", "herald apply --override foreign_group=family", approves: true) {
            scene in
            try scene.write(Sandbox.settings + "sender_id: \"123456789012\"\n", to: "herald.yaml")
            let members = "members: {tokens: ['\(Registration.token(8).rawValue)']}"
            try scene.write("kind: group\nname: family\n\(members)\n", to: "group.yaml")
            // As far as the state knows after that, herald did not make it.
            try await scene.done("herald apply --auto-approve && herald state rm group:family")
            try await scene.done("herald run", 3)
        },
        Case("too many recipients", "refused", "herald apply --override max_recipients=to-all", approves: true) {
            scene in
            try scene.write(Sandbox.settings + "guards: {max_recipients: 15}\n", to: "herald.yaml")
            try await scene.done("herald state init")
        },
    ]
}
