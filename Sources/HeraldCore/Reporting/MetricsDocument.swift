/// A run's figures in Prometheus' text format (version 0.0.4), for the node exporter's textfile collector.
package struct MetricsDocument {
    private let report: Report

    package init(_ report: Report) { self.report = report }

    package var text: String {
        let labels = #"{project="\#(report.project.metricsEscaped)"}"#
        let figures: [(name: String, help: String, value: Int)] = [
            ("accepted", "Recipients and memberships FCM took in the last run.", sum(\.accepted)),
            ("rejected", "Those FCM refused.", sum(\.rejected)),
            ("unknown", "Those of whom nobody knows.", sum(\.unknown)),
            ("held", "Those that wait for a person.", sum(\.held)),
            ("pending", "Those that the next run tries.", sum(\.pending)),
            ("forgotten", "Registrations found dead.", sum(\.forgotten)),
            ("missed", "Occurrences that were due and are too late.", report.missed),
            ("retries", "Requests made again.", sum(\.retries)),
        ]
        var text = ""
        for (name, help, value) in figures {
            text += "# HELP herald_run_\(name) \(help)\n# TYPE herald_run_\(name) gauge\n"
            text += "herald_run_\(name)\(labels) \(value)\n"
        }
        let isGood = report.result == .ok ? 1 : 0
        text += "# HELP herald_run_ok Whether the last run ended well.\n# TYPE herald_run_ok gauge\n"
        text += "herald_run_ok\(labels) \(isGood)\n"
        let finished = Int64((report.finished ?? report.started).timeIntervalSince1970)
        text += "# HELP herald_run_finished_timestamp_seconds When the last run ended.\n"
        text += "# TYPE herald_run_finished_timestamp_seconds gauge\n"
        text += "herald_run_finished_timestamp_seconds\(labels) \(finished)\n"
        return text
    }

    private func sum(_ figure: (StepReport) -> Int) -> Int { report.steps.reduce(0) { $0 + figure($1) } }
}

extension String {
    /// Escaped for use as a label's value.
    fileprivate var metricsEscaped: String {
        reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}
