import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// `herald site`: the folder that it writes, and where its pages come from.
@Suite(.timeLimit(.minutes(10))) struct SiteCommandTests {
    private static let at = "2026-12-01T08:00:00Z"
    private static let daily = """
        kind: campaign
        name: daily
        target: {audience: all}
        schedule: {cron: "0 9 * * *"}
        message: {notification: {title: High tide}}

        """

    private static func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 3))
        try sandbox.folder.write(daily, to: "workspace/daily.yaml")
        return sandbox
    }

    /// The files of the site with their contents.
    private static func files(_ sandbox: Sandbox, in name: String = "site") throws -> [String: String] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: "\(sandbox.folder.path)/\(name)")
        return all.reduce(into: [:]) { $0[$1] = try? sandbox.folder.read("\(name)/\($1)") }
    }

    private static func write(
        _ sandbox: Sandbox, _ options: [String] = [], to name: String = "site"
    ) async throws -> ChildProcess.Result {
        try await HeraldProcess.run(
            ["-w", sandbox.workspace, "site", "--out", "\(sandbox.folder.path)/\(name)", "--at", at] + options,
            environment: sandbox.environment("127.0.0.1:9"))
    }

    @Test func `the same files, state and time give the same bytes, and pages that are gone go`() async throws {
        let sandbox = try Self.sandbox()
        #expect(try await sandbox.herald("state init").status == 0)
        for name in ["site", "again"] {
            let result = try await Self.write(sandbox, to: name)
            try #require(result.status == 0, "\(result.errors)")
        }
        let first = try Self.files(sandbox)
        #expect(first == (try Self.files(sandbox, in: "again")))
        #expect(first.keys.contains("campaigns/daily.html") && first.keys.contains("months/2026-12.html"))
        try FileManager.default.removeItem(atPath: "\(sandbox.workspace)/daily.yaml")
        #expect(try await Self.write(sandbox).status == 0)
        let second = try Self.files(sandbox)
        #expect(second.keys.contains("campaigns/daily.html") == false)
        #expect(second["index.html"]?.contains("daily") == false)
        // Nothing is left beside it.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path).filter { $0.contains("site") } == [
                "site"
            ])
    }

    @Test(arguments: [
        ("a file of somebody", "site/notes.txt", "is not empty"), ("a workspace", "site/herald.yaml", "is not empty"),
        ("a hidden file", "site/.git/config", "is not empty"),
    ])
    func `a folder that holds something else is not touched`(_ name: String, _ file: String, _ words: String)
        async throws
    {
        let sandbox = try Self.sandbox()
        try sandbox.folder.write("precious", to: file)
        let result = try await Self.write(sandbox)
        #expect(result.status == 1 && result.errors.contains(words), "\(result.errors)")
        #expect(try Self.files(sandbox).values.contains("precious"))
        #expect(try Self.files(sandbox).count <= 2)
    }

    @Test func `a file that somebody put into a site is named and kept`() async throws {
        let sandbox = try Self.sandbox()
        #expect(try await Self.write(sandbox).status == 0)
        let before = try Self.files(sandbox)
        try sandbox.folder.write("precious", to: "site/campaigns/CNAME")
        let result = try await Self.write(sandbox)
        #expect(result.status == 1 && result.errors.contains("campaigns/CNAME"), "\(result.errors)")
        #expect(try Self.files(sandbox) == before.merging(["campaigns/CNAME": "precious"]) { $1 })
        // A list of files that claims to know it does not come from herald: only what stands in it counts.
        try FileManager.default.removeItem(atPath: "\(sandbox.folder.path)/site/campaigns/CNAME")
        #expect(try await Self.write(sandbox).status == 0)
    }

    @Test func `a link is no sign of a site`() async throws {
        let sandbox = try Self.sandbox()
        try sandbox.folder.write("precious", to: "site/notes.txt")
        try FileManager.default.createSymbolicLink(
            atPath: "\(sandbox.folder.path)/site/.herald-site", withDestinationPath: "/dev/zero")
        #expect(try await Self.write(sandbox).status == 1)
        #expect(try sandbox.folder.read("site/notes.txt") == "precious")
    }

    @Test func `an empty folder is taken, and so is a link to one`() async throws {
        let sandbox = try Self.sandbox()
        try FileManager.default.createDirectory(
            atPath: "\(sandbox.folder.path)/real", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(sandbox.folder.path)/site", withDestinationPath: "\(sandbox.folder.path)/real")
        #expect(try await Self.write(sandbox).status == 0)
        #expect(try Self.files(sandbox, in: "real")["index.html"] != nil)
        #expect(try await Self.write(sandbox).status == 0)
    }

    @Test func `what cannot be a folder is an error`() async throws {
        let sandbox = try Self.sandbox()
        try sandbox.folder.write("", to: "site")
        #expect(try await Self.write(sandbox).status == 1)
        #expect(try await Self.write(sandbox, to: "site/below").status == 1)
        #expect(try sandbox.folder.read("site").isEmpty)
    }

    @Test func `mistakes in the files leave the old site`() async throws {
        let sandbox = try Self.sandbox()
        #expect(try await Self.write(sandbox).status == 0)
        let before = try Self.files(sandbox)
        try sandbox.folder.write("kind: campaign\n", to: "workspace/wrong.yaml")
        #expect(try await Self.write(sandbox).status == 1)
        #expect(try Self.files(sandbox) == before)
    }

    @Test(arguments: ["ftp://x.example", "https://", "https://a:b@x.example", "https://x.example/?q", "nowhere"])
    func `an address that cannot be one is refused`(_ url: String) async throws {
        let sandbox = try Self.sandbox()
        #expect(try await Self.write(sandbox, ["--base-url", url]).status == 64)
    }

    // MARK: Where it comes from

    @Test func `runs have their reports, and what was sent stands in the calendar`() async throws {
        let sandbox = try Self.sandbox()
        let host = try await sandbox.startEmulator().host
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "site", "--out", "\(sandbox.folder.path)/site"],
            environment: sandbox.environment(host))
        try #require(result.status == 0, "\(result.errors)")
        let files = try Self.files(sandbox)
        let run = try #require(files.keys.first { $0.hasPrefix("runs/") })
        #expect(files["runs.html"]?.contains("href=\"\(run)\"") == true)
        #expect(files[run]?.contains("send:to-all@once") == true)
        #expect(files["index.html"]?.contains("5 accepted") == true)
        #expect(files["campaigns/to-all.html"]?.contains("5 accepted") == true)
        #expect(files["health.html"]?.contains("Nothing needs you") == true)
        await sandbox.end()
    }

    @Test func `in a CI a snapshot is enough`() async throws {
        let sandbox = try Self.sandbox()
        let host = try await sandbox.startEmulator().host
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let path = "\(sandbox.folder.path)/snapshot.json"
        #expect(try await sandbox.herald("state", "snapshot", "--out", path, host: host).status == 0)
        for file in try FileManager.default.contentsOfDirectory(atPath: sandbox.workspace)
        where file.hasSuffix(".csv") || file.hasSuffix(".txt") {
            try FileManager.default.removeItem(atPath: "\(sandbox.workspace)/\(file)")
        }
        let result = try await HeraldProcess.run(
            [
                "-w", sandbox.workspace, "site", "--out", "\(sandbox.folder.path)/site", "--snapshot", path, "--lists",
                "skip",
            ], environment: ["HERALD_STATE": "\(sandbox.folder.path)/nowhere/state.sqlite", "FCM_EMULATOR_HOST": host])
        try #require(result.status == 0, "\(result.errors)")
        let files = try Self.files(sandbox)
        #expect(files["index.html"]?.contains("the snapshot of") == true)
        #expect(files["campaigns/to-all.html"]?.contains("5 accepted") == true)
        // With the memberships.
        #expect(files["runs.html"]?.contains("9 accepted") == true)
        #expect(files.keys.contains { $0.hasPrefix("runs/") } == false)
        #expect(FileManager.default.fileExists(atPath: "\(sandbox.folder.path)/nowhere") == false)
        await sandbox.end()
    }

    // MARK: Changes

    private static func seconds(daysBefore days: Int) throws -> Int {
        let now = try #require(Date(rfc3339: at))
        return Int(now.timeIntervalSince1970) - days * 86_400
    }

    @Test func `changes are those of the last 30 days, whatever a commit says`() async throws {
        let sandbox = try Self.sandbox()
        try await sandbox.git(["init", "-q"])
        try await sandbox.commit("older than a month", at: try Self.seconds(daysBefore: 40))
        try sandbox.folder.write(
            Self.daily.replacing("High tide", with: "Low tide"), to: "workspace/daily.yaml")
        let hostile =
            "</script><b>\u{202E}\u{1}\u{1B}[31m \(Registration.fid(1).rawValue) " + String(repeating: "w", count: 900)
        try await sandbox.commit(hostile, at: try Self.seconds(daysBefore: 3))
        try await sandbox.commit("of tomorrow", at: try Self.seconds(daysBefore: -1))
        let result = try await Self.write(sandbox)
        try #require(result.status == 0, "\(result.errors)")
        let page = try #require(try Self.files(sandbox)["changes.html"])
        #expect(page.contains("Low tide") && page.contains("../campaigns/daily.html") == false)
        #expect(page.contains("href=\"campaigns/daily.html\""))
        #expect(page.contains("&lt;/script&gt;&lt;b&gt;") && !page.contains("\u{202E}") && !page.contains("\u{1B}"))
        #expect(!page.contains("older than a month") && !page.contains("of tomorrow"))
        #expect(!page.contains(Registration.fid(1).rawValue))
    }

    @Test func `a configuration of the repository runs nothing`() async throws {
        let sandbox = try Self.sandbox()
        try await sandbox.git(["init", "-q"])
        try await sandbox.commit("one", at: try Self.seconds(daysBefore: 2))
        for key in [
            "core.fsmonitor", "core.pager", "gpg.program", "diff.external", "core.sshCommand", "alias.rev-list",
        ] {
            try await sandbox.git(["config", key, "touch \(sandbox.folder.path)/ran; false"])
        }
        try await sandbox.git(["config", "log.showSignature", "true"])
        #expect(try await Self.write(sandbox).status == 0)
        #expect(FileManager.default.fileExists(atPath: "\(sandbox.folder.path)/ran") == false)
        #expect(try Self.files(sandbox)["changes.html"]?.contains("one") == true)
    }

    @Test func `without git, without commits, in a shallow copy and where git refuses it says so`() async throws {
        let sandbox = try Self.sandbox()
        #expect(try await Self.write(sandbox).status == 0)
        #expect(try Self.files(sandbox)["changes.html"]?.contains("in no git repository") == true)
        try await sandbox.git(["init", "-q"])
        #expect(try await Self.write(sandbox).status == 0)
        #expect(try Self.files(sandbox)["changes.html"]?.contains("git does not list the commits") == true)
        try await sandbox.commit("one", at: try Self.seconds(daysBefore: 40))
        try await sandbox.commit("two", at: try Self.seconds(daysBefore: 2))
        try await sandbox.git(
            ["clone", "-q", "--depth", "1", "file://\(sandbox.workspace)", "\(sandbox.folder.path)/shallow"])
        let result = try await HeraldProcess.run(
            [
                "-w", "\(sandbox.folder.path)/shallow", "site", "--out", "\(sandbox.folder.path)/other", "--at",
                Self.at, "--lists", "skip",
            ], environment: sandbox.environment("127.0.0.1:9"))
        try #require(result.status == 0, "\(result.errors)")
        #expect(try Self.files(sandbox, in: "other")["changes.html"]?.contains("is shallow") == true)
        try await sandbox.makeUnreadable()
        #expect(try await Self.write(sandbox).status == 0)
        #expect(try Self.files(sandbox)["changes.html"]?.contains("git does not read the repository") == true)
    }
}
