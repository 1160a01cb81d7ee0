import HeraldCore

/// Whether the files can be used: a run does nothing while one of them has a mistake.
enum FileCheck {
    static func result(_ mistakes: [Diagnostic]) -> CheckResult {
        guard let first = mistakes.first else { return .ok(.files, "the YAML files have no mistakes") }
        let place = first.range.file + (first.range.text.map { ":\($0.start.line)" } ?? "")
        return .error(
            .files, "\(count(mistakes.count, "mistake")); the first is in \(place): \(first.message)",
            fix: "Run 'herald validate': it shows all of them.")
    }
}
