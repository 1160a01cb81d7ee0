import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A small workspace whose files the tests change.
enum ReviewedFiles {
    static let files = [
        "herald.yaml": "herald: 1\nproject: p\ntimezone: Europe/Rome\n",
        "audiences.yaml": """
        kind: audience
        name: members
        source: {file: lists/members.csv}
        where: {plan: [gold]}
        ---
        kind: audience
        name: testers
        fids: [\(fid("t")), \(fid("u"))]
        """,
        "topics.yaml": "kind: topic\nname: news\nsubscribers: [members]\n",
        "campaigns/welcome.yaml": """
        kind: campaign
        name: welcome
        target: {audience: members}
        schedule: {at: "2026-12-01T09:00"}
        message: {notification: {title: Hello, body: Welcome to the club}}
        """,
        "campaigns/tides.yaml": """
        kind: campaign
        name: tides
        target: {topic: news}
        schedule: {cron: "30 7 * * 1"}
        message: {notification: {title: Tides}, data: {spot: ostia}}
        """,
    ]

    static func fid(_ first: Character) -> String { "d" + String(repeating: first, count: 21) }

    /// What the files decide, with these changes.
    static func definitions(_ changes: [String: String?] = [:]) throws -> [Definition] {
        let kept = files.filter { changes[$0.key] != .some(nil) }
        let folder = try TemporaryFolder(kept.merging(changes.compactMapValues(\.self), uniquingKeysWith: { $1 }))
        let workspace = try #require(WorkspaceFolder(at: folder.path))
        let loaded = WorkspaceLoader.load(workspace, environment: [:], lists: .skip)
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.diagnostics)")
        return loaded.definitions
    }

    /// One file with a part of its text replaced.
    static func replacing(_ old: String, with new: String, in file: String) throws -> [String: String?] {
        let text = try #require(files[file])
        try #require(text.contains(old))
        return [file: text.replacing(old, with: new)]
    }

    static func changes(_ changes: [String: String?]) throws -> [WorkspaceChange] {
        WorkspaceChange.between(try definitions(), try definitions(changes))
    }

    static func approval(_ changes: [String: String?] = [:], suppress: Set<String> = []) throws -> Approval {
        Approval(try definitions(changes).filter { $0.kind != .settings }, suppress: suppress)
    }
}
