import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldTestSupport
import Logging
import Synchronization
import Testing

/// Nothing that herald prints or writes for people shows a registration, a key or a token in clear, unless it was asked to.
@Suite struct SecrecyTests {
    private typealias Line = (arguments: String, status: Int32)

    /// A workspace and an emulator that wants a sign-in, and what herald printed so far.
    private struct Scene {
        let sandbox: Sandbox
        let emulator: ChildProcess
        let host: String
        let authorities: String
        var texts: [(from: String, text: String)] = []
        /// The commands that were run, without their arguments.
        var commands: Set<String> = []
        /// Those that asked FCM which topics somebody follows.
        var askers: Set<String> = []
        private var questions = 0

        init() async throws {
            sandbox = try Sandbox([:])
            (emulator, host) = try await sandbox.startEmulator("--tls", "--require-sign-in")
            authorities = try #require(await emulator.firstLine().split(separator: "=").last.map(String.init))
            for (name, text) in Secrets.workspace(host, authorities: authorities) {
                try sandbox.folder.write(text, to: name)
            }
            try sandbox.folder.write(try ServiceAccountKey.file(tokens: "\(host)/token"), to: "key.json")
            let message =
                #"{"registration_ids": ["\#(Secrets.token(3))"], "data": {"\#(Secrets.fid(2))": 1}, "odd": 1}"#
            try sandbox.folder.write(message, to: "workspace/message.json")
        }

        var control: Control { get throws { try Control(host, trusting: authorities) } }

        /// Runs a line of arguments in which `FOLDER` stands for the folder.
        mutating func run(_ line: Line) async throws {
            let arguments = line.arguments.replacing("FOLDER", with: sandbox.folder.path).split(separator: " ")
            let result = try await HeraldProcess.run(
                ["-w", sandbox.workspace] + arguments.map(String.init), environment: sandbox.environment(nil))
            #expect(
                result.status == line.status, "\(line.arguments.prefix(30)): \(Registration.masking(result.errors))")
            texts.append((String(line.arguments.prefix(30)), result.output + result.errors))
            for count in 1...2 { commands.insert(arguments.prefix(count).joined(separator: " ")) }
            let questions = try await control.questions().count
            if questions > self.questions, let name = arguments.first { askers.insert(String(name)) }
            self.questions = questions
        }

