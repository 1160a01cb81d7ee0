package import FCM

/// How a command shows its result.
package enum OutputFormat: String, CaseIterable, Sendable {
    case text, json
}

/// A document that herald shows: for people as text, for programs as JSON with its schema's name.
package protocol Document {
    func text(_ style: TextStyle) -> String
    var json: JSONValue { get }
}

extension Document {
    /// The only switch over formats. The result ends with a line break.
    package func rendered(as format: OutputFormat, _ style: TextStyle = .plain) -> String {
        switch format {
        case .text: text(style)
        case .json: json.prettyText
        }
    }
}

extension JSONValue {
    /// Sorted keys, two spaces of indentation, a line break at the end.
    package var prettyText: String {
        // Encoding fails only for numbers that JSON cannot hold, and none are made here.
        String(decoding: (try? bytes(pretty: true)) ?? [], as: UTF8.self) + "\n"
    }
}

/// Whether text may carry terminal colours.
package struct TextStyle: Sendable {
    package var isColored: Bool

    package static let plain = TextStyle(isColored: false)

    package init(isColored: Bool) { self.isColored = isColored }

    func red(_ text: String) -> String { paint(text, "31") }
    func green(_ text: String) -> String { paint(text, "32") }
    func yellow(_ text: String) -> String { paint(text, "33") }
    func bold(_ text: String) -> String { paint(text, "1") }
    func faint(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// All diagnostics of one loading, with the files they point into.
package struct DiagnosticsDocument: Document {
    package var diagnostics: [Diagnostic]
    package var sources: [String: SourceText]

    package init(_ diagnostics: [Diagnostic], sources: [String: SourceText]) {
        self.diagnostics = diagnostics
        self.sources = sources
    }

    package var json: JSONValue {
        [
            "schema": "herald.diagnostics/1",
            "diagnostics": .array(
                diagnostics.map { diagnostic in
                    var members: [String: JSONValue] = [
                        "rule": .string(diagnostic.rule.rawValue),
                        "severity": .string(diagnostic.severity.rawValue),
                        "message": .string(diagnostic.message),
                        "notes": .array(
                            diagnostic.notes.map { note in
                                var members = Self.place(note.range, withEnd: false)
                                members["message"] = .string(note.message)
                                return .object(members)
                            }),
                    ]
                    members.merge(Self.place(diagnostic.range, withEnd: true)) { _, new in new }
                    members["help"] = diagnostic.help.map { .string($0) }
                    return .object(members)
                }),
        ]
    }

    private static func place(_ range: SourceRange, withEnd: Bool) -> [String: JSONValue] {
        var members: [String: JSONValue] = ["file": .string(range.file)]
        guard let text = range.text else { return members }
        members["line"] = .int(Int64(text.start.line))
        members["column"] = .int(Int64(text.start.column))
        if withEnd {
            members["end_line"] = .int(Int64(text.end.line))
            members["end_column"] = .int(Int64(text.end.column))
        }
        return members
    }
}
