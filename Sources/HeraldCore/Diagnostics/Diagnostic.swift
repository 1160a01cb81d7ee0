/// A mistake in a file that its author can fix. Diagnostics are collected, never thrown, and shown all at once.
package struct Diagnostic: Hashable, Sendable {
    package enum Severity: String, Hashable, Sendable {
        case error, warning, info
    }

    /// Points at another place that belongs to the problem.
    package struct Note: Hashable, Sendable {
        package var message: String
        package var range: SourceRange

        package init(_ message: String, at range: SourceRange) {
            self.message = message
            self.range = range
        }
    }

    /// A change that a program can make to fix the mistake.
    package struct Fix: Hashable, Sendable {
        /// In the diagnostic's own file.
        package var range: TextRange
        /// The text to put there. `nil` if no single text fixes the mistake.
        package var text: String

        package init(_ text: String, at range: TextRange) {
            self.range = range
            self.text = text
        }
    }

    package var rule: Rule
    package var severity: Severity
    /// Lower case, the mistake first, no full stop.
    package var message: String
    package var range: SourceRange
    package var notes: [Note]
    /// What the author should write instead.
    package var help: String?
    package var fix: Fix?

    /// - Parameter replacement: the text that fixes the mistake if it replaces `range`.
    package static func error(
        _ rule: Rule, _ message: String, at range: SourceRange, notes: [Note] = [], help: String? = nil,
        replacement: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            rule: rule, severity: .error, message: message, range: range, notes: notes, help: help,
            fix: replacement.flatMap { text in range.text.map { Fix(text, at: $0) } })
    }

    package static func warning(
        _ rule: Rule, _ message: String, at range: SourceRange, notes: [Note] = [], help: String? = nil,
        replacement: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            rule: rule, severity: .warning, message: message, range: range, notes: notes, help: help,
            fix: replacement.flatMap { text in range.text.map { Fix(text, at: $0) } })
    }
}

extension Sequence<Diagnostic> {
    /// With only the first of each advice, which says how often it applies.
    package var withAdviceOnce: [Diagnostic] {
        let given = Dictionary(grouping: filter { $0.severity == .info }, by: \.rule)
        var told: Set<Rule> = []
        return compactMap { diagnostic in
            guard diagnostic.severity == .info else { return diagnostic }
            guard told.insert(diagnostic.rule).inserted else { return nil }
            var copy = diagnostic
            let others = (given[diagnostic.rule]?.count ?? 1) - 1
            let places = others == 1 ? "place" : "places"
            if others > 0 { copy.message += " (here and in \(others.grouped) other \(places))" }
            return copy
        }
    }

    /// Sorted by file and position, without duplicates.
    package func sortedAndUnique() -> [Diagnostic] {
        var seen: Set<Diagnostic> = []
        return filter { seen.insert($0).inserted }.sorted { one, other in
            if one.range.file != other.range.file { return one.range.file < other.range.file }
            let (a, b) = (one.range.start, other.range.start)
            if a != b { return a < b }
            return (one.rule.rawValue, one.message) < (other.rule.rawValue, other.message)
        }
    }

    package var hasErrors: Bool { contains { $0.severity == .error } }
}
