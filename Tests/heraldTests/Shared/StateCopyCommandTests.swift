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
    struct Origin {
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
            // Each copy that begins leaves a stamp.
            let lines = result.output.split(separator: "\n").filter { !$0.contains("\"serial\"") }
            return result.status == 0 ? lines.joined(separator: "\n") : nil
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

    /// A copy that is cut short.
    struct Cut: CustomStringConvertible, Sendable {
        enum Kind: String, CaseIterable { case fileToDatabase, databaseToFile, databaseToDatabase }
        enum Place {
            /// At that call on the file it is made from.
            case call(Int, StateFault)
            /// At that piece of what it sends to servers.
            case piece(Int, isBefore: Bool)
            case nowhere
        }

        let origin: Origin
        let kind: Kind
        let place: Place

        /// The same copy whole: how many pieces it sends, and the calls on the file.
        func measured() async throws -> (pieces: Int, calls: [RecordCall]) {
            let proxy = try PostgresProxy()
            let (source, destination) = try await places(proxy)
            let trace = "\(origin.sandbox.folder.path)/trace"
            let environment = kind == .fileToDatabase ? StateFault.environment(state: source, trace: trace) : [:]
            let whole = try await origin.run(["state", "copy", "--to", destination], at: source, environment)
            try #require(whole.status == 0, "\(whole.errors)")
            let calls = kind == .fileToDatabase ? RecordCall.all(in: try origin.sandbox.folder.read("trace")) : []
            return (proxy.pieces, calls)
        }

        /// What broke the promise.
        func problems(_ expected: String) async throws -> [String] {
            let proxy = try PostgresProxy()
            let (source, destination) = try await places(proxy)
            let command = Later<ChildProcess>()
            var environment: [String: String] = [:]
            switch place {
            case .call(let call, let fault): environment = StateFault.environment(fault, at: call, state: source)
            case .piece(let piece, let isBefore):
                proxy.act(at: .piece(piece), before: isBefore) { command.value.signal(SIGKILL) }
            case .nowhere: break
            }
            command.value = try origin.start(["state", "copy", "--to", destination], at: source, environment)
            _ = await command.value.wait()
            return try await origin.problems(from: source, to: destination, expected)
        }

        /// A copy of the origin, and a place for another. The note in the source names the address, so that the same one
        /// completes it.
        private func places(_ proxy: PostgresProxy) async throws -> (source: String, destination: String) {
            func address(_ name: String) -> String { "postgresql://herald@/\(name)?host=\(proxy.folder)" }
            let file = "\(origin.sandbox.folder.path)/\(UUID().uuidString).sqlite"
            if kind == .fileToDatabase {
                try FileManager.default.copyItem(atPath: origin.sandbox.statePath, toPath: file)
                return (file, address(try await PostgresTestServer.newDatabase().name))
            }
            let source = "db_\(UUID().uuidString.prefix(8).lowercased())"
            try await PostgresTestServer.ask(
                "CREATE DATABASE \(source) TEMPLATE \(origin.database.name)",
                at: origin.database.address.replacing(origin.database.name, with: "postgres"))
            // As after 'apply --override state_moved'.
            try await PostgresTestServer.ask(
                "UPDATE herald.server SET place = NULL",
                at: origin.database.address.replacing(origin.database.name, with: source))
            let isFile = kind == .databaseToFile
            return (address(source), isFile ? file : address(try await PostgresTestServer.newDatabase().name))
        }

        var description: String { "\(kind), killed at \(place)" }
    }

    @Test(arguments: Cut.Kind.allCases) func `a copy that is killed is completed by the same command`(
        _ kind: Cut.Kind
    ) async throws {
        try await sweep(kind, points: 5)
    }

    @Test(.enabled(if: Torture.seconds != nil, "make torture")) func `torture by copies cut short`() async throws {
        for kind in Cut.Kind.allCases { try await sweep(kind, points: .max) }
    }

    /// Ends the command at points spread over all of it.
    private func sweep(_ kind: Cut.Kind, points: Int) async throws {
        let origin = try await Origin()
        let place = kind == .fileToDatabase ? origin.sandbox.statePath : origin.database.address
        let expected = try #require(try await origin.shown(at: place))
        let (pieces, calls) = try await Cut(origin: origin, kind: kind, place: .nowhere).measured()
        #expect(pieces > 10)
        let boundaries = calls.indices.filter { calls[$0].isBoundary }.map { $0 + 1 }
        #expect(kind != .fileToDatabase || !boundaries.isEmpty)
        var places = boundaries.suffix(points).enumerated().map { number, call in
            Cut.Place.call(call, number % 2 == 0 ? .killBefore : .killAfter)
        }
        places += stride(from: 1, through: pieces, by: max(1, pieces / points)).map {
            .piece($0, isBefore: $0 % 2 == 0)
        }
        await fewAtATime(places.map { Cut(origin: origin, kind: kind, place: $0) }) { try await $0.problems(expected) }
    }
}
