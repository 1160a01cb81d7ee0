import FCM
import Foundation
import HeraldTestSupport
import Testing

/// `state copy` as a process that ends at any moment: at most one of the two places can be used, and the same command
/// completes it.
@Suite(
    .serialized,
    .enabled(if: PostgresTestServer.isInstalled && StateFault.isAvailable, "PostgreSQL and Linux are needed"))
struct StateCopyCommandTests {
    /// A state after an apply, in a file and in a database.
    private struct Origin {
        let sandbox: Sandbox
        let database: (name: String, address: String)

        init() async throws {
            var files = Sandbox.small(count: 30, subscribers: 10)
            files["workspace/herald.yaml"] = try #require(files["workspace/herald.yaml"]).replacing(
                "herald: 1", with: "herald: 2\nworkspace: tide")
            sandbox = try Sandbox(files)
            database = try await PostgresTestServer.newDatabase()
            let (_, host) = try await sandbox.startEmulator()
            let applied = try await sandbox.herald("apply --auto-approve", host: host)
            try #require(applied.status == 0, "\(applied.errors)")
            try FileManager.default.copyItem(atPath: sandbox.statePath, toPath: "\(sandbox.folder.path)/copied.sqlite")
            let copied = try await run(
                ["state", "copy", "--to", database.address], at: "\(sandbox.folder.path)/copied.sqlite")
            try #require(copied.status == 0, "\(copied.errors)")
            await sandbox.end()
        }

        func run(
            _ arguments: [String], at state: String, _ environment: [String: String] = [:]
        ) async throws -> ChildProcess.Result { try await start(arguments, at: state, environment).wait() }

        func start(
            _ arguments: [String], at state: String, _ environment: [String: String] = [:]
        ) throws -> ChildProcess {
            try HeraldProcess.start(
                ["-w", sandbox.workspace] + arguments,
                environment: ["HERALD_STATE": state, "FCM_EMULATOR_HOST": "127.0.0.1:9"].merging(environment) { $1 })
        }

        func shown(at state: String) async throws -> String? {
            let result = try await run(["state", "show", "--format", "json"], at: state)
            return result.status == 0 ? result.output : nil
        }

        /// What broke the promise after a copy that was cut short.
        func problems(from source: String, to destination: String, _ expected: String) async throws -> [String] {
            let usable = [try await shown(at: source), try await shown(at: destination)].compactMap(\.self)
            if usable.count > 1 { return ["both can be used"] }
            if usable.contains(where: { $0 != expected }) { return ["what can be used is not the state"] }
            var again = try await run(["state", "copy", "--to", destination], at: source)
            if again.status == 5 {
                // A lease of the process that is gone.
                let words = try await run(["state", "lock"], at: source).output.split(separator: " ")
                _ = try await run(["state", "unlock", String(words[1]), "--auto-approve"], at: source)
                again = try await run(["state", "copy", "--to", destination], at: source)
            }
            if again.status != 0 { return ["the same command: \(again.status) \(again.errors)"] }
            if try await shown(at: destination) != expected { return ["the copy is not the state"] }
            return try await shown(at: source) == nil ? [] : ["the source is not sealed"]
        }
    }

    private func path(_ origin: Origin) -> String { "\(origin.sandbox.folder.path)/\(UUID().uuidString).sqlite" }

    @Test func `from a file to a database`() async throws {
        let origin = try await Origin()
        let expected = try #require(try await origin.shown(at: origin.sandbox.statePath))
        func scene() async throws -> (source: String, destination: (name: String, address: String)) {
            let source = path(origin)
            try FileManager.default.copyItem(atPath: origin.sandbox.statePath, toPath: source)
            return (source, try await PostgresTestServer.newDatabase())
        }
        // Each call on the file.
        let (first, target) = try await scene()
        let trace = "\(origin.sandbox.folder.path)/trace"
        let whole = try await origin.run(
            ["state", "copy", "--to", target.address], at: first, StateFault.environment(state: first, trace: trace))
        #expect(whole.status == 0, "\(whole.errors)")
        let calls = RecordCall.all(in: try origin.sandbox.folder.read("trace"))
        let boundaries = calls.indices.filter { calls[$0].isBoundary }.map { $0 + 1 }
        #expect(!boundaries.isEmpty)
        for call in boundaries {
            for fault in [StateFault.killBefore, .killAfter] {
                let (source, destination) = try await scene()
                let environment = StateFault.environment(fault, at: call, state: source)
                _ = try await origin.run(["state", "copy", "--to", destination.address], at: source, environment)
                let problems = try await origin.problems(from: source, to: destination.address, expected)
                #expect(problems.isEmpty, "\(fault) at call \(call)")
            }
        }
        // Each piece that goes to the database.
        try await sweepPieces { proxy, target in
            let (source, destination) = try await scene()
            let through = "postgresql://herald@/\(destination.name)?host=\(proxy.folder)"
            // The note in the source names the address, so the same one completes it.
            return (source, through, { try await origin.problems(from: source, to: through, expected) })
        } run: {
            try origin.start(["state", "copy", "--to", $1], at: $0)
        }
    }

    @Test func `from a database to a file, and to another database`() async throws {
        let origin = try await Origin()
        let expected = try #require(try await origin.shown(at: origin.database.address))
        for toFile in [true, false] {
            try await sweepPieces { proxy, _ in
                let source = "db_\(UUID().uuidString.prefix(8).lowercased())"
                try await PostgresTestServer.ask(
                    "CREATE DATABASE \(source) TEMPLATE \(origin.database.name)",
                    at: origin.database.address.replacing(origin.database.name, with: "postgres"))
                let address = "postgresql://herald@/\(source)?host=\(proxy.folder)"
                let destination =
                    toFile
                    ? path(origin)
                    : "postgresql://herald@/\(try await PostgresTestServer.newDatabase().name)?host=\(proxy.folder)"
                return (address, destination, { try await origin.problems(from: address, to: destination, expected) })
            } run: {
                try origin.start(["state", "copy", "--to", $1], at: $0)
            }
        }
    }

    /// Ends the command before and after pieces of what it sends to servers, spread over all of it.
    private func sweepPieces(
        _ scene: (PostgresProxy, Int) async throws -> (
            source: String, destination: String, problems: () async throws -> [String]
        ), run: (String, String) throws -> ChildProcess
    ) async throws {
        let counter = try PostgresProxy()
        let counted = try await scene(counter, 0)
        let whole = await (try run(counted.source, counted.destination)).wait()
        try #require(whole.status == 0, "\(whole.errors)")
        let pieces = counter.pieces
        #expect(pieces > 10)
        for piece in stride(from: 1, through: pieces, by: max(1, pieces / 16)) {
            let proxy = try PostgresProxy()
            let drawn = try await scene(proxy, piece)
            let command = Later<ChildProcess>()
            proxy.act(at: piece, before: piece % 2 == 0) { command.value.signal(SIGKILL) }
            command.value = try run(drawn.source, drawn.destination)
            _ = await command.value.wait()
            let problems = try await drawn.problems()
            #expect(problems.isEmpty, "killed \(piece % 2 == 0 ? "before" : "after") piece \(piece) of \(pieces)")
        }
    }
}
