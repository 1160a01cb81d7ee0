extension DiagnosticsDocument {
    /// GitHub shows ten annotations of a step and drops the others silently.
    private static let shownAnnotations = 10

    /// Workflow commands, the worst first. What does not fit is counted.
    func annotations(in paths: RepositoryPaths) -> String {
        let ranked = [Diagnostic.Severity.error, .warning, .info].flatMap { severity in
            diagnostics.filter { $0.severity == severity }
        }
        // The last one shown says how many are left out.
        let shown = ranked.count > Self.shownAnnotations ? Self.shownAnnotations - 1 : ranked.count
        let lines = ranked.prefix(shown).map { Self.annotation($0, in: paths) }
        return lines.map { $0 + "\n" }.joined() + Self.remainder(ranked.dropFirst(shown))
    }

    private static func annotation(_ diagnostic: Diagnostic, in paths: RepositoryPaths) -> String {
        var properties = [("file", paths.path(of: diagnostic.range.file))]
        if let text = diagnostic.range.text {
            properties.append(("line", String(text.start.line)))
            // GitHub refuses columns for a range of several lines.
            if text.start.line == text.end.line {
                properties.append(("col", String(text.start.column)))
                properties.append(("endColumn", String(text.end.column)))
            } else {
                properties.append(("endLine", String(text.end.line)))
            }
        }
        properties.append(("title", "herald: \(diagnostic.rule.rawValue)"))
        var message = diagnostic.message
        for note in diagnostic.notes {
            var place = note.range
            place.file = paths.path(of: place.file)
            message += "\nnote: \(note.message) (\(location(place)))"
        }
        if let help = diagnostic.help { message += "\nhelp: \(help)" }
        let written = properties.map { "\($0)=\($1.escaped(alsoProperty: true))" }.joined(separator: ",")
        return "::\(diagnostic.severity.command) \(written)::\(message.escaped(alsoProperty: false))"
    }

    private static func remainder(_ withheld: ArraySlice<Diagnostic>) -> String {
        guard let worst = withheld.first else { return "" }
        let errors = withheld.count { $0.severity == .error }
        let warnings = withheld.count { $0.severity == .warning }
        let infos = withheld.count - errors - warnings
        let parts = [(errors, "error"), (warnings, "warning"), (infos, "remark")].filter { $0.0 > 0 }
        let words = parts.map { count($0, $1) }.joined(separator: ", ")
        return "::\(worst.severity.command) title=herald::and \(words) more; 'herald validate' shows them all\n"
    }
}

extension Diagnostic.Severity {
    fileprivate var command: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .info: "notice"
        }
    }
}

extension String {
    /// The escapes that the runner decodes. A property also ends at a colon or a comma.
    fileprivate func escaped(alsoProperty isProperty: Bool) -> String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "%": text += "%25"
            case "\r": text += "%0D"
            case "\n": text += "%0A"
            case ":" where isProperty: text += "%3A"
            case "," where isProperty: text += "%2C"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
