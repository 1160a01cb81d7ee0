import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// A state in PostgreSQL, an emulator, and processes that reach the state through a proxy of their own each.
final class SharedScene: Sendable {
    let drawn: SweepWorkspace
    let sandbox: Sandbox
    let host: String
    /// The way of the run under test.
    let proxy: PostgresProxy
    let workers: [Helper]
    /// Of the database itself.
    let address: String

    /// A process that helps.
    struct Helper: Sendable {
        let process: ChildProcess
        let proxy: PostgresProxy
    }

    /// Leases end so many times earlier than in earnest.
    private let speed: Int
    /// Leases outlast the 5 s for which the server lets a process stand still in the middle of a change, as in earnest.
    static let leaseSpeed = 4

    /// - Parameters:
    ///   - workers: how many processes help.
    ///   - servers: of the test's own, instead of the one that all tests share. Only the first is behind the proxies.
    ///   - speed: how many times earlier than in earnest leases end.
    init(
        _ drawn: SweepWorkspace, workers count: Int = 0, on servers: [PostgresCluster] = [],
        leaseSpeed speed: Int = Torture.leaseSpeed ?? SharedScene.leaseSpeed
    ) async throws {
        (self.drawn, self.speed) = (drawn, speed)
        let database: String
        if let server = servers.first {
            database = "db_\(UUID().uuidString.prefix(8).lowercased())"
            try await server.ask("CREATE DATABASE \(database)")
        } else {
            database = try await PostgresTestServer.newDatabase().name
        }
        func address(through folder: String?) throws -> String {
            let folders = try servers.isEmpty ? [PostgresTestServer.running().folder] : servers.map(\.folder)
            let hosts = ([folder ?? folders[0]] + folders.dropFirst()).joined(separator: ",")
            let primary = servers.count > 1 ? "&target_session_attrs=read-write" : ""
            return "postgresql://herald@/\(database)?host=\(hosts)\(primary)"
        }
        self.address = try address(through: nil)
        proxy = try PostgresProxy(to: servers.first?.folder)
        var files = drawn.files
        // Slow enough for others to join.
        files["slow.json"] = count > 0 ? #"[{"match":{"service":"send"},"do":{"delay_ms":40}}]"# : "[]"
        sandbox = try await Sandbox.shared(files, database: (database, try address(through: proxy.folder))).sandbox
        host = try await sandbox.startEmulator("--faults", "\(sandbox.folder.path)/slow.json").host
        let environment = ["FCM_EMULATOR_HOST": host, "HERALD_LEASE_SPEED": "\(speed)"]
        let made = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "state", "init"],
            environment: environment.merging(["HERALD_STATE": self.address]) { $1 })
        try #require(made.status == 0, "\(made.errors)")
        workers = try (0..<count).map { _ in
            let proxy = try PostgresProxy(to: servers.first?.folder)
            let process = try HeraldProcess.start(
                ["work", "--project", "demo-project", "--max-in-flight", "\(Sandbox.inFlight)"],
                environment: environment.merging(["HERALD_STATE": try address(through: proxy.folder)]) { $1 })
            return Helper(process: process, proxy: proxy)
        }
        try await joined()
    }

    /// Waits until all processes that help are there.
    func joined() async throws {
        let begin = ContinuousClock.now
        while try await PostgresTestServer.ask(
            "SELECT count(*) FROM herald.worker WHERE NOT conducts AND ends > now()", at: address)
            != "\(workers.count)"
        {
            try #require(ContinuousClock.now - begin < .seconds(120), "a worker does not join")
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    func end() async {
        for worker in workers {
            worker.proxy.letGo()
            worker.process.signal(SIGKILL)
            _ = await worker.process.wait()
        }
        proxy.letGo()
        await sandbox.end()
    }

    // MARK: Runs

    /// Starts a command that knows the state by this address, and by the proxy's otherwise.
    func start(_ arguments: [String], at address: String? = nil) throws -> ChildProcess {
        var environment = sandbox.environment(host)
        environment["HERALD_LEASE_SPEED"] = "\(speed)"
        environment["HERALD_STATE"] = address ?? environment["HERALD_STATE"]
        return try HeraldProcess.start(["-w", sandbox.workspace] + arguments, environment: environment)
    }

    /// The run under test.
    func apply() throws -> ChildProcess { try start(["apply", "--auto-approve"]) }

    /// A command that nothing disturbs.
    func herald(_ line: String) async throws -> ChildProcess.Result {
        try await start(line.split(separator: " ").map(String.init), at: address).wait()
    }

    /// Goes on as soon as it may.
    func goOn() async throws -> ChildProcess.Result { try await herald("run --if-locked wait=60s") }

    /// Runs until nothing is left to do. Returns what hinders that.
    func complete() async throws -> [String] {
        for _ in 0..<5 {
            let result = try await goOn()
            guard !result.wasKilled, [0, 4, 6].contains(result.status) else {
                return ["a run after it ended with \(result.status): \(result.output)\(result.errors)"]
            }
            if try await herald("plan --detailed-exitcode").status == 0 { return [] }
        }
        return ["after 5 runs there is still something to do"]
    }

    // MARK: What came of it

    func store() async throws -> any StateStore {
        let found = try PostgresAddress(PostgresSettings(address: address), isFromFile: false, environment: [:])
        return try await StateDatabase(
            found.server, StateBinding(project: "demo-project", endpoint: .emulator, workspace: "tide"),
            folder: "/none"
        ) { _ in }.open(for: .inspecting)
    }

    /// Who is accepted, as the state has it.
    func accepted() async throws -> [OccurrenceID: RecipientSet] {
        try await store().wholeState().occurrences.mapValues(\.accepted)
    }

    /// How many messages have arrived.
    func arrivals() async throws -> Int {
        try await Control(host).requests().count { Witness.Request($0)?.kind == .send }
    }

    /// How many messages of each campaign were accepted.
    func messages() async throws -> [String: Int] {
        let campaigns = try await Control(host).ledger().compactMap { $0["message"]?["data"]?["campaign"]?.string }
        return campaigns.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    func witness() async throws -> Witness {
        try await Witness(sandbox, host, of: try await store(), reports: "workspace/.herald/runs")
    }
}
