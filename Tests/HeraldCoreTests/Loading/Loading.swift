import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// The smallest valid settings.
let settingsText = "herald: 1\nproject: tide\n"

/// The parts of a diagnostic that tests compare: its rule and its place.
struct Found: Hashable, CustomStringConvertible {
    var rule: Rule
    var file: String
    /// `nil` if the whole file is meant.
    var position: TextRange.Position?

    init(_ rule: Rule, _ file: String, _ position: TextRange.Position?) {
        (self.rule, self.file, self.position) = (rule, file, position)
    }

    init(_ diagnostic: Diagnostic) {
        self.init(diagnostic.rule, diagnostic.range.file, diagnostic.range.text?.start)
    }

    var description: String { "\(rule.rawValue) \(file):\(position.map { "\($0.line):\($0.column)" } ?? "-")" }
}

extension WorkspaceLoader {
    /// The time of tests in which it does not matter.
    static let usualTime = Date(timeIntervalSince1970: 1_800_000_000)

    static func load(
        _ folder: TemporaryFolder, environment: [String: String] = [:], lists: ListPolicy = .required,
        at time: Date = usualTime, keepsLists: Bool = true
    ) throws -> Loaded {
        guard let workspace = WorkspaceFolder(at: folder.path) else { throw NoWorkspace() }
        return load(workspace, environment: environment, lists: lists, at: time, keepsLists: keepsLists)
    }

    static func load(
        _ folder: WorkspaceFolder, environment: [String: String], lists: ListPolicy = .required,
        keepsLists: Bool = true
    ) -> Loaded {
        load(folder, environment: environment, lists: lists, at: usualTime, keepsLists: keepsLists)
    }

    /// Loads files as a workspace of their own. Without a `herald.yaml` it gets the smallest one.
    static func load(
        files: [String: String], environment: [String: String] = [:], lists: ListPolicy = .required,
        at time: Date = usualTime, keepsLists: Bool = true
    ) throws -> Loaded {
        let folder = try TemporaryFolder(["herald.yaml": settingsText].merging(files) { _, given in given })
        return try load(folder, environment: environment, lists: lists, at: time, keepsLists: keepsLists)
    }
}

struct NoWorkspace: Error {}

extension WorkspaceLoader.Loaded {
    var found: [Found] { diagnostics.map { Found($0) } }

    /// The registrations in the rows of each audience, in the order of its list, repeated ones included.
    func registrations() throws -> [[Registration]] {
        guard let recipientIndex = try recipientIndex?.get() else { return [] }
        var rows: [RecipientIndex.Owner: [(row: UInt32, registration: Registration)]] = [:]
        var merge = try EntryMerge([recipientIndex.entries])
        while let entry = merge.head {
            let text = String(decoding: Array(entry.key) + Array(entry.rest), as: UTF8.self)
            for owner in recipientIndex.membershipClasses[Int(entry.mark)].owners {
                if let registration = Registration(text) { rows[owner, default: []].append((entry.row, registration)) }
            }
            try merge.pass()
        }
        return (workspace?.audiences ?? []).map { audience in
            (rows[.audience(audience.name.value)] ?? []).sorted { $0.row < $1.row }.map(\.registration)
        }
    }

    /// Everything that a person or a program would see.
    var shown: String {
        let document = DiagnosticsDocument(diagnostics, sources: sources)
        return document.rendered(as: .text) + document.rendered(as: .text, TextStyle(isColored: true))
            + document.rendered(as: .json)
    }
}

/// Files in which every `▸` marks the start of one diagnostic, and a `◂` its end.
struct MarkedFiles {
    var files: [String: String]
    var positions: [(file: String, position: TextRange.Position)]
    /// The ranges with a marked end, in the order of diagnostics.
    var ranges: [SourceRange]

    init(_ marked: [String: String]) {
        ranges = marked.sorted { $0.key < $1.key }.flatMap { file, text in
            let text = MarkedText(text)
            return zip(text.positions, text.ends).compactMap { start, end in
                end.map { SourceRange(file: file, text: TextRange(start: start, end: $0)) }
            }
        }
        files = marked.mapValues { MarkedText($0).text }
        positions = marked.sorted { $0.key < $1.key }.flatMap { file, text in
            MarkedText(text).positions.map { (file, $0) }
        }
    }
}
