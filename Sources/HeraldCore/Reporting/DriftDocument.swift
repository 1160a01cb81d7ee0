package import FCM

/// How FCM differs from the state, `herald.drift/1`. It names no registration.
package struct DriftDocument: Document {
    package let report: SurveyReport
    private let survey: Survey
    let frame: Frame

    /// What a reader must know besides the answers.
    package struct Frame: Hashable, Sendable {
        package var project: String
        package var started: Date
        package var finished: Date
        /// When registrations were asked for before.
        package var observed: Partition<Date>
        /// How many registrations the call is about.
        package var everybody: Int
        /// The pass that the call belongs to. `nil` for a sample.
        package var pass: SurveyPass?
        /// The seed of the sample. `nil` if it is none.
        package var seed: String?
        /// What the state has learned. `nil` if nothing was to be recorded.
        package var recorded: Recorded?
        /// Whether more are dead than the guard lets herald forget.
        package var hasTooManyDead = false

        package init(project: String, started: Date, finished: Date, observed: Partition<Date>, everybody: Int) {
            (self.project, self.started, self.finished) = (project, started, finished)
            (self.observed, self.everybody) = (observed, everybody)
        }
    }

    package struct Recorded: Hashable, Sendable {
        /// How many dead registrations were forgotten.
        package var forgotten: Int
        /// The topics that subscribe those again who left by themselves.
        package var restoring: Set<TopicName>
        /// The topics that subscribe only those of them again who are suppressed.
        package var keepingSuppressed: Set<TopicName>

        package init(forgotten: Int, restoring: Set<TopicName>, keepingSuppressed: Set<TopicName>) {
            (self.forgotten, self.restoring, self.keepingSuppressed) = (forgotten, restoring, keepingSuppressed)
        }
    }

    package init(_ report: SurveyReport, of survey: Survey, _ frame: Frame) {
        (self.report, self.survey, self.frame) = (report, survey, frame)
    }

    var figures: SurveyFigures { report.figures }

    /// Whether FCM has other subscriptions than the state.
    package var hasDrift: Bool { figures.left + figures.foreign > 0 }

    var result: String {
        if report.end == .interrupted { return "interrupted" }
        if frame.hasTooManyDead { return "refused" }
        if report.end != nil || !figures.failed.isEmpty { return "failed" }
        return hasDrift ? "drift" : "agreement"
    }

    /// One row for each topic that the call is about.
    struct Row {
        let topic: TopicName
        let found: SurveyFigures.Topic
        let notAsked: Int
        let oldest: Date?
        /// How many were never asked for.
        let never: Int
    }

    var rows: [Row] {
        survey.expected.names.map { name in
            let (found, subscribers) = (figures[name], survey.expected.subscribers(of: name))
            let (oldest, never) = Survey.oldest(of: subscribers, frame.observed, now: observedNow, at: survey.noted)
            return Row(
                topic: name, found: found, notAsked: subscribers.count - found.known - found.failed, oldest: oldest,
                never: never)
        }
    }

    /// Who was asked for and gave an answer that the state notes.
    private var observedNow: RecipientSet { figures.asked.subtracting(figures.failed) }

    var isSample: Bool { frame.seed != nil }

    // MARK: JSON

    package var json: JSONValue {
        [
            "schema": "herald.drift/1", "project": .string(frame.project), "result": .string(result),
            "started": .string(frame.started.rfc3339), "finished": .string(frame.finished.rfc3339),
            "reason": reason.map { .string($0) } ?? .null,
            "registrations": [
                "all": number(frame.everybody), "asked": number(figures.asked.count),
                "drifted": number(figures.drifted), "dead": number(figures.dead.count),
                "failed": number(figures.failed.count), "not_asked": number(frame.everybody - figures.asked.count),
            ],
            "requests": [
                "all": number(report.requests), "again": number(report.askedAgain), "pages": number(report.pages),
                "retries": number(report.retries),
            ],
            "pass": passJSON, "sample": sampleJSON, "recorded": recordedJSON, "topics": .array(rows.map { json($0) }),
            "failures": .array(failures.map { json($0) }),
        ]
    }

    private var passJSON: JSONValue {
        guard let pass = frame.pass else { return .null }
        return [
            "began": .string(pass.began.rfc3339), "asked_before": number(pass.before.count),
            "complete": .bool(isComplete),
        ]
    }

    private var sampleJSON: JSONValue {
        guard let seed = frame.seed else { return .null }
        return ["size": number(report.planned), "seed": .string(seed)]
    }

    private var recordedJSON: JSONValue {
        guard let recorded = frame.recorded else { return .null }
        return ["left": number(figures.left), "forgotten": number(recorded.forgotten)]
    }

    private func json(_ failure: (code: String, count: Int, message: String)) -> JSONValue {
        ["code": .string(failure.code), "count": number(failure.count), "message": .string(failure.message)]
    }

    private func json(_ row: Row) -> JSONValue {
        let found = row.found
        return [
            "topic": .string(row.topic.rawValue), "same": number(found.same), "left": number(found.left.count),
            "foreign": number(found.foreign.count), "dead": number(found.dead), "not_asked": number(row.notAsked),
            "failed": number(found.failed), "oldest": row.oldest.map { .string($0.rfc3339) } ?? .null,
            "never_asked": number(row.never),
            "shares": isSample ? .object(shares(row).mapValues { json($0) }) : .null,
        ]
    }

    private func json(_ share: ShareInterval?) -> JSONValue {
        guard let share else { return .null }
        return ["share": .double(share.share), "low": .double(share.low), "high": .double(share.high)]
    }

    /// The shares of those asked for. Only registrations that the state knows were asked for, so a share of foreign ones
    /// is one of them all.
    func shares(_ row: Row) -> [String: ShareInterval?] {
        let found = row.found
        return [
            "same": ShareInterval(found.same, of: found.known),
            "left": ShareInterval(found.left.count, of: found.known),
            "dead": ShareInterval(found.dead, of: found.known),
            "foreign": ShareInterval(found.foreign.count, of: figures.answered),
        ]
    }

    private func number(_ count: Int) -> JSONValue { .int(Int64(count)) }

    var isComplete: Bool { report.end == nil && report.pending == 0 && isWhole }

    /// Whether nobody was left out by a budget.
    var isWhole: Bool { report.planned + (frame.pass?.before.count ?? 0) >= frame.everybody }

    var reason: String? {
        switch report.end {
        case .interrupted: "it was stopped"
        case .impossible(let reason): reason
        case nil: nil
        }
    }

    var failures: [(code: String, count: Int, message: String)] {
        figures.failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { code, count in
            (code: code, count: count, message: figures.sentences[code] ?? "")
        }
    }
}
