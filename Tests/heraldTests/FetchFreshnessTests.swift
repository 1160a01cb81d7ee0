import FCM
import Foundation
import HeraldStore
import HeraldTestSupport
import Testing

/// How old fetched lists may be, and what a run does about it. The lists come from an empty SQLite file.
@Suite(.timeLimit(.minutes(5))) struct FetchFreshnessTests {
    private struct Scene {
        let sandbox: Sandbox

        init() throws {
            sandbox = try Sandbox(["workspace/herald.yaml": Sandbox.settings, "workspace/app.sqlite": ""])
        }

        /// - Parameter keys: other keys of the source.
        func declare(_ numbers: ClosedRange<Int>, _ keys: String, campaigns: [String] = ["hello"]) throws {
            let rows = numbers.map { "('\(FetchScene.fid($0))')" }.joined(separator: ", ")
            try sandbox.folder.write(
                """
                kind: audience
                name: members
                source:
                  sqlite: app.sqlite
                  query: query.sql
                  columns: {fid: column1}
                  \(keys)
                \(campaigns.map(Self.campaign).joined())
                """, to: "workspace/files.yaml")
            try sandbox.folder.write("VALUES \(rows)", to: "workspace/query.sql")
        }

        private static func campaign(_ name: String) -> String {
            "---\nkind: campaign\nname: \(name)\ntarget: {audience: members}\n"
                + "message: {notification: {title: \(name)}}\n"
        }

        func herald(_ arguments: String, _ host: String? = nil) async throws -> ChildProcess.Result {
            try await sandbox.herald(arguments, host: host ?? "127.0.0.1:9")
        }

        var list: String? { try? sandbox.folder.read("workspace/.herald/lists/members.csv") }

        /// Makes the last fetch so much older.
        func age(by seconds: Double) throws {
            let file = "workspace/.herald/lists/members.json"
            let text = try sandbox.folder.read(file)
            let time = try #require(text.firstMatch(of: #/"fetched":"([^"]+)"/#)?.output.1)
            let date = try #require(try? Date(String(time), strategy: .iso8601))
            let older = date.addingTimeInterval(-seconds).formatted(.iso8601)
            try sandbox.folder.write(text.replacing(time, with: older), to: file)
        }

        var rows: Int { (list ?? "").split(separator: "\n").count - 1 }

        /// How many pushes the emulator has taken.
        func sent() throws -> Int { try sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +) }
    }

    private static func later(_ seconds: Double) -> String {
        Date(timeIntervalSinceNow: seconds).formatted(.iso8601)
    }

    @Test func `plans say how old a list is, warn, and refuse, by the plan's time`() async throws {
        let scene = try Scene()
        try scene.declare(1...3, "fetch: {warn_after: 12h, error_after: 24h}")
        #expect(try await scene.herald("fetch").status == 0)
        let fresh = try await scene.herald("plan --detailed-exitcode")
        #expect(fresh.status == 2, "\(fresh.errors)")
        #expect(fresh.errors.contains(/age of fetched lists: members \d+ s/), "\(fresh.errors)")
        #expect(!fresh.errors.contains("stale-list"))

        let old = try await scene.herald("plan --detailed-exitcode --at \(Self.later(13 * 3600))")
        #expect(old.status == 2, "\(old.output)\(old.errors)")
        #expect(old.errors.contains("warning[stale-list]") && old.errors.contains("is 13 h old; the limit is 12h"))
        #expect(old.errors.contains("herald fetch members"))

        let stale = try await scene.herald("plan --detailed-exitcode --at \(Self.later(25 * 3600))")
        #expect(stale.status == 3, "\(stale.output)\(stale.errors)")
        #expect(stale.output.contains("stale_list") && stale.output.contains("is 25 h old; the limit is 1d"))
        #expect(try await scene.herald("validate").status == 0)
        // An hour before it was fetched, it was not old.
        #expect(try await scene.herald("plan --detailed-exitcode --at \(Self.later(-3600))").status == 2)
    }

    @Test func `the age is that of the data where the database tells it`() async throws {
        let scene = try Scene()
        for (query, words) in [
            ("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-2000 days', '-12 hours')", "is 2000 days old"),
            ("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-25 hours')", "is 25 h old"),
        ] {
            try scene.declare(1...3, "fetch: {error_after: 24h, loaded_at: \"\(query)\"}")
            let fetched = try await scene.herald("fetch")
            #expect(fetched.status == 0, "\(fetched.errors)")
            let plan = try await scene.herald("plan --detailed-exitcode")
            #expect(plan.status == 3, "\(plan.output)")
            #expect(plan.output.contains(words), "\(plan.output)")
        }
        // A time to come is not newer than the fetch.
        try scene.declare(1...3, "fetch: {error_after: 24h, loaded_at: \"SELECT '2999-01-01T00:00:00Z'\"}")
        #expect(try await scene.herald("fetch").status == 0)
        #expect(try await scene.herald("plan --detailed-exitcode").status == 2)
        #expect(try await scene.herald("plan --detailed-exitcode --at \(Self.later(25 * 3600))").status == 3)
        let list = scene.list
        for query in ["SELECT NULL", "SELECT 'yesterday'", "SELECT 1, 2", "SELECT 1 WHERE false", "VALUES (1), (2)"] {
            try scene.declare(5...9, "fetch: {error_after: 24h, loaded_at: \"\(query)\"}")
            let result = try await scene.herald("fetch")
            #expect(result.status == 4)
            #expect(result.errors.contains("'loaded_at'"), "\(result.errors)")
            #expect(scene.list == list)
        }
    }

    @Test func `a number of rows far from the usual one is refused until a person takes it`() async throws {
        let scene = try Scene()
        func fetch(_ count: Int, _ options: String = "") async throws -> ChildProcess.Result {
            try scene.declare(1...count, "expect: {max_row_change: 50%}")
            // The source is the same as long as its query is.
            try scene.sandbox.folder.write("SELECT column1 FROM rows", to: "workspace/query.sql")
            let rows = (1...count).map { "('\(FetchScene.fid($0))')" }.joined(separator: ", ")
            let made = try await ChildProcess(
                "/usr/bin/env",
                [
                    "sqlite3", "\(scene.sandbox.workspace)/app.sqlite",
                    "CREATE TABLE IF NOT EXISTS rows (column1); DELETE FROM rows; INSERT INTO rows VALUES \(rows)",
                ], environment: ["PATH": "/usr/bin:/bin"]
            ).wait()
            try #require(made.status == 0, "\(made.errors)")
            return try await scene.herald("fetch \(options)")
        }
        for (count, isTaken) in [(10, true), (15, true), (16, true), (8, true), (7, true), (23, false), (4, false)] {
            let result = try await fetch(count)
            #expect(result.status == (isTaken ? 0 : 4), "\(count): \(result.errors)")
            #expect(result.errors.contains("were usual") == !isTaken, "\(result.errors)")
            // Other lists must not be taken with it.
            #expect(result.errors.contains("'herald fetch members --force' takes it") == !isTaken, "\(result.errors)")
            if isTaken { #expect(scene.rows == count) } else { #expect(scene.rows == 7) }
        }
        // It is looked at first, and plans do not see it.
        let looked = try await fetch(40, "--force --out \(scene.sandbox.folder.path)/look")
        #expect(looked.status == 0, "\(looked.errors)")
        #expect(scene.rows == 7)
        #expect(try scene.sandbox.folder.read("look/members.csv").split(separator: "\n").count == 41)
        #expect(try await fetch(40).status == 4)
        #expect(try await fetch(40, "--force").status == 0)
        #expect(scene.rows == 40)
        // What a person took is usual from then on.
        for (count, isTaken) in [(40, true), (21, true), (60, true), (16, false)] {
            #expect(try await fetch(count).status == (isTaken ? 0 : 4), "\(count)")
        }
        // This one would have been taken in any case: of 21 40 40 50 60 the one in the middle is 40.
        #expect(try await fetch(50, "--force").status == 0)
        #expect(try await fetch(22).status == 0)
        // Another query is another list.
        try scene.declare(1...40, "expect: {max_row_change: 50%}")
        #expect(try await scene.herald("fetch").status == 0)
    }

    @Test func `a run fetches what is due, goes on without what fails, and refuses what is too old`() async throws {
        let scene = try Scene()
        let (_, host) = try await scene.sandbox.startEmulator()
        let keys = "fetch: {every: 6h, error_after: 24h}"
        try scene.declare(1...3, keys)
        #expect(try await scene.herald("state init", host).status == 0)
        // Never fetched: the run fetches it.
        let first = try await scene.herald("run", host)
        #expect(first.status == 0, "\(first.errors)")
        #expect(try scene.sent() == 3)
        let idle = try await scene.herald("run", host)
        #expect(idle.status == 0)
        #expect(!idle.errors.contains("fetched 'members'"))
        let notDue = try await scene.herald("fetch")
        #expect(notDue.status == 0)
        #expect(notDue.errors.contains("is not due"), "\(notDue.errors)")
        #expect(try await scene.herald("fetch --force").errors.contains("fetched 'members'"))
        #expect(try await scene.herald("fetch members").errors.contains("fetched 'members'"))

        // It is due, and the database is broken: the last list does.
        try scene.age(by: 7 * 3600)
        try scene.sandbox.folder.write(String(repeating: "no database\n", count: 100), to: "workspace/app.sqlite")
        try scene.declare(1...3, keys, campaigns: ["hello", "second"])
        let failed = try await scene.herald("run", host)
        #expect(failed.status == 4, "\(failed.errors)")
        #expect(failed.errors.contains("'members' is not fetched"))
        #expect(try scene.sent() == 6)

        // Too old: every run refuses it, until the list is there or a person decides.
        try scene.age(by: 24 * 3600)
        try scene.declare(1...3, keys, campaigns: ["hello", "second", "third"])
        for number in 1...2 {
            let refused = try await scene.herald("run", host)
            #expect(refused.status == 3, "run \(number): \(refused.errors)")
            #expect(refused.errors.contains("guard stale_list"), "\(refused.errors)")
            #expect(try scene.sent() == 6)
        }
        let apply = try await scene.herald("apply --auto-approve", host)
        #expect(apply.status == 3)
        #expect(apply.errors.contains("herald fetch") && apply.errors.contains("--override stale_list=members"))
        #expect(try await scene.herald("apply --auto-approve --override stale_list=members", host).status == 0)
        #expect(try scene.sent() == 9)

        try scene.sandbox.folder.write("", to: "workspace/app.sqlite")
        try scene.declare(1...3, keys, campaigns: ["hello", "second", "third", "fourth"])
        let well = try await scene.herald("run", host)
        #expect(well.status == 0, "\(well.errors)")
        #expect(well.errors.contains("fetched 'members': 3 rows"), "\(well.errors)")
        #expect(try scene.sent() == 12)
        await scene.sandbox.end()
    }

    @Test func `what plans refuse is due, whatever 'every' says`() async throws {
        let scene = try Scene()
        let (_, host) = try await scene.sandbox.startEmulator()
        func declare(hours: Int) throws {
            let time = "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-\(hours) hours')"
            try scene.declare(1...3, "fetch: {every: 6h, error_after: 24h, loaded_at: \"\(time)\"}")
        }
        try declare(hours: 25)
        #expect(try await scene.herald("state init", host).status == 0)
        let held = try await scene.herald("run", host)
        #expect(held.status == 3 && held.errors.contains("guard stale_list"), "\(held.errors)")
        let apply = try await scene.herald("apply --auto-approve", host)
        #expect(apply.errors.contains("run 'herald fetch members'"), "\(apply.errors)")
        let fetched = try await scene.herald("fetch")
        #expect(fetched.status == 0 && fetched.errors.contains("fetched 'members'"), "\(fetched.errors)")
        #expect(try scene.sent() == 0)

        // The source has newer data.
        try declare(hours: 1)
        let run = try await scene.herald("run", host)
        #expect(run.status == 0 && run.errors.contains("fetched 'members'"), "\(run.errors)")
        #expect(try scene.sent() == 3)
        #expect(try await scene.herald("fetch").errors.contains("is not due"))
        await scene.sandbox.end()
    }

    @Test func `a clock that was fast does not make a list young`() async throws {
        let scene = try Scene()
        try scene.declare(1...3, "fetch: {every: 1h, error_after: 2h}")
        #expect(try await scene.herald("fetch").status == 0)
        // It was a year ahead when the list was fetched, and was set right.
        try scene.age(by: -365 * 86_400)
        let plan = try await scene.herald("plan --detailed-exitcode")
        #expect(plan.status == 3 && plan.output.contains("stale_list"), "\(plan.output)")
        #expect(plan.errors.contains("warning[stale-list]"), "\(plan.errors)")
        #expect(try await scene.herald("doctor --format json").output.contains("clock was fast"))
        #expect(try await scene.herald("fetch").errors.contains("fetched 'members'"))
        #expect(try await scene.herald("plan --detailed-exitcode").status == 2)
    }

    /// When the plan was made, the list was 23 hours old.
    @Test func `a saved plan is refused when a list has grown too old since`() async throws {
        let scene = try Scene()
        let (_, host) = try await scene.sandbox.startEmulator()
        try scene.declare(1...3, "fetch: {error_after: 24h}")
        #expect(try await scene.herald("state init", host).status == 0)
        #expect(try await scene.herald("fetch").status == 0)
        try scene.age(by: 25 * 3600)
        let path = "\(scene.sandbox.folder.path)/plan.json"
        let plan = try await scene.herald("plan --out \(path) --at \(Self.later(-2 * 3600))", host)
        #expect(plan.status == 0 && !plan.output.contains("stale_list"), "\(plan.output)\(plan.errors)")
        let refused = try await scene.herald("apply \(path)", host)
        #expect(refused.status == 3, "\(refused.output)\(refused.errors)")
        let now = try await scene.herald("apply --auto-approve", host)
        #expect(now.status == 3, "\(now.output)\(now.errors)")
        for words in [
            "guard stale_list: the list of audience 'members' is 25 h old; the limit is 1d",
            "--override stale_list=members",
        ] {
            #expect(refused.errors.contains(words), "\(refused.errors)")
            #expect(now.errors.contains(words), "\(now.errors)")
        }
        #expect(try scene.sent() == 0)
        let taken = try await scene.herald("apply \(path) --override stale_list=members", host)
        #expect(taken.status == 0, "\(taken.output)\(taken.errors)")
        #expect(try scene.sent() == 3)
        await scene.sandbox.end()
    }

    @Test func `a run takes the last list while another fetch is under way`() async throws {
        let scene = try Scene()
        let (_, host) = try await scene.sandbox.startEmulator()
        try scene.declare(1...3, "fetch: {every: 6h}")
        #expect(try await scene.herald("state init", host).status == 0)
        #expect(try await scene.herald("fetch").status == 0)
        try scene.age(by: 7 * 3600)
        let lock = open("\(scene.sandbox.workspace)/.herald/lists/.lock", O_RDWR | O_CLOEXEC)
        try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        let run = try await scene.herald("run", host)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("another 'herald fetch'"), "\(run.errors)")
        #expect(try scene.sent() == 3)
        #expect(try await scene.herald("fetch --force").status == 5)
        await scene.sandbox.end()
    }

    /// That one would stop for the new list.
    @Test(arguments: [("skip", 0), ("fail", 5)] as [(String, Int32)])
    func `a run fetches nothing while another run works`(_ ifLocked: String, _ status: Int32) async throws {
        let scene = try Scene()
        let (_, host) = try await scene.sandbox.startEmulator()
        try scene.declare(1...3, "fetch: {every: 6h}")
        #expect(try await scene.herald("state init", host).status == 0)
        #expect(try await scene.herald("fetch").status == 0)
        try scene.age(by: 7 * 3600)
        let note = { try scene.sandbox.folder.read("workspace/.herald/lists/members.json") }
        let before = try note()
        var lock: RunLock? = try RunLock(for: scene.sandbox.statePath, run: "the-other-one")
        let run = try await scene.herald("run --if-locked \(ifLocked)", host)
        #expect(run.status == status, "\(run.errors)")
        #expect(try note() == before)
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(try await scene.herald("run", host).status == 0)
        #expect(try note() != before)
        #expect(try scene.sent() == 3)
        await scene.sandbox.end()
    }

    @Test func `a list that is in git does not count as fetched`() async throws {
        let scene = try Scene()
        try scene.declare(1...3, "fetch: {every: 6h}")
        #expect(try await scene.herald("fetch").status == 0)
        func git(_ arguments: String...) async throws {
            let result = try await ChildProcess(
                "/usr/bin/env", ["git", "-C", scene.sandbox.workspace] + arguments,
                environment: ["PATH": "/usr/bin:/bin", "HOME": scene.sandbox.folder.path]
            ).wait()
            try #require(result.status == 0, "\(result.errors)")
        }
        try await git("init", "-q")
        #expect(try await scene.herald("plan").status == 0)
        try await git("add", "-f", ".herald/lists/members.csv")
        for command in ["plan", "validate", "fetch --force", "apply --dry-run"] {
            let result = try await scene.herald(command)
            #expect(result.status == 1, "\(command)")
            #expect(result.errors.contains("git rm"), "\(command): \(result.errors)")
        }
        try await git("rm", "-q", "-r", "--cached", ".herald")
        #expect(try await scene.herald("plan").status == 0)
        try await scene.sandbox.makeUnreadable()
        let result = try await scene.herald("plan")
        #expect(result.status == 1 && result.errors.contains("safe.directory"), "\(result.errors)")
    }
}
