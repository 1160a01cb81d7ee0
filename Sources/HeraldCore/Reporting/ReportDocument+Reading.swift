internal import FCM

/// Reads a saved report. It may come from another version of herald, or be edited by hand.
extension ReportDocument {
    /// Why a file cannot be shown.
    package enum ReadingError: Error, Hashable, Sendable {
        /// The file is not a herald report.
        case noReport
        /// The report has a format version that this herald does not know.
        case otherVersion(String)
        /// The value at that key, such as `steps[2].planned`, is not valid there.
        case malformed(String)
    }

    /// Herald never writes a larger report.
    package static let maximumSize = 64 << 20

    /// A file does not say how often a step repeated requests, nor how many subscriptions were there before. These
    /// figures stay zero.
    ///
    /// - Parameter reveals: Whether registrations may be shown as the file has them.
    package init(reading bytes: [UInt8], reveals: Bool = false) throws(ReadingError) {
        guard bytes.count <= Self.maximumSize, let json = try? JSONValue(parsing: bytes),
            let schema = json["schema"]?.string, schema.hasPrefix("herald.report/")
        else { throw .noReport }
        guard schema == "herald.report/1" else { throw .otherVersion(schema.printable) }
        let fields = ReportFields(json, reveals: reveals)
        var summary: [String: Int] = [:]
        // The other figures are those of the steps.
        for (name, value) in try fields.object("summary") where value.object == nil {
            summary[name] = try fields.nested("summary").count(name)
        }
        var report = try Report(fields, summary)
        // Only the totals tell which step has dead registrations beyond the failures that it lists. Those of recipients
        // that another registration replaced are among them, too.
        if let rejected = summary["rejected"], rejected > 0, rejected == summary["forgotten"] {
            for index in report.steps.indices where report.steps[index].failures.allSatisfy(\.isOfDead) {
                report.steps[index].forgotten = report.steps[index].rejected + report.steps[index].replaced
            }
        }
        self.init(report, savedSummary: summary)
    }
}

/// One object of a saved report. The texts it returns are short and safe for a terminal.
private struct ReportFields {
    private let json: JSONValue
    private let reveals: Bool
    /// Where the object is, for errors.
    private let path: String

    typealias Failure = ReportDocument.ReadingError

    init(_ json: JSONValue, reveals: Bool, path: String = "") {
        self.json = json
        self.reveals = reveals
        self.path = path
    }

    fileprivate func malformed(_ key: String) -> Failure { .malformed((path + key).printable) }

    /// Whether the key has a value other than null.
    func has(_ key: String) -> Bool { json[key] != nil && json[key] != .null }

    func text(_ key: String) throws(Failure) -> String {
        guard let text = json[key]?.string else { throw malformed(key) }
        return text.printable
    }

    func optionalText(_ key: String) throws(Failure) -> String? { has(key) ? try text(key) : nil }

    func texts(_ key: String) throws(Failure) -> [String] {
        guard has(key) else { return [] }
        guard let items = json[key]?.array else { throw malformed(key) }
        var texts: [String] = []
        for item in items {
            guard let text = item.string else { throw malformed(key) }
            texts.append(text.printable)
        }
        return texts
    }

    /// At most 10^12, so that sums do not overflow.
    func count(_ key: String) throws(Failure) -> Int {
        guard let number = json[key]?.int, (0...1_000_000_000_000).contains(number) else { throw malformed(key) }
        return Int(number)
    }

    /// 0 where the key is absent.
    func optionalCount(_ key: String) throws(Failure) -> Int { has(key) ? try count(key) : 0 }

    func bool(_ key: String) throws(Failure) -> Bool {
        guard case .bool(let value)? = json[key] else { throw malformed(key) }
        return value
    }

    func time(_ key: String) throws(Failure) -> Date {
        guard let date = json[key]?.string.flatMap({ Date(rfc3339: $0) }) else { throw malformed(key) }
        return date
    }

    func word<Word: RawRepresentable<String>>(_ key: String) throws(Failure) -> Word {
        guard let word = json[key]?.string.flatMap({ Word(rawValue: $0) }) else { throw malformed(key) }
        return word
    }

