import FCM
import HeraldTestSupport
import Testing

/// A workspace whose topic `tides` has the people of a list, and an emulator.
struct AdoptionScene {
    static let isShared = PostgresTestServer.isInstalled ? [false, true] : [false]

    let sandbox: Sandbox
    let host: String
    let control: Control

    init(isShared: Bool) async throws {
        let files = [
            "workspace/herald.yaml": """
            herald: 1
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}
            guards: {max_unsubscribe_percent: 100}

            """
        ]
        sandbox = try await isShared ? Sandbox.shared(files).sandbox : Sandbox(files)
        (_, host) = try await sandbox.startEmulator()
        control = try Control(host)
        _ = try await herald("state init")
    }

    /// - Parameter keys: what the file of the topic says besides.
    func write(_ people: some Sequence<Int>, keys: String = "") throws {
        let list = people.map { Registration.fid($0).rawValue + "\n" }.joined()
        try sandbox.folder.write(list, to: "workspace/all.txt")
        try sandbox.folder.write(
            """
            {kind: audience, name: all, source: {file: all.txt}}
            ---
            {kind: topic, name: tides, subscribers: [all]\(keys)}

            """, to: "workspace/topics.yaml")
    }

    func herald(_ line: String) async throws -> String {
        let result = try await sandbox.herald(line, host: host)
        try #require(result.status == 0, "\(line): \(result.output)\(result.errors)")
        return result.output
    }

    func plan() async throws -> JSONValue {
        try JSONValue(parsing: Array(try await herald("plan --format json").utf8))
    }

    /// Applies the files. Returns how many requests that took.
    func apply() async throws -> Int {
        let before = try await requests()
        _ = try await herald("apply --auto-approve")
        return try await requests() - before
    }

    private func requests() async throws -> Int {
        try await control.requests().count { $0["path"]?.string?.contains("topicSubscriptions") == true }
    }

    /// The numbers of those who follow the topic at FCM.
    func members() async throws -> Set<Int> {
        Set(try await control.members(ofTopic: "tides").compactMap { Int($0.suffix(17)) })
    }

    /// `owned`, `found`, `adopted` and `left` of the topic in the state.
    func figures() async throws -> [Int64?] {
        let shown = try JSONValue(parsing: Array(try await herald("state show tides --format json").utf8))
        return ["owned", "found", "adopted", "left"].map { shown["topics"]?.array?.first?[$0]?.int }
    }
}
