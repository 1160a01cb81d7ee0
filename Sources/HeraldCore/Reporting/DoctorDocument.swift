package import FCM

/// What `herald doctor` found, `herald.doctor/1`.
package struct DoctorDocument: Document {
    package let results: [CheckResult]

    package init(_ results: [CheckResult]) { self.results = results }

    package var hasErrors: Bool { results.contains { $0.outcome == .error } }

    /// What is kept of it.
    package func recorded(at now: Date) -> RecordedCheckup {
        RecordedCheckup(at: now, errors: checks(.error), warnings: checks(.warning))
    }

    private func checks(_ outcome: CheckResult.Outcome) -> [String] {
        Set(results.filter { $0.outcome == outcome }.map(\.check.rawValue)).sorted()
    }

    package var json: JSONValue {
        [
            "schema": "herald.doctor/1",
            "checks": .array(
                results.map { result in
                    [
                        "check": .string(result.check.rawValue), "result": .string(result.outcome.rawValue),
                        "found": .string(result.found), "fix": result.fix.map { .string($0) } ?? .null,
                    ]
                }),
        ]
    }

    package func text(_ style: TextStyle) -> String {
        let width = results.map(\.check.words.count).max() ?? 0
        var text = ""
        for result in results {
            let mark = result.outcome.rawValue.padded(to: Self.markWidth)
            text += "\(result.outcome.painted(mark, style))  \(result.check.words.padded(to: width))  "
            text += result.found.printable + "\n"
            guard let fix = result.fix else { continue }
            text += String(repeating: " ", count: Self.markWidth + width + 4) + "To do: \(fix.printable)\n"
        }
        let errors = results.filter { $0.outcome == .error }.count
        let warnings = results.filter { $0.outcome == .warning }.count
        return text + "\n\(count(errors, "error")), \(count(warnings, "warning"))\n"
    }

    private static let markWidth = 7
}

extension CheckResult.Check {
    fileprivate var words: String { rawValue.replacing("_", with: " ") }
}

extension CheckResult.Outcome {
    fileprivate func painted(_ text: String, _ style: TextStyle) -> String {
        switch self {
        case .ok: style.green(text)
        case .warning: style.yellow(text)
        case .error: style.red(text)
        case .skipped: style.faint(text)
        }
    }
}
