internal import FCM

/// The report as a page.
extension ReportDocument {
    package var html: String { page() }

    /// - Parameter frame: The site that it is part of. There, registrations are not listed, not even by fingerprints.
    func page(in frame: SiteFrame? = nil) -> String {
        let columns = StepReport.columns(report.steps.map(\.figures))
        return Page.report.rendered(
            [
                "title": .string("herald run \(report.run): \(report.result.words)"),
                "kind": .string(report.isDryRun ? "herald dry run: nothing was delivered" : "herald run"),
                "tone": .string(report.result.tone), "result": .string(report.result.words),
                "facts": .facts(facts.map { ($0.name, $0.value) }),
                "totals": .array(totals.map(Self.values)),
                "notes": .section("entries", remarks.map { .string($0) }),
                "charts": .array([timeline, pace, codes].compactMap(\.self)),
                "steps": report.steps.isEmpty
                    ? .null
                    : [
                        "columns": .array(columns.map { .string($0) }),
                        "rows": .array(report.steps.map { row($0, columns) }),
                    ],
                "texts": .section("groups", report.steps.filter { !$0.texts.isEmpty }.map(Self.texts)),
                "failures": .section(
                    "groups",
                    report.steps.filter { !$0.failures.isEmpty }.map { Self.failures($0, areListed: frame == nil) }),
                "version": .null,
            ], in: frame)
    }

    private static func values(_ total: (title: String, figures: [StepReport.Figure])) -> JSONValue {
        [
            "heading": .string(total.title.isEmpty ? "Also counted" : total.title),
            "figures": .array(
                total.figures.map { ["name": .string($0.name), "count": .string($0.count.grouped)] }),
        ]
    }

    private func row(_ step: StepReport, _ columns: [String]) -> JSONValue {
        [
            "id": .string(step.id.rawValue), "tone": .string(report.hasFailed(step) ? "bad" : "good"),
            "remarks": .array(step.remarks.map { .string($0) }),
            "figures": Self.cells(step.figures.in(columns)),
        ]
    }

    private static func cells(_ figures: [StepReport.Figure]) -> JSONValue {
        .array(
            figures.map {
                ["name": .string($0.name), "count": .string($0.count.grouped), "isZero": .bool($0.count == 0)]
            })
    }

    private static func texts(_ step: StepReport) -> JSONValue {
        let columns = StepReport.columns(step.texts.map(\.account.figures))
        return [
            "id": .string(step.id.rawValue),
            "columns": .array(columns.map { .string($0) }),
            "rows": .array(
                step.texts.map { ["name": .string($0.name), "figures": cells($0.account.figures.in(columns))] }),
        ]
    }

    private static func failures(_ step: StepReport, areListed: Bool) -> JSONValue {
        [
            "id": .string(step.id.rawValue),
            "kinds": .array(
                step.failureKinds.map { kind in
                    .string("\(kind.count.grouped) × \(kind.code): \(kind.message) (\(step.words(of: kind.action)))")
                }),
            "list": areListed ? list(step) : .null,
        ]
    }

    private static func list(_ step: StepReport) -> JSONValue {
        let rest = step.failuresOmitted
        return [
            "rows": .array(
                step.failures.map { failure in
                    [
                        "registration": .string(failure.registration ?? "none"), "code": .string(failure.code),
                        "status": .string(failure.httpStatus.map(String.init) ?? "none"),
                        "attempts": .int(Int64(failure.attempts)), "message": .string(failure.message),
                    ]
                }),
            "rest": rest > 0 ? .string("and \(count(rest, "more failure"))") : .null,
        ]
    }
}

/// What is drawn of it.
extension ReportDocument {
    /// A report has how long each step worked, and not when it began. One step works at a time.
    private var timeline: JSONValue? {
        let steps = report.steps.filter { $0.duration > .zero }
        var start = 0.0
        let bars = steps.map { step in
            let seconds = step.duration.seconds
            defer { start += seconds }
            return Bar(
                name: step.id.rawValue, start: start, length: seconds, figure: step.duration.briefText,
                tone: report.hasFailed(step) ? "bad" : nil)
        }
        let whole = report.finished.map { $0.timeIntervalSince(report.started) } ?? start
        let words = "One step works at a time. The bars follow each other; waiting between them is at the end."
        return .chart(
            "Timeline, \(Duration.seconds(Int(whole.rounded())).briefText)", words, bars, of: max(whole, start))
    }

    /// Only requests with an outcome count.
    private var pace: JSONValue? {
        let bars = report.steps.compactMap { step -> Bar? in
            let sent = step.accepted + step.rejected + step.unknown
            guard step.action == .send, sent > 0, step.duration > .zero else { return nil }
            let pace = Double(sent) / step.duration.seconds
            let figure = pace < 10 ? "\((pace * 10).rounded() / 10)/s" : "\(Int(pace.rounded()).grouped)/s"
            return Bar(name: step.id.rawValue, length: pace, figure: figure)
        }
        return .chart("Sends per second", "The mean while the step worked.", bars)
    }

    private var codes: JSONValue? {
        var counts: [String: Int] = [:]
        for failure in report.steps.lazy.flatMap(\.failures) { counts[failure.code, default: 0] += 1 }
        let bars = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            Bar(name: $0.key, length: Double($0.value), figure: $0.value.grouped, tone: "bad")
        }
        let omitted = report.steps.reduce(0) { $0 + $1.failuresOmitted }
        let rest = omitted > 0 ? " \(omitted.grouped) more are in the file of failures beside the report." : ""
        return .chart("Failures by code", "Of the failures that this report lists.\(rest)", bars)
    }
}

extension Report.Result {
    /// The headline's CSS class.
    var tone: String {
        switch self {
        case .ok: "good"
        case .failed, .refused, .halted: "bad"
        case .running, .unknown, .interrupted: "warn"
        }
    }
}
