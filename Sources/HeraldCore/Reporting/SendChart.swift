internal import FCM

/// Who gets an occurrence when, as a picture: a bar for each wave of one in local time, or for each stage.
struct SendChart {
    let occurrence: OccurrenceID
    /// What the picture says in words.
    let explanation: String
    private let rows: [Row]
    /// How many more waves there are.
    private let omitted: Int

    private struct Row {
        var name: String
        /// More of its name; may be empty.
        var detail = ""
        var count: Int
        /// What has become of it; may be empty.
        var note: String
    }

    /// More waves than the world has clocks are not shown one by one.
    private static let shown = 40
    /// The longest bar, in characters.
    private static let width = 24

    /// `nil` without waves.
    ///
    /// - Parameter isMost: whether caps may leave fewer.
    init?(_ occurrence: OccurrenceID, waves: [Plan.Wave], isMost: Bool) {
        guard let first = waves.map(\.start).min(), let last = waves.map(\.start).max() else { return nil }
        self.occurrence = occurrence
        let people = Self.people(waves.reduce(0) { $0 + $1.recipients }, isMost: isMost)
        explanation = "from \(first.rfc3339) to \(last.rfc3339): \(people) in \(count(waves.count, "wave"))"
        rows = waves.prefix(Self.shown).map { wave in
            let notes = [
                wave.state == .ahead ? "" : wave.state.rawValue,
                wave.skipped > 0 ? "\(wave.skipped.grouped) skipped" : "",
                wave.opens.map { "starts \(clock(at: $0)), when the window opens" } ?? "",
            ]
            return Row(
                name: clock(at: wave.at), detail: wave.zones.isEmpty ? "" : wave.zoneWords, count: wave.recipients,
                note: notes.filter { !$0.isEmpty }.joined(separator: ", "))
        }
        omitted = max(0, waves.count - Self.shown)
    }

    /// `nil` without stages.
    ///
    /// - Parameter tellsOthers: whether it is known who of a stage that is done got nothing.
    init?(_ occurrence: OccurrenceID, _ table: Plan.StageTable?, tellsOthers: Bool) {
        guard let table, !table.stages.isEmpty else { return nil }
        self.occurrence = occurrence
        let stages = table.stages
        let people = Self.people(
            stages.reduce(0) { $0 + $1.planned }, isMost: table.isCapped, isAbout: table.begin != nil)
        explanation =
            (table.begin.map { "from \($0.rfc3339): " } ?? "")
            + "\(people) in \(count(stages.count, "stage"))\(stages.count > 1 ? "; \(table.nextWords)" : "")"
        rows = stages.map { stage in
            let note = [stage.state == .ahead ? "" : stage.state.rawValue, stage.came(tellsOthers: tellsOthers)]
            return Row(
                name: stage.share.words, count: stage.planned,
                note: note.filter { !$0.isEmpty }.joined(separator: ": "))
        }
        omitted = 0
    }

    private static func people(_ number: Int, isMost: Bool, isAbout: Bool = false) -> String {
        "\(isMost ? "at most " : isAbout ? "about " : "")\(count(number, "recipient"))"
    }

    /// A line for each bar: `Tue 1 Dec 2026 00:07 UTC  ████  12,100  Asia/Tokyo and 2 more`.
    var lines: [String] {
        let most = rows.map(\.count).max() ?? 0
        let figures = rows.map(\.count.grouped)
        let names = rows.map(\.name.count).max() ?? 0
        let width = figures.map(\.count).max() ?? 0
        let lines = zip(rows, figures).map { row, figure in
            let length = most == 0 ? 0 : max(row.count > 0 ? 1 : 0, row.count * Self.width / most)
            let picture = String(repeating: "█", count: length).padded(to: Self.width)
            let space = String(repeating: " ", count: width - figure.count)
            let notes = [row.detail, row.note].filter { !$0.isEmpty }
            let note = notes.isEmpty ? "" : "  \(notes.joined(separator: ", "))"
            return "\(row.name.padded(to: names))  \(picture)  \(space)\(figure)\(note)"
        }
        return lines + (omitted > 0 ? ["and \(count(omitted, "more wave"))"] : [])
    }