        /// Expects no secret in what was printed and written, apart from the files that are meant to have them.
        func expectNoSecrets() throws {
            let kept = [
                "state.sqlite", "key.json", "ledger.ndjson", "backup.sqlite", "groups.csv", "workspace/",
                "dead.ndjson", "outcomes.ndjson",
            ]
            let files = try FileManager.default.subpathsOfDirectory(atPath: sandbox.folder.path)
                .filter { file in !kept.contains { file.hasPrefix($0) } }
                .compactMap { file in (try? sandbox.folder.read(file)).map { (from: file, text: $0) } }
            for (name, text) in texts + files {
                let found = try Secrets.found(in: text, state: sandbox.statePath)
                #expect(found.isEmpty, "\(name) shows a secret")
            }
            for file in try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path)
            where file.contains(".sqlite") {
                let bytes = try Data(contentsOf: URL(filePath: "\(sandbox.folder.path)/\(file)"))
                #expect(bytes.firstRange(of: Data(Secrets.value.utf8)) == nil, "\(file) has a value of a list")
            }
        }

        func written(_ name: String) throws -> String { try sandbox.folder.read(name) }
    }

    /// All formats of a command.
    private static func lines<Format: CaseIterable & RawRepresentable<String>>(
        _ arguments: String, in formats: Format.Type, _ status: Int32 = 0
    ) -> [Line] {
        Format.allCases.map { ("\(arguments) --format \($0.rawValue)", status) }
    }

    private static let before: [Line] =
        lines("validate", in: DiagnosticsFormat.self) + lines("plan", in: PlanFormat.self)
        + lines("preview --all", in: PreviewFormat.self) + lines("calendar", in: CalendarFormat.self)
        + lines("doctor", in: OutputFormat.self)
        + [
            ("fetch", 0), ("state init", 0), ("apply --dry-run --sample all --report FOLDER/dry.json", 0),
            ("plan --out FOLDER/plan.json", 0), ("review --out FOLDER/review", 0),
            ("approve FOLDER/review/plan.json --by Chris", 0),
        ]

    private static let after: [Line] =
        lines("plan", in: PlanFormat.self) + lines("state show", in: OutputFormat.self)
        + lines("state show to-all@once", in: OutputFormat.self)
        + lines("state find \(Secrets.fid(2))", in: OutputFormat.self)
        + lines("status", in: StatusFormat.self, 4)
        + lines("drift", in: DriftFormat.self) + [("import topic news --audience all", 4)]
        + lines("report FOLDER/report.json", in: ReportFormat.self)
        + [
            ("state show --check", 0), ("state export", 0), ("state export --dead", 0),
            ("state resolve to-some@once --accept", 0), ("run --metrics FOLDER/metrics --report FOLDER/run.json", 4),
            ("test to-all --to \(Secrets.fid(2)) \(Secrets.token(3)) --report FOLDER/test.json", 4), ("pause", 0),
            ("resume", 0), ("groups export family", 64), ("groups export --all --out FOLDER/groups.csv", 0),
            ("state snapshot --out FOLDER/snapshot.json", 0), ("plan --snapshot FOLDER/snapshot.json", 0),
            ("site --out FOLDER/site", 0), ("notify --test", 1),
            ("state lock", 0), ("state unlock nobody", 1), ("work --project \(Secrets.fid(2))", 1),
            ("state migrate", 0), ("state grants --reader ci", 1),
            ("state resolve --from FOLDER/report.json", 1),
            ("state backup FOLDER/backup.sqlite", 0), ("state forget \(Secrets.fid(4))", 0),
            ("state revive \(Secrets.fid(4))", 0), ("state rewind weekly", 1), ("state rm group:family", 0),
            ("state prune --older-than 1ms --auto-approve", 0), ("state erase \(Secrets.fid(6)) --auto-approve", 1),
            ("explain UNREGISTERED", 0), ("new campaign another --target topic:news", 0),
            ("convert FOLDER/workspace/message.json --name converted", 0), ("init FOLDER/other", 0),
            ("feedback --file FOLDER/dead.ndjson", 0), ("feedback --file FOLDER/outcomes.ndjson --outcomes", 0),
            ("new audience people --source postgres", 0),
        ]

    @Test func `no command shows a secret in any form, whatever FCM answers, and only two ask who follows what`()
        async throws
    {
        var scene = try await Scene()
        for line in Self.before { try await scene.run(line) }
        // One registration is dead, one refused, one of unknown outcome.
        try await scene.control.put([Registration(Secrets.fid(2))].compactMap(\.self), state: "unregistered")
        try await scene.control.put(faults: [
            ["match": ["registration": .string(Secrets.fid(4))], "do": ["code": "SENDER_ID_MISMATCH"]],
            ["match": ["registration": .string(Secrets.token(31))], "do": ["close": "after"]],
        ])
        try await scene.run(
            ("apply --auto-approve --report FOLDER/report.json --receipts FOLDER/receipts.ndjson", 6))
        for line in Self.after { try await scene.run(line) }
        try scene.expectNoSecrets()

        // The report tells of the registrations that had failures.
        let failures = try scene.sandbox.report()["steps"]?.array?.flatMap { $0["failures"]?.array ?? [] } ?? []
        let codes = Set(failures.compactMap { $0["code"]?.string })
        #expect(codes.isSuperset(of: ["UNREGISTERED", "SENDER_ID_MISMATCH"]))
        // The search finds what is there.
        let revealed = try await HeraldProcess.run(
            ["-w", scene.sandbox.workspace, "--reveal-registrations", "state", "export"],
            environment: scene.sandbox.environment(nil))
        #expect(try Secrets.found(in: revealed.output, state: scene.sandbox.statePath).count == 2)
        #expect(try Secrets.found(in: scene.written("key.json"), state: scene.sandbox.statePath).count > 2)

        try await scene.run(("state copy --to FOLDER/moved.sqlite", 0))
        let (name, text) = try #require(scene.texts.last)
        #expect(try Secrets.found(in: text, state: "\(scene.sandbox.folder.path)/moved.sqlite").isEmpty, "\(name)")

        scene.emulator.signal(SIGTERM)
        let ended = await scene.emulator.wait()
        #expect(try Secrets.found(in: ended.output + ended.errors, state: scene.sandbox.statePath).isEmpty)
        #expect(try await Self.commandNames().subtracting(scene.commands) == ["emulator"])
        #expect(scene.askers == ["drift", "import"])
    }

    /// The names of all commands, so that a new one cannot be left out here.
    private static func commandNames() async throws -> Set<String> {
        let help = try await HeraldProcess.run(["--experimental-dump-help"])
        let root = try JSONValue(parsing: help.output.utf8)["command"]
        func names(_ command: JSONValue, after prefix: String) -> [String] {
            guard let name = command["commandName"]?.string, name != "help" else { return [] }
            let inner = (command["subcommands"]?.array ?? []).flatMap { names($0, after: "\(prefix)\(name) ") }
            return inner.isEmpty ? [prefix + name] : inner
        }
        return Set((root?["subcommands"]?.array ?? []).flatMap { names($0, after: "") })
    }

    @Test func `no mistake in a file or in an argument shows a secret`() async throws {
        var scene = try await Scene()
        try await scene.run(("state init", 0))
        let wrong = [
            "state show", "state find", "state rm", "state rewind", "state resolve --accept", "groups export --out x",
            "test", "test to-all --audience", "preview", "pause", "resume", "plan --campaign", "plan --at",
            "plan --days",
            "plan --format", "apply", "apply --campaign", "apply --override", "apply --at", "apply --sample",
            "run --every", "run --if-locked", "calendar --at", "explain", "report", "new campaign --target",
            "new campaign x --target", "convert x --name y --target", "convert", "convert x --name",
            "state prune --older-than", "emulator --port", "state",
            "groups", "", "drift --topic", "drift --audience", "drift --sample", "drift --budget", "import topic",
            "import topic news --audience",
        ]
        for arguments in wrong {
            for secret in [Secrets.fid(9), Secrets.token(9)] {
                let result = try await HeraldProcess.run(
                    ["-w", scene.sandbox.workspace] + (arguments + " " + secret).split(separator: " ").map(String.init),
                    environment: scene.sandbox.environment(nil))
                #expect(result.status != 0, "\(arguments)")
                scene.texts.append((arguments, result.output + result.errors))
            }
        }
        for (name, text) in Secrets.mistakes { try scene.sandbox.folder.write(text, to: name) }
        for line in Self.lines("validate", in: DiagnosticsFormat.self, 1) { try await scene.run(line) }
        for arguments in ["plan", "apply --auto-approve", "run", "preview --all", "calendar"] {
            try await scene.run((arguments, 1))
        }
        let found = try #require(scene.texts.first { $0.from == "validate --format json" }).text
        #expect(try JSONValue(parsing: found.utf8)["diagnostics"]?.array.map { $0.count > 15 } == true)
        try scene.expectNoSecrets()
        await scene.sandbox.end()
    }

    @Test func `no log of the client has a secret, at any level`() async throws {
        let scene = try await Scene()
        let recorded = Recorder()
        let logger = Logger(label: "test") { _ in recorded }
        let credential = try Credential(file: try scene.written("key.json").utf8)
        let source = TokenSource(
            credential, timeout: .seconds(15), certificateAuthorities: scene.authorities, now: { Date() },
            logger: logger)
        let client = try FCMClient(
            endpoints: Endpoints(try Endpoint(scene.host)), project: Project(id: "demo-project"),
            certificateAuthorities: scene.authorities, authorization: source.authorization, logger: logger)
        let registration = try #require(Registration(Secrets.token(1)))
        let topic = try #require(TopicName(rawValue: "news"))
        // The second connection is made after the first one was cut.
        try await scene.control.put(faults: [["match": ["service": "topics", "first": 1], "do": ["close": "before"]]])
        for _ in 1...2 { _ = await client.exchange(.subscribe(registration, to: topic)) }
        _ = await client.exchange(.batch(.add, topic, [registration]))
        await client.shutdown()
        await source.shutdown()
        #expect(recorded.lines.contains { $0.contains("connection opened") })
        #expect(
            try Secrets.found(in: recorded.lines.joined(separator: "\n"), state: scene.sandbox.statePath).isEmpty)
        await scene.sandbox.end()
    }

    /// Keeps every message with its metadata.
    private final class Recorder: LogHandler {
        private let all = Mutex<[String]>([])

        var lines: [String] { all.withLock(\.self) }
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }
        subscript(metadataKey _: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) {
            let line = "\(event.message) \(event.metadata ?? [:]) \(event.error.map { "\($0)" } ?? "")"
            all.withLock { $0.append(line) }
        }
    }
}
