/// The report in the form in which CI systems read test results: each step is a test.
extension ReportDocument {
    package var junit: String {
        let missed = missedAlone
        let failed = report.steps.count(where: report.hasFailed) + (missed > 0 ? 1 : 0)
        let skipped = report.steps.count(where: isSkipped)
        let tests = report.steps.count + (missed > 0 ? 1 : 0)
        let seconds = report.finished.map { $0.timeIntervalSince(report.started) } ?? 0
        var writer = MarkupWriter()
        writer.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        writer.element("testsuites") { writer in
            writer.lineBreak()
            let attributes: KeyValuePairs<StaticString, String> = [
                "name": "herald \(report.run)", "tests": String(tests), "failures": String(failed), "errors": "0",
                "skipped": String(skipped), "time": Self.seconds(seconds), "timestamp": report.started.rfc3339,
            ]
            writer.element("testsuite", attributes) { writer in
                writer.lineBreak()
                writeDuplicates(to: &writer)
                for step in report.steps { write(step, to: &writer) }
                if missed > 0 { write(missed: missed, to: &writer) }
            }
            writer.lineBreak()
        }
        writer.lineBreak()
        return writer.text
    }

    private func writeDuplicates(to writer: inout MarkupWriter) {
        let count = String(summary["possible_duplicates"] ?? 0)
        writer.element("properties") {
            $0.element("property", ["name": "possible_duplicates", "value": count]) { _ in }
        }
        writer.lineBreak()
    }

    private func write(_ step: StepReport, to writer: inout MarkupWriter) {
        let attributes: KeyValuePairs<StaticString, String> = [
            "classname": "herald.\(report.project)", "name": step.id.rawValue,
            "time": Self.seconds(step.duration.seconds),
        ]
        writer.element("testcase", attributes) { writer in
            let figures = step.figures.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
            if report.hasFailed(step) {
                let parts = [step.stopped.map { "stopped: \($0.words)" }, figures, step.leftOut.words]
                let message = parts.compactMap(\.self).joined(separator: "; ")
                let cause = step.failures.first { $0.action != .forgotten }?.code
                let type = cause ?? (step.hasMissed && !step.isIncomplete ? "missed" : "incomplete")
                writer.element("failure", ["type": type, "message": message]) {
                    Self.writeFailures(of: step, to: &$0)
                }
            } else if isSkipped(step) {
                writer.element("skipped", ["message": step.note ?? figures])
            }
        }
        writer.lineBreak()
    }

    private static func writeFailures(of step: StepReport, to writer: inout MarkupWriter) {
        for failure in step.failures {
            let parts = [failure.registration, failure.httpStatus.map { "HTTP \($0)" }, failure.code]
            let head = parts.compactMap(\.self).joined(separator: " ")
            writer.line("\(head): \(failure.message) (\(step.words(of: failure.action)))")
        }
        if step.failuresOmitted > 0 { writer.line("and \(count(step.failuresOmitted, "more failure"))") }
    }

    /// How many occurrences were missed without a step whose failure that is.
    private var missedAlone: Int {
        let failed = Set(report.steps.filter(\.hasMissed).compactMap(\.occurrence))
        return report.missed - report.missedOccurrences.count { failed.contains($0.occurrence.rawValue) }
    }

    /// Whether nothing of the step was tried, and that is not a failure.
    private func isSkipped(_ step: StepReport) -> Bool {
        !report.hasFailed(step) && step.accepted == 0 && (step.skipped + step.held > 0 || step.isWaiting)
    }

    private func write(missed number: Int, to writer: inout MarkupWriter) {
        writer.element("testcase", ["classname": "herald.\(report.project)", "name": "missed", "time": "0.000"]) {
            let message = "\(count(number, "occurrence")) came too late to be sent"
            $0.element("failure", ["type": "missed", "message": message])
        }
        writer.lineBreak()
    }

    /// With three decimals.
    private static func seconds(_ seconds: Double) -> String {
        let milliseconds = Int((max(0, seconds) * 1000).rounded())
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
