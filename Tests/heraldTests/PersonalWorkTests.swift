import FCM
import Foundation
import HeraldTestSupport
import Testing

/// `herald apply` and `herald work` send a personal campaign together: everybody gets their own values, which are in one
/// table while the send goes on, and nowhere afterwards.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct PersonalWorkTests {
    private static let recipients = 1...2000
    /// In every name, and nowhere else.
    private static let marker = "Quetzal"

    private static func name(_ number: Int) -> String { "\(marker)-\(number) \"é\"" }

    private static let files: [String: String] = [
        "workspace/herald.yaml": """
        herald: 2
        workspace: tide
        project: demo-project
        fcm: {rate: 2000/s, ramp: 0s, max_in_flight: \(Sandbox.inFlight)}

        """,
        "workspace/members.csv": "fid,name,locale\n"
            + recipients.map { number in
                let name = name(number).replacing("\"", with: "\"\"")
                return "\(Registration.fid(number).rawValue),\"\(name)\",\(number % 2 == 0 ? "it" : "en")\n"
            }.joined(),
        "workspace/resources.yaml": """
        kind: audience
        name: members
        source: {file: members.csv}
        fields: {name: {max: 40}, locale: {type: locale}}
        ---
        kind: campaign
        name: mine
        target: {audience: members}
        personal: {fields: [name], locale: locale, default_locale: en}
        message: {notification: {title: "Hi {{ name }}", body: Tide}}
        locales: {it: {notification: {title: "Ciao {{ name }}"}}}

        """,
        // Slow enough for others to join.
        "slow.json": #"[{"match":{"service":"send"},"do":{"delay_ms":150}}]"#,
    ]

    /// The tables that have a name somewhere, as text or as bytes.
    private static let search = """
        SELECT coalesce(string_agg(tablename, ' '), '') FROM pg_tables WHERE schemaname = 'herald' AND (
            xpath('/row/found/text()', query_to_xml(format(
                'SELECT count(*) AS found FROM herald.%I AS line WHERE line::text ~ ''\(marker)|\(hexadecimal)''',
                tablename), false, true, '')))[1]::text::bigint > 0
        """

    private static let hexadecimal = marker.utf8.map { String($0, radix: 16) }.joined()

    /// A campaign that is being sent.
    private struct Scene {
        let sandbox: Sandbox
        let address: String
        let host: String
        let apply: ChildProcess
        let workers: [ChildProcess]

        /// Waits until everybody has sent some.
        init(workers helpers: Int) async throws {
            (sandbox, address) = try await Sandbox.shared(PersonalWorkTests.files)
            host = try await sandbox.startEmulator("--faults", "\(sandbox.folder.path)/slow.json").host
            #expect(try await sandbox.herald("state init", host: host).status == 0)
            let environment = sandbox.environment(host).merging(["HERALD_LEASE_SPEED": "6"]) { $1 }
            workers = try (0..<helpers).map { _ in
                try HeraldProcess.start(
                    ["work", "--project", "demo-project", "--max-in-flight", "\(Sandbox.inFlight)"],
                    environment: environment)
            }
            let address = address
            func count(_ what: String) async throws -> String {
                try await PostgresTestServer.ask("SELECT count(*) FROM herald.\(what)", at: address)
            }
            try await eventually { try await count("worker") == "\(helpers)" }
            apply = try HeraldProcess.start(
                ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", "\(sandbox.folder.path)/report.json"],
                environment: environment)
            try await eventually {
                try await count("job_part WHERE accepted_count > 0") == "\(helpers + 1)"
            }
        }

        /// The tables that have a value.
        func tablesWithValues() async throws -> String {
            try await PostgresTestServer.ask(PersonalWorkTests.search, at: address)
        }
    }

    @Test func `all help, everybody gets their own text, and no value stays or shows`() async throws {
        let scene = try await Scene(workers: 2)
        let sandbox = scene.sandbox
        #expect(try await scene.tablesWithValues() == "job_row")
        var shown = ""
        for command in ["state show", "state show --format json", "state find \(Registration.fid(7).rawValue)"] {
            let result = try await sandbox.herald(command, host: scene.host)
            #expect(result.status == 0, "\(command): \(result.errors)")
            shown += result.output + result.errors
        }
        let ended = await scene.apply.wait()
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        shown += ended.output + ended.errors + (try sandbox.folder.read("report.json"))
        for worker in scene.workers {
            worker.signal(SIGTERM)
            let result = await worker.wait()
            #expect(result.errors.contains("mine@once: ") && !result.errors.contains("mine@once: 0 accepted"))
            shown += result.output + result.errors
        }
        #expect(!shown.contains(Self.marker) && !shown.contains(Self.hexadecimal))
        #expect(try await scene.tablesWithValues().isEmpty)
        try await check(try sandbox.report(), scene.host)
        await sandbox.end()
    }

    @Test func `what a killed run left is not copied, and does not stay where the state was`() async throws {
        let scene = try await Scene(workers: 1)
        let sandbox = scene.sandbox
        for process in [scene.apply] + scene.workers {
            process.signal(SIGKILL)
            _ = await process.wait()
        }
        #expect(try await sandbox.herald("state unlock \(try await sandbox.holder()) --auto-approve").status == 0)
        #expect(try await scene.tablesWithValues() == "job_row")
        // Its requests may still arrive. Until they cannot, no state moves.
        try await PostgresTestServer.ask("UPDATE herald.lease SET resend_from = now()", at: scene.address)
        let copy = "\(sandbox.folder.path)/copy.sqlite"
        let copied = try await sandbox.herald("state", "copy", "--to", copy)
        #expect(copied.status == 0, "\(copied.output)\(copied.errors)")
        #expect(try Data(contentsOf: URL(filePath: copy)).range(of: Data(Self.marker.utf8)) == nil)
        #expect(try await scene.tablesWithValues().isEmpty)
        await sandbox.end()
    }

    private func check(_ report: JSONValue, _ host: String) async throws {
        let account = Account(report)
        #expect(account.addsUp && account.accepted == Self.recipients.count)
        let step = try #require(report["steps"]?.array?.first)
        for locale in ["en", "it"] { #expect(step["locales"]?[locale]?["accepted"]?.int == 1000) }
        let titles = try await Control(host).ledger().compactMap { line in
            line["message"]?["notification"]?["title"]?.string.map { (line["target"]?["fid"]?.string ?? "", $0) }
        }
        let expected = Self.recipients.map { number in
            (Registration.fid(number).rawValue, "\(number % 2 == 0 ? "Ciao" : "Hi") \(Self.name(number))")
        }
        #expect(titles.sorted { $0 < $1 }.elementsEqual(expected.sorted { $0 < $1 }) { $0 == $1 })
    }
}
