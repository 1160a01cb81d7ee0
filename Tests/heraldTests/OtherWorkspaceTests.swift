import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Two workspaces with one HERALD_STATE, and one workspace that only looks like another.
@Suite struct OtherWorkspaceTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2)) }

    private static func resources(_ name: String) -> String {
        """
        kind: audience
        name: all
        source: {file: all.txt}
        ---
        kind: topic
        name: \(name)-news
        subscribers: [all]
        ---
        kind: campaign
        name: \(name)
        target: {audience: all}
        message: {data: {a: \(name)}}

        """
    }

    private func write(_ name: String, in folder: String) throws {
        try sandbox.folder.write(Sandbox.settings, to: "\(folder)/herald.yaml")
        try sandbox.folder.write(Registration.fid(7).rawValue + "\n", to: "\(folder)/all.txt")
        try sandbox.folder.write(Self.resources(name), to: "\(folder)/resources.yaml")
    }

    private func herald(_ command: String, in folder: String, _ host: String) async throws -> ChildProcess.Result {
        try await HeraldProcess.run(
            ["-w", "\(sandbox.folder.path)/\(folder)"] + command.split(separator: " ").map(String.init),
            environment: sandbox.environment(host))
    }

    @Test(arguments: [false, true])
    func `another workspace is refused until a person says that the state is its own`(_ isEmpty: Bool) async throws {
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        try write("tides", in: "other")
        if isEmpty { try sandbox.folder.write("# nothing\n", to: "other/resources.yaml") }
        let members = try await Control(host).members(ofTopic: "news")
        for command in ["run", "apply --auto-approve", "plan --detailed-exitcode"] {
            let refused = try await herald(command, in: "other", host)
            #expect(refused.status == 3, "\(command): \(refused.output)\(refused.errors)")
            #expect((refused.output + refused.errors).contains("other_workspace"))
        }
        let refused = try await herald("run", in: "other", host)
        #expect(refused.errors.contains("HERALD_STATE"), "\(refused.errors)")
        #expect(try await Control(host).members(ofTopic: "news") == members)
        // The first one is not held up by it.
        #expect(try await sandbox.herald("run", host: host).status == 0)
        let override = "apply --auto-approve --override other_workspace"
        #expect(try await herald(override, in: "other", host).status == 0)
        #expect(try await herald("run", in: "other", host).status == 0)
        await sandbox.end()
    }

    @Test func `a topic that was imported and that no file declares yet stops no run`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        try write("tides", in: "one")
        #expect(try await herald("state init", in: "one", host).status == 0)
        try await Control(host).put([.fid(7)], state: "active", topics: ["storms"])
        #expect(try await herald("import topic storms --audience all", in: "one", host).status == 0)
        let run = try await herald("run", in: "one", host)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(try await Control(host).members(ofTopic: "storms").count == 1)
        await sandbox.end()
    }

    @Test func `a checkout that is moved, and files that are all replaced, are the same workspace`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        try write("tides", in: "one")
        // A state has nothing yet, whoever uses it first.
        #expect(try await herald("state init", in: "one", host).status == 0)
        #expect(try await herald("run", in: "one", host).status == 0)
        try FileManager.default.moveItem(
            atPath: "\(sandbox.folder.path)/one", toPath: "\(sandbox.folder.path)/two")
        #expect(try await herald("run", in: "two", host).status == 0)
        for text in [Self.resources("winds"), "# nothing\n", Self.resources("waves")] {
            try sandbox.folder.write(text, to: "two/resources.yaml")
            let run = try await herald("run", in: "two", host)
            #expect(run.status == 0, "\(run.errors)")
        }
        await sandbox.end()
    }

    @Test func `a state from before, whose workspace is not known, serves the files that it knows`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        try FileManager.default.removeItem(atPath: "\(sandbox.folder.path)/runs")
        let run = try await sandbox.herald("run", host: host)
        #expect(run.status == 0, "\(run.errors)")
        await sandbox.end()
    }
}
