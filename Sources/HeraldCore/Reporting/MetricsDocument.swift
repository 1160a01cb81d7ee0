/// Figures in Prometheus' text format (version 0.0.4), for the node exporter's textfile collector.
package struct MetricsDocument {
    package private(set) var text = ""
    private let labels: String

    private init(project: String) { labels = #"{project="\#(project.metricsEscaped)"}"# }

    private static let lastSuccess = "herald_run_last_success_timestamp_seconds"

    /// The figures of a run.
    ///
    /// - Parameters:
    ///   - isWell: whether nothing went wrong beside it, such as a fetch of lists. By default what the report says.
    ///   - success: when a run last ended well, this one or one before it.
    ///   - drift: the last time that FCM was asked what is subscribed.
    package init(
        _ report: Report, isWell: Bool? = nil, lastSuccess success: Date? = nil, lastDrift drift: RecordedDrift? = nil
    ) {
        self.init(project: report.project)
        let sum = { (figure: (StepReport) -> Int) in report.steps.reduce(0) { $0 + figure($1) } }
        add("herald_run_accepted", "Recipients and memberships FCM took in the last run.", sum(\.accepted))
        add("herald_run_rejected", "Those FCM refused.", sum(\.rejected))
        add("herald_run_unknown", "Those of whom nobody knows.", sum(\.unknown))
        add("herald_run_held", "Those that wait for a person.", sum(\.held))
        add("herald_run_pending", "Those that the next run tries.", sum(\.pending))
        add("herald_run_forgotten", "Registrations found dead.", sum(\.forgotten))
        add("herald_run_missed", "Occurrences that were due and are too late.", report.missed)
        add("herald_run_retries", "Requests made again.", sum(\.retries))
        addEnd(isWell: isWell ?? (report.result == .ok), at: report.finished ?? report.started, success)
        if let drift {
            add("herald_drift_last_timestamp_seconds", "When FCM was last asked who follows which topic.", drift.at)
            add("herald_drift_share", "The share of registrations that differed then, from 0 to 1.", drift.share)
        }
        addTexts(of: report.steps, by: "locale", \.locales)
        addTexts(of: report.steps, by: "variant", \.variants)
    }

    /// The figures of a run that could not do its work.
    ///
    /// - Parameter success: when a run last ended well.
    package init(failedAt time: Date, project: String, lastSuccess success: Date?) {
        self.init(project: project)
        addEnd(isWell: false, at: time, success)
    }

    private mutating func addEnd(isWell: Bool, at time: Date, _ success: Date?) {
        add("herald_run_ok", "Whether the last run ended well.", isWell ? 1 : 0)
        add("herald_run_finished_timestamp_seconds", "When the last run ended.", time)
        if let success {
            add(Self.lastSuccess, "When a run last ended well. Left out until one does.", success)
        }
    }

    /// When a run last ended well, as a text of such figures says it.
    package static func lastSuccess(in text: String, project: String) -> Date? {
        let start = "\(lastSuccess)\(MetricsDocument(project: project).labels) "
        return text.split(separator: "\n").first { $0.hasPrefix(start) }.flatMap { Int($0.dropFirst(start.count)) }
            .map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// The figures of personal campaigns, such as `herald_run_locale_accepted`. A run without one has none.
    private mutating func addTexts(
        of steps: [StepReport], by label: String, _ accounts: KeyPath<StepReport, [String: StepReport.ClassFigures]>
    ) {
        var sums: [[String]: StepReport.ClassFigures] = [:]
        for step in steps {
            // The name of a test's occurrence, too, begins with its campaign.
            let campaign = String(step.occurrence?.prefix { $0 != "@" } ?? "")
            for (name, account) in step[keyPath: accounts] {
                sums[[campaign, name], default: .init()] = sums[[campaign, name], default: .init()] + account
            }
        }
        guard !sums.isEmpty else { return }
        let sorted = sums.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (place, figure) in StepReport.figureNames.enumerated() {
            let name = "herald_run_\(label)_\(figure)"
            text += "# HELP \(name) Recipients of personal campaigns by \(label): \(figure).\n# TYPE \(name) gauge\n"
            for (key, account) in sorted {
                let own = #"campaign="\#(key[0].metricsEscaped)",\#(label)="\#(key[1].metricsEscaped)""#
                text += "\(name)\(labels.dropLast()),\(own)} \(account.figures[place].count)\n"
            }
        }
    }

    /// The figures of a process that helps runs, since it began.
    package init(ofWorker tally: Tally, project: String, isWorking: Bool, at now: Date) {
        self.init(project: project)
        add("herald_worker_accepted", "Recipients that FCM took from this process since it began.", tally[.accepted])
        add("herald_worker_rejected", "Those FCM refused.", tally[.rejected])
        add("herald_worker_unknown", "Those of whom nobody knows.", tally[.unknown])
        add("herald_worker_forgotten", "Registrations found dead.", tally[.forgotten])
        add("herald_worker_retries", "Requests made again.", tally[.retries])
        add("herald_worker_has_run", "Whether a run goes on that it helps.", isWorking ? 1 : 0)
        add("herald_worker_seen_timestamp_seconds", "When this process last wrote these figures.", now)
    }

    private mutating func add(_ name: String, _ help: String, _ value: Int) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\(name)\(labels) \(value)\n"
    }

    private mutating func add(_ name: String, _ help: String, _ value: Double) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\(name)\(labels) \(value)\n"
    }

    private mutating func add(_ name: String, _ help: String, _ date: Date) {
        add(name, help, Int(date.timeIntervalSince1970))
    }
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