    func stamp(_ key: String) throws(Failure) -> Stamp? {
        guard has(key) else { return nil }
        guard let stamp = Stamp(json: json[key]) else { throw malformed(key) }
        return stamp
    }

    func object(_ key: String) throws(Failure) -> [String: JSONValue] {
        guard let members = json[key]?.object else { throw malformed(key) }
        return members
    }

    func nested(_ key: String) throws(Failure) -> ReportFields {
        ReportFields(.object(try object(key)), reveals: reveals, path: "\(path)\(key).")
    }

    func list(_ key: String) throws(Failure) -> [ReportFields] {
        guard let items = json[key]?.array else { throw malformed(key) }
        return items.enumerated().map { ReportFields($1, reveals: reveals, path: "\(path)\(key)[\($0)].") }
    }

    /// A fingerprint. Any other text is not returned, since it may be a registration.
    func registration(_ key: String) throws(Failure) -> String? {
        guard let text = try optionalText(key) else { return nil }
        let isFingerprint = text.wholeMatch(of: #/r_[0-9a-f]{16}/#) != nil
        return reveals || isFingerprint ? text : "(a registration)"
    }

    /// A server's sentence, without registrations.
    func sentence(_ key: String) throws(Failure) -> String {
        let text = try text(key)
        return reveals ? text : Registration.masking(text)
    }

    func unrecorded(_ key: String) throws(Failure) -> UnrecordedOutcomes? {
        guard has(key), let json = json[key] else { return nil }
        guard let outcomes = UnrecordedOutcomes(json: json) else { throw malformed(key) }
        return outcomes
    }

    func check(_ isGood: Bool, _ key: String) throws(Failure) {
        if !isGood { throw malformed(key) }
    }
}

extension Report {
    /// - Parameter summary: the figures that are those of the whole run.
    fileprivate init(_ fields: ReportFields, _ summary: [String: Int]) throws(ReportDocument.ReadingError) {
        run = try fields.text("run")
        planDigest = try fields.text("plan_digest")
        isDryRun = try fields.bool("dry_run")
        started = try fields.time("started")
        finished = fields.has("finished") ? try fields.time("finished") : nil
        result = try fields.word("result")
        endpoint = try fields.word("endpoint")
        project = try fields.text("project")
        version = try fields.text("herald_version")
        gitCommit = try fields.optionalText("git_commit")
        overrides = try fields.texts("overrides")
        approval = try fields.optionalText("approval")
        notes = try fields.texts("notes")
        // Reports of older heralds do not say.
        if fields.has("state") {
            let version = try fields.nested("state")
            state = StateVersion(lineage: try version.text("lineage"), serial: Int64(try version.count("serial")))
            // Reports of older heralds have none.
            state?.stamp = try version.stamp("stamp")
        }
        missedOccurrences = try Self.leftOut("missed", fields)
        superseded = try Self.leftOut("superseded", fields)
        missed = summary["missed"] ?? 0
        // Reports of older heralds do not say.
        supersededCount = summary["superseded"] ?? superseded.count
        steps = []
        for step in try fields.list("steps") { steps.append(try StepReport(step)) }
    }

