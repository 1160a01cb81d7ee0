/// The report as one self-contained page, without scripts, fonts or pictures.
extension ReportDocument {
    package var html: String {
        var writer = MarkupWriter()
        writer.raw("<!DOCTYPE html>\n")
        writer.element("html", ["lang": "en"]) { page in
            page.element("head") { head in
                head.raw(Self.meta)
                head.element("title", "herald run \(report.run): \(report.result.words)")
                head.element("style") { $0.raw(Self.style) }
            }
            page.lineBreak()
            page.element("body") { body in
                writeHead(to: &body)
                writeNotes(to: &body)
                writeSteps(to: &body)
                writeFailures(to: &body)
            }
        }
        writer.lineBreak()
        return writer.text
    }

    private func writeHead(to writer: inout MarkupWriter) {
        writer.element("header") { header in
            header.element("p", report.isDryRun ? "herald dry run: nothing was delivered" : "herald run")
            header.element("h1", ["class": report.result.tone], report.result.words)
        }
        writer.lineBreak()
        for total in totals {
            if !total.title.isEmpty { writer.element("h2", total.title) }
            Self.write(total.figures.map { ($0.name, String($0.count)) }, as: "totals", to: &writer)
        }
        Self.write(facts.map { ($0.name, $0.value) }, as: "facts", to: &writer)
    }

    private static func write(_ entries: [(String, String)], as kind: String, to writer: inout MarkupWriter) {
        writer.element("dl", ["class": kind]) { list in
            for (name, value) in entries {
                list.element("div") { entry in
                    entry.element("dt", name)
                    entry.element("dd", value)
                }
            }
        }
        writer.lineBreak()
    }

    private func writeNotes(to writer: inout MarkupWriter) {
        guard !remarks.isEmpty else { return }
        writer.element("h2", "Notes")
        writer.element("ul") { list in
            for note in remarks { list.element("li", note) }
        }
        writer.lineBreak()
    }

    private func writeSteps(to writer: inout MarkupWriter) {
        guard !report.steps.isEmpty else { return }
        writer.element("h2", "Steps")
        writer.element("div", ["class": "wide"]) { frame in
            frame.element("table") { table in
                Self.writeColumns(["step"] + StepReport.figureNames, numbers: 1..., to: &table)
                table.element("tbody") { body in
                    for step in report.steps { Self.write(step, to: &body) }
                }
            }
        }
        writer.lineBreak()
    }

    private static func write(_ step: StepReport, to writer: inout MarkupWriter) {
        writer.element("tr") { row in
            row.element("th", ["scope": "row", "class": step.hasFailed ? "bad" : "good"]) { cell in
                cell.element("span", step.id.rawValue)
                for remark in [step.stopped.map { "stopped: \($0)" }, step.note].compactMap(\.self) {
                    cell.element("small", remark)
                }
            }
            for figure in step.figures {
                row.element("td", ["class": figure.count == 0 ? "number none" : "number"], String(figure.count))
            }
        }
        writer.lineBreak()
    }

    private func writeFailures(to writer: inout MarkupWriter) {
        let failed = report.steps.filter { !$0.failures.isEmpty }
        guard !failed.isEmpty else { return }
        writer.element("h2", "Failures")
        for step in failed {
            writer.element("h3", step.id.rawValue)
            writer.element("ul") { list in
                for kind in step.failureKinds {
                    list.element("li", "\(kind.count) × \(kind.code): \(kind.message) (\(kind.action.words))")
                }
            }
            writer.element("details") { details in
                details.element("summary", "one by one")
                details.element("div", ["class": "wide"]) { frame in
                    frame.element("table") { table in
                        Self.writeColumns(
                            ["registration", "code", "HTTP", "attempts", "what FCM said"], numbers: 2...3, to: &table)
                        table.element("tbody") { body in
                            for failure in step.failures { Self.write(failure, to: &body) }
                        }
                    }
                }
                if step.failuresOmitted > 0 {
                    details.element("p", "and \(count(step.failuresOmitted, "more failure"))")
                }
            }
            writer.lineBreak()
        }
    }

    private static func write(_ failure: Report.Failure, to writer: inout MarkupWriter) {
        writer.element("tr") { row in
            row.element("td") { $0.element("code", failure.registration ?? "") }
            row.element("td", failure.code)
            row.element("td", ["class": "number"], failure.httpStatus.map(String.init) ?? "none")
            row.element("td", ["class": "number"], String(failure.attempts))
            row.element("td", failure.message)
        }
        writer.lineBreak()
    }

    private static func writeColumns(
        _ names: [String], numbers: some RangeExpression<Int>, to writer: inout MarkupWriter
    ) {
        writer.element("thead") { head in
            head.element("tr") { row in
                for (index, name) in names.enumerated() {
                    row.element("th", ["scope": "col", "class": numbers.contains(index) ? "number" : "text"], name)
                }
            }
        }
        writer.lineBreak()
    }

    private static let meta: StaticString = """
        <meta charset="utf-8"/>\
        <meta name="viewport" content="width=device-width, initial-scale=1"/>\
        <meta name="color-scheme" content="light dark"/>\
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
        """

    private static let style: StaticString = """

        :root { --text: #1d2329; --faint: #68727d; --line: #d9dee3; --page: #ffffff; --tile: #f4f6f8;
          --good: #1a7f4b; --bad: #b3261e; --warn: #8a5a00; }
        @media (prefers-color-scheme: dark) {
          :root { --text: #e4e8ec; --faint: #98a3ae; --line: #353d46; --page: #14181c; --tile: #1e242a;
            --good: #58c58d; --bad: #ff8a80; --warn: #e5b567; }
        }
        body { color: var(--text); background: var(--page); font: 16px/1.5 system-ui, sans-serif; max-width: 64rem;
          margin: 0 auto; padding: 2rem 1rem 4rem; overflow-wrap: anywhere; }
        header p { color: var(--faint); margin: 0; }
        h1 { margin: 0 0 1rem; font-size: 1.9rem; line-height: 1.2; }
        h2 { margin: 2.2rem 0 .6rem; font-size: 1.2rem; }
        h3 { margin: 1.4rem 0 .4rem; font-size: 1rem; }
        .good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
        dl { margin: 0 0 1rem; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
        dt { color: var(--faint); font-size: .85rem; }
        dd { margin: 0; }
        .totals { gap: .5rem; }
        .totals div { background: var(--tile); border-radius: .5rem; padding: .5rem 1rem; }
        .totals dd { font-size: 1.5rem; font-variant-numeric: tabular-nums; line-height: 1.2; }
        .wide { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; }
        th, td { border-bottom: 1px solid var(--line); padding: .4rem .6rem; text-align: left; vertical-align: top; }
        thead th { color: var(--faint); font-size: .85rem; font-weight: 400; white-space: nowrap; }
        tbody th { font-weight: 600; min-width: 14rem; }
        small { display: block; color: var(--faint); font-weight: 400; }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; overflow-wrap: normal; }
        .none { color: var(--faint); }
        code { font-size: .9rem; white-space: nowrap; }
        summary { cursor: pointer; color: var(--faint); }

        """
}

extension Report.Result {
    /// The headline's CSS class.
    fileprivate var tone: String {
        switch self {
        case .ok: "good"
        case .failed, .refused: "bad"
        case .running, .unknown, .interrupted: "warn"
        }
    }
}
