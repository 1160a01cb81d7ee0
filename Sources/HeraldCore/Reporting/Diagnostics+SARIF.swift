internal import FCM

/// Static Analysis Results Interchange Format 2.1.0 (OASIS). The comments name its sections.
extension DiagnosticsDocument {
    private static let root = "SRCROOT"

    func sarif(in paths: RepositoryPaths) -> JSONValue {
        let rules = Set(diagnostics.map(\.rule.rawValue)).sorted()
        let indices = Dictionary(uniqueKeysWithValues: zip(rules, rules.indices))
        let lines = replacedLines()
        let driver: JSONValue = ["name": "herald", "rules": .array(rules.map { Self.descriptor(of: $0) })]
        return [
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                [
                    "tool": ["driver": driver],
                    "columnKind": "unicodeCodePoints",
                    "originalUriBaseIds": [
                        Self.root: ["description": ["text": "The root of the git repository."]]
                    ],
                    "results": .array(
                        diagnostics.map { Self.result($0, indices[$0.rule.rawValue] ?? 0, lines, in: paths) }),
                ]
            ],
        ]
    }

    /// §3.49
    private static func descriptor(of rule: String) -> JSONValue {
        let words = rule.split(separator: "-")
        let sentence = words.joined(separator: " ")
        return [
            "id": .string(rule),
            "name": .string(words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()),
            "shortDescription": ["text": .string(sentence.prefix(1).uppercased() + sentence.dropFirst() + ".")],
        ]
    }

    /// §3.27
    private static func result(
        _ diagnostic: Diagnostic, _ index: Int, _ lines: [String: [Int: String]], in paths: RepositoryPaths
    ) -> JSONValue {
        var text = diagnostic.message
        if let help = diagnostic.help { text += "\nhelp: \(help)" }
        var members: [String: JSONValue] = [
            "ruleId": .string(diagnostic.rule.rawValue), "ruleIndex": .int(Int64(index)),
            "level": .string(diagnostic.severity.level), "message": ["text": .string(text)],
            "locations": [["physicalLocation": place(diagnostic.range, in: paths)]],
        ]
        if !diagnostic.notes.isEmpty {
            members["relatedLocations"] = .array(
                diagnostic.notes.enumerated().map { number, note in
                    [
                        "id": .int(Int64(number)), "physicalLocation": place(note.range, in: paths),
                        "message": ["text": .string(note.message)],
                    ]
                })
        }
        if let fix = fix(diagnostic, lines, in: paths) { members["fixes"] = [fix] }
        return .object(members)
    }

    /// §3.55
    private static func fix(
        _ diagnostic: Diagnostic, _ lines: [String: [Int: String]], in paths: RepositoryPaths
    ) -> JSONValue? {
        guard let fix = diagnostic.fix, fix.range.start.line == fix.range.end.line,
            let line = lines[diagnostic.range.file]?[fix.range.start.line], fix.isApplicable(to: line)
        else { return nil }
        let change: JSONValue = [
            "artifactLocation": artifact(diagnostic.range.file, in: paths),
            "replacements": [["deletedRegion": region(fix.range), "insertedContent": ["text": .string(fix.text)]]],
        ]
        let words = fix.text.isEmpty ? "Take it out." : "Write \(fix.text)."
        return ["description": ["text": .string(words)], "artifactChanges": [change]]
    }

    private func replacedLines() -> [String: [Int: String]] {
        var wanted: [String: Set<Int>] = [:]
        for diagnostic in diagnostics {
            if let fix = diagnostic.fix { wanted[diagnostic.range.file, default: []].insert(fix.range.start.line) }
        }
        var lines: [String: [Int: String]] = [:]
        for (file, numbers) in wanted { lines[file] = sources[file]?.lines(numbers, upTo: 1 << 16) }
        return lines
    }

    /// §3.29
    private static func place(_ range: SourceRange, in paths: RepositoryPaths) -> JSONValue {
        var members = ["artifactLocation": artifact(range.file, in: paths)]
        if let text = range.text { members["region"] = region(text) }
        return .object(members)
    }

    /// §3.4
    private static func artifact(_ file: String, in paths: RepositoryPaths) -> JSONValue {
        let path = paths.path(of: file)
        if path.hasPrefix("/") { return ["uri": .string("file://\(path.percentEncoded)")] }
        return ["uri": .string(path.percentEncoded), "uriBaseId": .string(root)]
    }

    /// §3.30. SARIF counts as herald does: lines and columns begin at one, and ends are exclusive.
    private static func region(_ range: TextRange) -> JSONValue {
        [
            "startLine": .int(Int64(range.start.line)), "startColumn": .int(Int64(range.start.column)),
            "endLine": .int(Int64(range.end.line)), "endColumn": .int(Int64(range.end.column)),
        ]
    }
}

extension Diagnostic.Severity {
    fileprivate var level: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }
}

extension Diagnostic.Fix {
    /// Whether the fix can be applied to this line. An anchor or a tag before a value would be lost with it.
    fileprivate func isApplicable(to line: String) -> Bool {
        let scalars = line.unicodeScalars
        guard range.end.column - 1 <= scalars.count, range.start.column < range.end.column else { return false }
        let written = scalars.prefix(range.end.column - 1).dropFirst(range.start.column - 1)
        return written.first.map { !"&!*".unicodeScalars.contains($0) || text.isQuotation(of: written) } == true
    }
}

extension String {
    /// Whether the fix only puts quotes around a text that had none.
    fileprivate func isQuotation(of written: String.UnicodeScalarView.SubSequence) -> Bool {
        self == String(written).quoted
    }

    /// A path as a URI: everything but unreserved characters (RFC 3986) and slashes is escaped. A colon in the first
    /// part would make that a scheme.
    fileprivate var percentEncoded: String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }
}
