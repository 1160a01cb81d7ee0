import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// Rows of personal campaigns that do not fit into memory, and what becomes of a run without room for them.
struct PersonalRoomTests {
    @Test func `a personal send that comes due in mid-run without room for its rows is left to the next run`()
        async throws
    {
        var files = Sandbox.small(count: 3, subscribers: 0)
        files["workspace/herald.yaml"] = """
            herald: 1
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: 40/s, ramp: 0s}

            """
        files["workspace/followers.txt"] = (1...640).map { Registration.fid($0).rawValue }.joined(separator: "\n")
        // More than memory takes.
        let padding = String(repeating: "x", count: 8000)
        files["workspace/all.csv"] =
            "fid,name,more\n" + (1...1200).map { "\(Registration.fid($0).rawValue),Ann,\(padding)\n" }.joined()
        files["workspace/resources.yaml"] = """
            kind: audience
            name: all
            source: {file: all.csv}
            fields: {name: {}, more: {}}
            ---
            kind: audience
            name: followers
            source: {file: followers.txt}
            ---
            kind: topic
            name: news
            subscribers: [followers]

            """
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        // By then the run has read its lists, and the topic is half done.
        let due = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 12).rounded(.up)).rfc3339
        try sandbox.folder.write(
            """
            kind: campaign
            name: timed
            target: {audience: all}
            personal: {fields: [name, more]}
            message: {data: {a: "{{ name }}"}}
            schedule: {at: "\(due)"}

            """, to: "workspace/timed.yaml")
        let room = "\(sandbox.folder.path)/room"
        try FileManager.default.createDirectory(atPath: room, withIntermediateDirectories: false)
        func start() throws -> ChildProcess {
            let environment = sandbox.environment(host).merging(["TMPDIR": room]) { $1 }
            return try HeraldProcess.start(["-w", sandbox.workspace, "run"], environment: environment)
        }
        let first = try start()
        // The lists are read then.
        let reports = "\(sandbox.folder.path)/runs"
        try await eventually { FileManager.default.subpaths(atPath: reports)?.isEmpty == false }
        try FileManager.default.removeItem(atPath: room)
        let result = await first.wait()
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let words = "the lists are sorted in a temporary file, which cannot be written in \(room)"
        #expect(result.errors.components(separatedBy: words).count == 2, "\(result.errors)")
        #expect(try await Control(host).ledger().isEmpty)
        try FileManager.default.createDirectory(atPath: room, withIntermediateDirectories: false)
        let second = await (try start()).wait()
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == 1200 && accepted.values.allSatisfy { $0 == 1 })
        await sandbox.end()
    }
}
