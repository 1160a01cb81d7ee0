import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// Files for a parser, with conditions that must hold for any content.
struct FuzzCase: Sendable, CustomTestStringConvertible {
    enum Kind: String, Sendable, CaseIterable {
        case workspace, list, packed, condition, cron
    }

    var kind: Kind
    var files: [String: [UInt8]]

    init(_ kind: Kind, _ files: [String: [UInt8]]) { (self.kind, self.files) = (kind, files) }

    var testDescription: String { "\(kind.rawValue): \(files.keys.sorted().joined(separator: ", "))" }

    /// What is wrong with the result. `nil` if nothing is.
    func problem() throws -> String? {
        switch kind {
        case .workspace, .list: try workspaceProblem()
        case .packed: try packedProblem()
        case .condition: conditionProblem(text)
        case .cron: cronProblem(text)
        }
    }

    private var text: String { String(decoding: files["text"] ?? [], as: UTF8.self) }

    // MARK: The corpus

    private static let folder =
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../fixtures/fuzz").standardized.path

    /// The cases that fuzzing found, one folder each, named after its kind.
    static var corpus: [FuzzCase] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().compactMap { name in
            guard let kind = Kind(rawValue: String(name.prefix { $0 != "-" })) else { return nil }
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")) ?? []
            return FuzzCase(
                kind,
                Dictionary(
                    uniqueKeysWithValues: files.compactMap { file in
                        FileManager.default.contents(atPath: "\(folder)/\(name)/\(file)").map { (file, Array($0)) }
                    }))
        }
    }

    /// Writes it into the corpus and returns the path.
    func keep() throws -> String {
        let path = "\(Self.folder)/\(kind.rawValue)-\(UUID().uuidString.prefix(8).lowercased())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: "\(path)/\(name)")) }
        return path
    }

    // MARK: What must be true

    private func workspaceProblem() throws -> String? {
        let folder = try TemporaryFolder(FuzzTests.seeds)
        for (name, bytes) in files { try folder.write(bytes, to: name) }
        let loaded = try WorkspaceLoader.load(folder)
        for diagnostic in loaded.diagnostics {
            if let problem = Self.problem(with: diagnostic, in: loaded.sources) {
                return "\(problem): \(Found(diagnostic))"
            }
        }
        if Set(loaded.diagnostics).count != loaded.diagnostics.count { return "a diagnostic twice" }
        if loaded.shown.isEmpty { return "nothing is shown" }
        let way = WholeWay(loaded)
        return try way.isOpen && way.shown.contains("") ? "a document is empty" : nil
    }

    /// Only the unpacking. Changes in a header rarely reach the rows.
    private func packedProblem() throws -> String? {
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText, "a.yaml": "kind: audience\nname: a\nsource: {file: l.csv.gz}\n",
        ])
        for (name, bytes) in files { try folder.write(bytes, to: name) }
        let loaded = try WorkspaceLoader.load(folder)
        // Some parts of a header, such as its time, may have any value. The rows have a checksum.
        let rows = try loaded.registrations().first
        return loaded.found.isEmpty && rows != [.fid(1), .fid(2)] ? "other rows than were packed" : nil
    }

    private func conditionProblem(_ text: String) -> String? {
        guard let condition = try? Condition(parsing: text) else { return nil }
        guard let again = try? Condition(parsing: condition.description) else { return "its own text is refused" }
        if again != condition { return "its own text is another condition" }
        return again.description == condition.description ? nil : "its own text is not canonical"
    }

    private func cronProblem(_ text: String) -> String? {
        guard let cron = try? Cron(parsing: text) else { return nil }
        guard let again = try? Cron(parsing: cron.description) else { return "its own text is refused" }
        if again != cron { return "its own text is another cron: \(cron)" }
        var schedule = Schedule(zone: Zone(named: "Europe/Rome") ?? .utc)
        schedule.times = .cron(cron, start: nil, end: nil)
        var last = Date(timeIntervalSince1970: 1_796_000_000)
        for _ in 0..<4 {
            guard let next = schedule.next(after: last) else { return nil }
            if next <= last { return "an occurrence that is not after the one before" }
            if schedule.occurrences(after: last, through: next, limit: 2) != [next] { return "two ways to the next" }
            last = next
        }
        return nil
    }

    private static func problem(with diagnostic: Diagnostic, in sources: [String: SourceText]) -> String? {
        if diagnostic.message.isEmpty { return "no message" }
        let fixes = diagnostic.fix.map { [SourceRange(file: diagnostic.range.file, text: $0.range)] } ?? []
        for range in [diagnostic.range] + diagnostic.notes.map(\.range) + fixes {
            if range.file.isEmpty { return "no file" }
            guard let text = range.text else { continue }
            if text.start.line < 1 || text.start.column < 1 { return "a position before the file" }
            if text.end < text.start { return "an end before its start" }
            guard let source = sources[range.file] else { continue }
            // libyaml also counts U+0085, U+2028, U+2029 and a lone CR as line ends.
            let lines = String(decoding: source.bytes, as: UTF8.self).unicodeScalars
                .count { "\n\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains($0) }
            if text.start.line > lines + 1 { return "a line behind the end" }
        }
        return nil
    }
}
