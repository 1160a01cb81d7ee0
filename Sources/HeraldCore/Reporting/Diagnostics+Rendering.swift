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
    /// The only switch over formats. Ends with a line break.
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
        // Encoding fails only for a number that is no JSON number; none is made here.
        String(decoding: (try? bytes(pretty: true)) ?? [], as: UTF8.self) + "\n"
    }

    /// One line of an NDJSON file, without its end.
    package var compactText: String { String(decoding: (try? bytes()) ?? [], as: UTF8.self) }
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

    package func text(_ style: TextStyle) -> String {
        var text = ""
        for diagnostic in diagnostics {
            let severity = diagnostic.severity.rawValue
            let head = diagnostic.severity == .error ? style.red(severity) : style.yellow(severity)
            text += "\(head)\(style.faint("[\(diagnostic.rule.rawValue)]")): \(style.bold(diagnostic.message))\n"
            text += "  --> \(Self.location(diagnostic.range))\n"
            text += excerpt(diagnostic, style)
            for note in diagnostic.notes { text += "  note: \(note.message) (\(Self.location(note.range)))\n" }
            if let help = diagnostic.help { text += "  help: \(help)\n" }
            text += "\n"
        }
        let errors = diagnostics.count { $0.severity == .error }
        let warnings = diagnostics.count { $0.severity == .warning }
        return text + "\(count(errors, "error")), \(count(warnings, "warning"))\n"
    }

    private static func location(_ range: SourceRange) -> String {
        let file = range.file.printable
        guard let start = range.text?.start else { return file }
        return "\(file):\(start.line):\(start.column)"
    }

    /// The line it points at with carets below; nothing where that would show a registration.
    private func excerpt(_ diagnostic: Diagnostic, _ style: TextStyle) -> String {
        guard let range = diagnostic.range.text, !diagnostic.rule.isAboutRegistrations,
            let line = sources[diagnostic.range.file]?.line(range.start.line), line.utf8.count <= 400,
            Registration.masking(line) == line,
            line.replacing("\t", with: " ").printable == line.replacing("\t", with: " ")
        else { return "" }
        let number = String(range.start.line)
        let margin = String(repeating: " ", count: number.count)
        let scalars = Array(line.unicodeScalars)
        let start = min(range.start.column - 1, scalars.count)
        let end = range.end.line == range.start.line ? min(range.end.column - 1, scalars.count) : scalars.count
        let padding = scalars[..<start].map { $0 == "\t" ? "\t" : " " }.joined()
        let carets = String(repeating: "^", count: max(1, end - start))
        return " \(number) | \(line)\n \(margin) | \(padding)\(style.red(carets))\n"
    }
}

extension Rule {
    fileprivate var isAboutRegistrations: Bool {
        switch self {
        case .listRow, .listColumn, .listFormat, .registrationForm, .fileEncoding: true
        default: false
        }
    }
}

/// `1 error`, `2 errors`.
func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
}
