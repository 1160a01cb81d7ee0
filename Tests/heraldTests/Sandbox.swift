import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

/// A workspace, a state and an emulator for one test.
final class Sandbox: Sendable {
    let folder: TemporaryFolder
    private let emulators: Emulators
    /// What HERALD_STATE says.
    private let state: String

    /// The emulator processes, which end with the sandbox, also if its test throws before it ends them.
    private final class Emulators: Sendable {
        private let running = Mutex<[ChildProcess]>([])

        var all: [ChildProcess] { running.withLock(\.self) }

        func add(_ emulator: ChildProcess) { running.withLock { $0.append(emulator) } }

        deinit { for emulator in all { emulator.signal(SIGTERM) } }
    }

    /// - Parameter database: The address of a database for the state, which is in a file otherwise.
    init(_ files: [String: String], database: String? = nil) throws {
        folder = try TemporaryFolder(files)
        state = database ?? "\(folder.path)/state.sqlite"
        emulators = Emulators()
    }

    var workspace: String { "\(folder.path)/workspace" }
    var statePath: String { "\(folder.path)/state.sqlite" }

    /// Starts an emulator that writes its ledger to `ledger`. Returns where it listens.
    func startEmulator(
        ledger: String = "ledger.ndjson", _ options: String...
    ) async throws -> (process: ChildProcess, host: String) {
        try await startEmulator(arguments: ["emulator", "--ledger", "\(folder.path)/\(ledger)"] + options)
    }

    func startEmulator(arguments: [String]) async throws -> (process: ChildProcess, host: String) {
        let emulator = try HeraldProcess.start(arguments)
        emulators.add(emulator)
        let line = await emulator.firstLine()
        let host = try #require(line.split(separator: "=").last.map(String.init))
        return (emulator, host)
    }

    /// The port of `HOST:PORT`.
    static func port(of host: String) throws -> Int {
        try #require(host.split(separator: ":").last.flatMap { Int($0) })
    }

    func end() async {
        for emulator in emulators.all {
            emulator.signal(SIGTERM)
            _ = await emulator.wait()
        }
    }

    func environment(_ host: String?) -> [String: String] {
        var environment = ["HERALD_STATE": state]
        environment["FCM_EMULATOR_HOST"] = host
        return environment
    }

    /// - Parameter arguments: One argument each, or a whole line of them.
    func herald(_ arguments: String..., host: String? = "127.0.0.1:9") async throws -> ChildProcess.Result {
        let arguments = arguments.count == 1 ? arguments[0].split(separator: " ").map(String.init) : arguments
        return try await HeraldProcess.run(["-w", workspace] + arguments, environment: environment(host))
    }

    /// The report that the last apply wrote to that file.
    func report(_ name: String = "report.json") throws -> JSONValue {
        try JSONValue(parsing: Array(folder.read(name).utf8))
    }

    /// The state as `state show` prints it.
    func state() async throws -> JSONValue {
        try JSONValue(parsing: Array(try await herald("state", "show", "--format", "json").output.utf8))
    }

    /// How often each registration or topic was accepted, over all these ledgers.
    func accepted(in ledgers: [String]) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for ledger in ledgers {
            let text = (try? folder.read(ledger)) ?? ""
            for line in text.split(separator: "\n") {
                let entry = try JSONValue(parsing: Array(line.utf8))
                let target = try #require(entry["target"]?.object?.first)
                counts[try #require(target.value.string), default: 0] += 1
            }
        }
        return counts
    }
}

extension Sandbox {
    /// Settings for an apply that runs as fast as it can.
    static let settings = """
        herald: 1
        project: demo-project
        fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, max_in_flight: \(inFlight)}

        """

    /// The number of exchanges that herald has in flight over HTTP/1.1.
    static let inFlight = 16

    /// An audience of `count` fids that gets a message of its own, and a topic with `subscribers` of them.
    static func small(count: Int, subscribers: Int) -> [String: String] {
        let all = (1...count).map { Registration.fid($0).rawValue }
        return [
            "workspace/herald.yaml": settings,
            "workspace/all.txt": all.joined(separator: "\n") + "\n",
            "workspace/some.txt": all.prefix(subscribers).joined(separator: "\n") + "\n",
            "workspace/resources.yaml": """
            kind: audience
            name: all
            source: {file: all.txt}
            ---
            kind: audience
            name: some
            source: {file: some.txt}
            ---
            kind: topic
            name: news
            subscribers: [some]
            ---
            kind: campaign
            name: to-all
            target: {audience: all}
            message: {notification: {title: Hello, body: To each of you}}
            ---
            kind: campaign
            name: to-topic
            target: {topic: news}
            message: {notification: {title: Hello, body: To all who follow}}

            """,
        ]
    }
}

/// A report's figures, checked against promise 2.
struct Account {
    var planned = 0
    var accepted = 0
    var unknown = 0
    var pending = 0
    var addsUp = true

    /// - Parameter steps: Counts only the steps whose ID has this prefix.
    init(_ report: JSONValue, steps prefix: String = "") {
        for step in report["steps"]?.array ?? [] where step["id"]?.string?.hasPrefix(prefix) == true {
            let figure = { (name: String) in Int(step[name]?.int ?? -1) }
            let parts = ["accepted", "rejected", "unknown", "skipped", "held", "pending"].map(figure)
            if parts.contains(where: { $0 < 0 }) || parts.reduce(0, +) != figure("planned") { addsUp = false }
            planned += figure("planned")
            accepted += figure("accepted")
            unknown += figure("unknown")
            pending += figure("pending")
        }
    }
}

/// Asks until it is true, or fails after a limit that a busy machine does not reach.
func eventually(_ isSo: () async throws -> Bool) async throws {
    let begin = ContinuousClock.now
    while try await !isSo() {
        try #require(ContinuousClock.now - begin < .seconds(120), "it did not come about")
        try await Task.sleep(for: .milliseconds(20))
    }
}
