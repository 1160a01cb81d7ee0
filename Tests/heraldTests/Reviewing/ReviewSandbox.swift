import FCM
import Foundation
import HeraldTestSupport
import Testing

/// A repository with a workspace in a folder of it, as a pull request finds it.
struct ReviewSandbox {
    let sandbox: Sandbox

    static let files = [
        "repo/push/herald.yaml": """
        herald: 2
        project: club-prod
        workspace: club
        timezone: Europe/Rome
        guards: {max_recipients: 4}

        """,
        "repo/push/lists/members.csv": "fid,plan\n"
            + (1...5).map { "\(Registration.fid($0).rawValue),\($0 < 4 ? "gold" : "free")\n" }.joined(),
        "repo/push/audiences.yaml": """
        kind: audience
        name: gold
        source: {file: lists/members.csv}
        where: {plan: [gold]}
        ---
        kind: audience
        name: everyone
        source: {file: lists/members.csv}

        """,
        "repo/push/topics.yaml": "kind: topic\nname: news\nsubscribers: [gold]\n",
        "repo/push/spring.yaml": """
        kind: campaign
        name: spring
        target: {audience: gold}
        schedule: {at: "2026-12-07T09:07"}
        message: {notification: {title: Spring sale, body: Today only}}

        """,
        "repo/push/weekly.yaml": """
        kind: campaign
        name: weekly
        target: {topic: news}
        schedule: {cron: "7 18 * * FRI"}
        message: {notification: {title: This week, body: Read it in the app}}

        """,
    ]

    /// The time that plans are made for. It is a Tuesday.
    static let time = "2026-12-01T08:00:00Z"

    init(_ changes: [String: String] = [:]) async throws {
        sandbox = try Sandbox(Self.files.merging(changes) { $1 })
        try await sandbox.git(["init", "-q"], in: "repo")
        try await sandbox.commit("base", in: "repo")
        try await sandbox.git(["checkout", "-q", "-b", "change"], in: "repo")
    }

    func write(_ text: String, to file: String) throws { try sandbox.folder.write(text, to: "repo/push/\(file)") }

    func replace(_ old: String, with new: String, in file: String) throws {
        let text = try sandbox.folder.read("repo/push/\(file)")
        try #require(text.contains(old), "\(file) has no \(old)")
        try write(text.replacing(old, with: new), to: file)
    }

    func remove(_ file: String) throws {
        try FileManager.default.removeItem(atPath: "\(sandbox.folder.path)/repo/push/\(file)")
    }

    func herald(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> ChildProcess.Result {
        try await HeraldProcess.run(["-w", "\(sandbox.folder.path)/repo/push"] + arguments, environment: environment)
    }

    /// Commits the changes, and reviews them against the branch they left.
    func review(
        _ options: [String] = ["--base", "main"], _ environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        try await sandbox.commit("change", in: "repo")
        return try await reviewCommitted(options, environment)
    }

    func reviewCommitted(_ options: [String], _ environment: [String: String]) async throws -> ChildProcess.Result {
        let output = ["--out", "\(sandbox.folder.path)/out", "--at", Self.time]
        return try await herald(["review"] + options + output, environment)
    }

    func output(_ name: String) throws -> String { try sandbox.folder.read("out/\(name)") }

    func json(_ name: String) throws -> JSONValue { try JSONValue(parsing: Array(output(name).utf8)) }
}
