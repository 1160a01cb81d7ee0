import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// Saved plans, through the built program.
@Suite struct SavedPlanTests {
    private static let files = Sandbox.small(count: 20, subscribers: 12)

    @Test func `a second plan has the same bytes, id and created aside`() async throws {
        let sandbox = try Sandbox(Self.files)
        var documents: [JSONValue] = []
        for _ in 0..<2 {
            let plan = try await sandbox.herald("plan", "--format", "json", "--at", "2026-12-01T09:00:00+01:00")
            #expect(plan.status == 0, "\(plan.errors)")
            var members = try #require(try JSONValue(parsing: Array(plan.output.utf8)).object)
            #expect(members.removeValue(forKey: "id") != nil)
            #expect(members.removeValue(forKey: "created") != nil)
            documents.append(.object(members))
        }
        #expect(try documents[0].bytes() == documents[1].bytes())
    }

    @Test func `a saved plan is applied once, unaltered, and only while it is true`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        let path = "\(sandbox.folder.path)/plan.json"
        #expect(try await sandbox.herald("plan", "--out", path, host: host).status == 0)
        let plan = try sandbox.folder.read("plan.json")
        try sandbox.folder.write(plan.replacing("\"planned\" : 12", with: "\"planned\" : 13"), to: "altered.json")
        let altered = try await sandbox.herald("apply", "\(sandbox.folder.path)/altered.json", host: host)
        #expect(altered.status == 7)
        #expect(altered.errors.contains("altered"))
        #expect(!FileManager.default.fileExists(atPath: sandbox.statePath))
        // The plan was made without a state, and this apply creates one. Saving the plan was the approval.
        let applied = try await sandbox.herald("apply", path, host: host)
        #expect(applied.status == 0, "\(applied.output)\(applied.errors)")
        let used = try await sandbox.herald("apply", path, host: host)
        #expect(used.status == 7)
        #expect(used.errors.contains("applied before"))

        // Now there is something new to do, and a file changes before it is done.
        try sandbox.folder.write(Registration.fid(1).rawValue, to: "workspace/some.txt")
        #expect(try await sandbox.herald("plan", "--out", path, host: host).status == 0)
        try sandbox.folder.write("# nothing\n", to: "workspace/more.yaml")
        let stale = try await sandbox.herald("apply", path, host: host)
        #expect(stale.status == 7)
        #expect(stale.errors.contains("changed since"))
        await sandbox.end()
    }

    @Test(arguments: [
        ("apply", "herald plan --out"), ("apply --approved", "herald plan --format json"),
        ("approve --by anna", "herald plan --format json"),
    ])
    func `a file that is no plan is named, with the command that makes one`(_ command: String, _ maker: String)
        async throws
    {
        let sandbox = try Sandbox(Self.files)
        try sandbox.folder.write("{}", to: "bad.json")
        let result = try await sandbox.herald("\(command) \(sandbox.folder.path)/bad.json", host: "127.0.0.1:9")
        #expect(result.status == 1)
        #expect(result.errors.contains("/bad.json is no plan of herald's"), "\(result.errors)")
        #expect(
            result.errors.contains("name a file of '\(maker)") || result.errors.contains("name the JSON of '\(maker)"))
    }

    @Test func `a saved plan keeps to the campaigns it was made for`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        let path = "\(sandbox.folder.path)/plan.json"
        #expect(try await sandbox.herald("plan", "--campaign", "to-all", "--out", path, host: host).status == 0)
        #expect(try await sandbox.herald("apply", path, host: host).status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 20)
        await sandbox.end()
    }
}
