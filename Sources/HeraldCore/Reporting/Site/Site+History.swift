internal import FCM

/// What happened: changes of the files, and runs.
extension Site {
    func changesPage(_ frame: SiteFrame) -> String {
        let changes = changes
        let entries = changes.changes?.map { change -> JSONValue in
            let isThere = change.kind == .campaign && change.action != .removed
            let address = isThere ? address(of: change.name, from: frame.path) : nil
            return [
                "heading": .string(change.title), "lines": .array(change.lines.map { .string($0) }),
                "href": address.map { .string($0) } ?? .null,
            ]
        }
        let commits = changes.commits.map { commit -> JSONValue in
            let time = zone.local(at: commit.time).spoken
            return ["name": .string(commit.subject), "text": .string("\(time), \(commit.id.prefix(12))")]
        }
        let rest = changes.omitted
        return Page.changes.rendered(
            [
                "title": .string("\(status.workspace): changes"), "workspace": .string(status.workspace),
                "headline": .string("Changes of the last \(RecentChanges.days) days"),
                "remarks": .array(changes.remarks.map { .string($0) }),
                "changes": entries.map { ["entries": .array($0), "isNothing": .bool($0.isEmpty)] } ?? .null,
                "commits": commits.isEmpty
                    ? .null
                    : [
                        "entries": .array(commits),
                        "rest": rest > 0 ? .string("and \(count(rest, "older commit"))") : .null,
                    ],
            ], in: frame)
    }

    /// - Parameter reports: those that have a page, with its path.
    func runsPage(_ reports: [(Report, String)], _ frame: SiteFrame) -> String {
        let known = Set(reports.map(\.0.run))
        let others = runs.filter { !known.contains($0.run) }.map { ($0, nil as String?) }
        let all = reports.map { (RecordedRun($0) ?? RecordedRun(unfinished: $0), $1 as String?) } + others
        let rows = all.sorted { ($0.0.started, $0.0.run) > ($1.0.started, $1.0.run) }.map { run, path -> JSONValue in
            let result = Report.Result(rawValue: run.result)
            return [
                "name": .string("\(zone.local(at: run.started).spoken) \(zone.name)"),
                "href": path.map { .string($0) } ?? .null,
                "result": .string(result?.words ?? run.result), "tone": .string(result?.tone ?? ""),
                "text": .string(result == .running ? "" : run.figureWords),
            ]
        }
        return Page.runs.rendered(
            [
                "title": .string("\(status.workspace): runs"), "workspace": .string(status.workspace),
                "headline": .string("Runs"),
                "remarks": .array(rows.isEmpty ? ["No run is known here yet."] : []),
                "runs": .section("entries", rows),
            ], in: frame)
    }
}

extension RecordedRun {
    /// One that goes on, or that died.
    fileprivate init(unfinished report: Report) {
        self.init(
            run: report.run, started: report.started, finished: report.started, result: report.result.rawValue,
            figures: [:])
    }
}