    private static func leftOut(
        _ key: String, _ fields: ReportFields
    ) throws(ReportDocument.ReadingError) -> [Plan.Missed] {
        try (fields.has(key) ? fields.list(key) : []).map { (missed) throws(ReportDocument.ReadingError) in
            Plan.Missed(
                occurrence: OccurrenceID(rawValue: try missed.text("occurrence")), due: try missed.time("due"),
                reason: try missed.text("reason"))
        }
    }
}

extension StepReport {
    fileprivate init(_ fields: ReportFields) throws(ReportDocument.ReadingError) {
        id = StepID(rawValue: try fields.text("id"))
        action = try fields.word("action")
        planned = try fields.count("planned")
        occurrence = try fields.optionalText("occurrence")
        topic = try fields.optionalText("topic")
        group = try fields.optionalText("group")
        note = try fields.optionalText("note")
        approver = try fields.optionalText("approved_by")
        accepted = try fields.count("accepted")
        rejected = try fields.count("rejected")
        unknown = try fields.count("unknown")
        skipped = try fields.count("skipped")
        held = try fields.count("held")
        // Holds for every step that herald saves.
        try fields.check(pending == fields.count("pending"), "pending")
        duration = .milliseconds(try fields.count("duration_ms"))
        messageIDs = try fields.texts("message_ids")
        for failure in try fields.list("failures") { failures.append(try Report.Failure(failure)) }
        failuresOmitted = failures.count < Self.shownFailures ? 0 : max(0, rejected + unknown - failures.count)
        forgotten = failures.count { $0.action == .forgotten }
        doubted = failures.count { $0.action == .kept }
        // Whoever has another registration instead of a dead one is not among the rejected.
        replaced = max(0, forgotten + doubted + failures.count { $0.action == .rejected } - rejected)
        if let reason = try fields.optionalText("stopped") { stop(.saved(reason)) }
        // Reports of older heralds do not say.
        if let note, fields.has("waiting"), try fields.bool("waiting") { wait(note) }
        unrecorded = try fields.unrecorded("unrecorded")
        locales = try Self.accounts("locales", fields)
        variants = try Self.accounts("variants", fields)
        try readLeftOut("skipped_because", fields)
        if fields.has("joined_late") { joinedLate = try fields.count("joined_late") }
        if fields.has("stages") { stages = try fields.list("stages").map(Plan.Stage.init) }
    }

    /// Only sends that skip somebody have them.
    private mutating func readLeftOut(_ key: String, _ fields: ReportFields) throws(ReportDocument.ReadingError) {
        guard fields.has(key) else { return }
        let all = try fields.nested(key)
        leftOut.heldOut = try all.optionalCount("held_out")
        leftOut.gone = try all.optionalCount("gone")
        leftOut.dead = try all.optionalCount("dead")
        var reasons: [SkipReason: Int] = [:]
        for reason in SkipReason.single where reason != .heldOut {
            reasons[reason] = try all.optionalCount(reason.rawValue)
        }
        if all.has("capped") {
            let caps = try all.nested("capped")
            for cap in try all.object("capped").keys { reasons[.capped(cap.printable)] = try caps.count(cap) }
        }
        leftOut.reasons = reasons.filter { $0.value > 0 }
    }
}

extension Plan.Stage {
    fileprivate init(_ fields: ReportFields) throws(ReportDocument.ReadingError) {
        guard let share = StageShare(documented: try fields.text("share")) else { throw fields.malformed("share") }
        guard let state = State(rawValue: try fields.text("state")) else { throw fields.malformed("state") }
        var figures: StageFigures?
        if fields.has("accepted") {
            figures = StageFigures(
                accepted: try fields.count("accepted"), rejected: try fields.count("rejected"),
                dead: try fields.count("dead"), unknown: try fields.count("unknown"))
        }
        self.init(
            share: share, planned: try fields.count("planned"),
            opened: fields.has("opened") ? try fields.time("opened") : nil, figures: figures, state: state)
    }
}

extension StepReport {
    /// Only sends of personal campaigns have them.
    private static func accounts(
        _ key: String, _ fields: ReportFields
    ) throws(ReportDocument.ReadingError) -> [String: ClassFigures] {
        guard fields.has(key) else { return [:] }
        var accounts: [String: ClassFigures] = [:]
        let all = try fields.nested(key)
        for name in try fields.object(key).keys {
            accounts[name.printable] = try ClassFigures(try all.nested(name))
        }
        return accounts
    }
}

extension StepReport.ClassFigures {
    fileprivate init(_ fields: ReportFields) throws(ReportDocument.ReadingError) {
        self.init()
        planned = try fields.count("planned")
        accepted = try fields.count("accepted")
        rejected = try fields.count("rejected")
        unknown = try fields.count("unknown")
        skipped = try fields.count("skipped")
        held = try fields.count("held")
        try fields.check(pending == fields.count("pending"), "pending")
    }
}

extension Report.Failure {
    fileprivate var isOfDead: Bool { action == .forgotten }

    fileprivate init(_ fields: ReportFields) throws(ReportDocument.ReadingError) {
        registration = try fields.registration("registration")
        code = try fields.text("code")
        httpStatus = fields.has("http_status") ? try fields.count("http_status") : nil
        message = try fields.sentence("message")
        attempts = try fields.count("attempts")
        action = try fields.word("action")
    }
}
