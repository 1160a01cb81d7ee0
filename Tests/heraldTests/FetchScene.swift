import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// A workspace with a campaign to an audience `members`, whose list herald fetches.
struct FetchScene {
    let folder: TemporaryFolder
    var variables: [String: String]

    init() throws {
        folder = try TemporaryFolder(["workspace/herald.yaml": "herald: 2\nproject: demo-project\n"])
        variables = [
            "HERALD_STATE": "\(folder.path)/state.sqlite", "HERALD_ALLOW_COMMANDS": "/nowhere/sh:/bin/sh",
            "HERALD_SOURCE_VARS": "CITY,SECRET", "CITY": "Ostia", "SECRET": "s3cret", "OTHER": "other",
            "FCM_EMULATOR_HOST": "127.0.0.1:9",
        ]
    }

    /// - Parameters:
    ///   - source: the keys of `source`, each on a line of its own.
    ///   - keys: other keys of the audience.
    ///   - rest: other documents.
    func declare(
        _ source: String, keys audienceKeys: String = "", name: String = "members", and rest: String = ""
    ) throws {
        let keys = source.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
        try folder.write(
            """
            kind: audience
            name: \(name)
            source:
              \(keys)
            \(audienceKeys)
            ---
            kind: campaign
            name: hello
            target: {audience: \(name)}
            message: {notification: {title: Hello}}
            \(rest.isEmpty ? "" : "---\n\(rest)")

            """, to: "workspace/sub/files.yaml")
    }

    func herald(_ arguments: String...) async throws -> ChildProcess.Result {
        try await HeraldProcess.run(["-w", "\(folder.path)/workspace"] + arguments, environment: variables)
    }

    func start(_ arguments: String...) throws -> ChildProcess {
        try HeraldProcess.start(["-w", "\(folder.path)/workspace"] + arguments, environment: variables)
    }

    /// Fetches where no file can be larger than 32 KiB, which is to herald as if the disk were full.
    func fetchOnFullDisk() async throws -> ChildProcess.Result {
        try await ChildProcess(
            "/bin/sh",
            [
                "-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "sh", HeraldProcess.program, "-w",
                "\(folder.path)/workspace", "fetch",
            ], environment: variables.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        ).wait()
    }

    #if os(Linux)
        /// On one of the cores that it may use, for at most a minute of its time.
        ///
        /// - Parameter others: how many busy processes share the core. Each ends after two seconds of it.
        func startOnOneCore(_ arguments: String..., besides others: Int = 0) throws -> ChildProcess {
            let busy = String(
                repeating: "taskset -c \"$core\" sh -c 'ulimit -t 2; while :; do :; done' >/dev/null 2>&1 & ",
                count: others)
            let script =
                "set -e; core=$(taskset -pc $$); core=${core##* }; core=${core%%[-,]*}; ulimit -t 60; \(busy)"
                + "exec taskset -c \"$core\" \"$@\""
            return try ChildProcess(
                "/bin/sh", ["-c", script, "sh", HeraldProcess.program, "-w", "\(folder.path)/workspace"] + arguments,
                environment: variables.merging(["PATH": "/usr/bin:/bin"]) { $1 })
        }
    #endif

    /// Starts a fetch of `members`, and sends it a signal once a part of the list has come.
    func fetch(until signal: Int32) async throws -> ChildProcess.Result {
        let draft = "\(folder.path)/workspace/.herald/lists/members.csv.new"
        // One that was killed may have left it.
        unlink(draft)
        let (process, begin) = (try start("fetch"), ContinuousClock.now)
        let size = { (try? FileManager.default.attributesOfItem(atPath: draft))?[.size] as? Int ?? 0 }
        while size() == 0, ContinuousClock.now - begin < .seconds(60) {}
        process.signal(signal)
        return await process.wait()
    }

    /// Expects that a fetch which dies, or is stopped, while the list comes leaves the last one whole.
    ///
    /// - Parameter isPlanned: whether a plan takes the last one.
    func expectWholeWhenStopped(isPlanned: Bool = true) async throws {
        let (list, note) = (list, note)
        #expect(list != nil)
        let killed = try await fetch(until: SIGKILL)
        #expect(killed.status != 0 && killed.status != 4)
        #expect(self.list == list && self.note == note)
        #expect(try await herald("plan").status == (isPlanned ? 0 : 1))
        let stopped = try await fetch(until: SIGTERM)
        #expect(stopped.status == 143, "\(stopped.errors)")
        #expect(self.list == list && self.note == note)
        #expect(files == [".lock", "members.csv", "members.json"])
    }

    /// The list that plans read.
    var list: String? { list("members") }

    func list(_ name: String) -> String? { try? folder.read("workspace/.herald/lists/\(name).csv") }

    var note: String? { try? folder.read("workspace/.herald/lists/members.json") }

    /// What is in the folder of lists.
    var files: [String] {
        let path = "\(folder.path)/workspace/.herald/lists"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    static func fid(_ number: Int) -> String { Registration.fid(number).rawValue }
}