    /// With a heading, for text.
    var textLines: [String] { ["\(occurrence): \(explanation)"] + lines.map { "  \($0)" } }

    /// For a page.
    var json: JSONValue? {
        JSONValue.chart(
            occurrence.rawValue, explanation,
            rows.map { row in
                Bar(
                    name: row.detail.isEmpty ? row.name : "\(row.name) \(row.detail)", length: Double(row.count),
                    figure: row.count.grouped + (row.note.isEmpty ? "" : ", \(row.note)"))
            })
    }
}

/// `Tue 1 Dec 2026 00:07 UTC`
private func clock(at instant: Date) -> String { "\(Zone.utc.local(at: instant).spoken) UTC" }

extension Plan.StageTable {
    /// When the next stage opens, and the last one, in words.
    fileprivate var nextWords: String {
        guard case .time(let time) = soak else { return "a person opens each next one" }
        let next = time == .zero ? "at once" : "\(time.written)"
        let words = "the next one opens \(next) after the last outcome, if all is well"
        guard let lastOpening else { return words }
        return "\(words); the last one at \(lastOpening.rfc3339) at the earliest"
    }
}

extension StageFigures {
    /// `102 accepted, 1 dead`; empty before the first outcome.
    var words: String {
        [(accepted, "accepted"), (rejected, "rejected"), (dead, "dead"), (unknown, "unknown")]
            .filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", ")
    }
}

extension PlanDocument {
    /// What is sent now in local time or in stages, what stands in its stages, and for each campaign in local time or
    /// with stages the occurrence that comes next.
    var sendCharts: [SendChart] {
        let sends = plan.steps.compactMap { if case .send(let send) = $0.work { send } else { nil } }
        // Who a stage left over counts in the next one. A snapshot does not say whom.
        let tellsOthers = overview.snapshot == nil
        let sending = sends.flatMap { send in
            [
                SendChart(send.occurrence, waves: send.shownWaves, isMost: send.mayShrink),
                SendChart(send.occurrence, send.stageTable, tellsOthers: tellsOthers),
            ]
            .compactMap(\.self)
        }
        let standing =
            plan.waiting.compactMap { SendChart($0.occurrence, $0.stages, tellsOthers: tellsOthers) }
            + plan.held.compactMap { SendChart($0.occurrence, $0.stages, tellsOthers: tellsOthers) }
        let now = sending + standing
        var campaigns = Set(sends.filter { $0.waves != nil }.map(\.campaign))
        let shown = Set(now.map(\.occurrence))
        let next = overview.upcoming.flatMap { upcoming -> [SendChart?] in
            let id = upcoming.occurring.occurrence
            let isNext = !upcoming.waves.isEmpty && campaigns.insert(upcoming.occurring.campaign).inserted
            let stages = shown.contains(id) ? nil : SendChart(id, upcoming.stages, tellsOthers: tellsOthers)
            return [isNext ? SendChart(id, waves: upcoming.waves, isMost: upcoming.capped != nil) : nil, stages]
        }
        return now + next.compactMap(\.self)
    }
}

extension Plan.Stage {
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "share": .string(share.text), "planned": .int(Int64(planned)), "state": .string(state.rawValue),
            "opened": opened.map { .string($0.rfc3339) } ?? .null,
        ]
        for (name, figure) in [
            ("accepted", figures?.accepted), ("rejected", figures?.rejected), ("dead", figures?.dead),
            ("unknown", figures?.unknown),
        ] {
            members[name] = figure.map { .int(Int64($0)) } ?? .null
        }
        return .object(members)
    }

    /// In one line: `10 % open, 1,000 recipients: 102 accepted, 1 dead`.
    var line: String {
        let came = came(tellsOthers: true)
        return "\(share.words) \(state.rawValue), \(count(planned, "recipient"))\(came.isEmpty ? "" : ": \(came)")"
    }

    /// What came of it: `102 accepted, 1 dead`. Whoever has no outcome when it is done was skipped, or left the list.
    fileprivate func came(tellsOthers: Bool) -> String {
        let others = tellsOthers && state == .done ? planned - (figures?.outcomes ?? 0) : 0
        return [figures?.words ?? "", others > 0 ? "\(others.grouped) got nothing" : ""]
            .filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
