/// Reads a campaign's `schedule`.
enum ScheduleReader {
    static let keys = KeyTable([
        "at", "cron", "start", "end", "timezone", "dst", "max_lateness", "catch_up", "if_passed",
    ])
    static let dstKeys = KeyTable(["gap", "overlap"])
    /// Keys that only apply to schedules with many occurrences.
    private static let cronKeys = ["start", "end", "catch_up"]

    /// What a campaign's file says about when it is due.
    struct Timing {
        var schedule: Schedule
        /// The field by whose zones it is due; see `Campaign.zoneField`.
        var zoneField: Located<String>?
    }

    /// Reads the schedule and reports mistakes without stopping at them. Without a node, the campaign is due at once.
    ///
    /// - Parameter defaultZone: the workspace's. A wrong one was already reported.
    static func timing(_ node: Node?, defaultZone: String, _ findings: inout Findings) -> Timing {
        var schedule = Schedule(zone: Zone(named: defaultZone) ?? .utc)
        guard let node, let fields = Fields(node, "'schedule'", keys, &findings) else {
            return Timing(schedule: schedule)
        }
        let written = ZoneReader.zone(in: fields, &findings)
        if let zone = written.zone { schedule.zone = zone }
        let overlap = fields["dst"].flatMap { readDST($0, &schedule.dst, &findings) }
        if let lateness = fields.duration("max_lateness", &findings) { schedule.maxLateness = lateness }
        if let catchUp: Schedule.CatchUp = fields.choice("catch_up", &findings) { schedule.catchUp = catchUp }
        checkKeys(fields, of: node, &findings)
        if let overlap, schedule.dst.overlap == .both,
            fields["at"] != nil && fields["cron"] == nil || written.field != nil
        {
            let reason = written.field == nil ? "'at' is one time" : "each recipient gets it once"
            findings.error(
                .scheduleKeys, "\(reason), so 'overlap' cannot be both", at: overlap,
                help: "write first, which is the default, or second", replacement: "first")
        }
        if let field = written.field {
            readLocal(fields, field: field.value, &schedule, &findings)
            return Timing(schedule: schedule, zoneField: field)
        }
        if fields["if_passed"] != nil {
            findings.error(
                .scheduleKeys, "'if_passed' is for schedules in local time", at: fields.keyRange("if_passed"),
                help: "leave it out, or write timezone: {field: NAME} for each recipient's own clock")
        }
        switch (fields["at"], fields["cron"]) {
        case (let at?, nil):
            if let time = time(at, "at", schedule, &findings) {
                (schedule.times, schedule.skipped) = (.at(time.date), time.skipped)
            }
        case (nil, let cron?): readCron(cron, fields, &schedule, &findings)
        default: break
        }
        return Timing(schedule: schedule)
    }

    /// Which keys go together.
    private static func checkKeys(_ fields: Fields, of node: Node, _ findings: inout Findings) {
        switch (fields["at"], fields["cron"]) {
        case (_?, nil):
            for key in cronKeys where fields[key] != nil {
                findings.error(.scheduleKeys, "'\(key)' has no meaning beside 'at'", at: fields.keyRange(key))
            }
        case (nil, _?): break
        case (_?, _?):
            let later = [fields.keyRange("at"), fields.keyRange("cron")].max { $0.start < $1.start } ?? fields.range
            findings.error(.scheduleKeys, "'at' and 'cron' exclude each other", at: later)
        case (nil, nil):
            findings.error(
                .scheduleKeys, "'schedule' needs 'at' or 'cron'", at: node.range,
                help: "leave 'schedule' out to send at once, one time")
        }
    }

    private static func readCron(
        _ node: Node, _ fields: Fields, _ schedule: inout Schedule, _ findings: inout Findings
    ) {
        let before = findings.diagnostics.count
        let start = fields["start"].flatMap { time($0, "start", schedule, &findings)?.date }
        let end = fields["end"].flatMap { time($0, "end", schedule, &findings)?.date }
        if let start, let end, end <= start {
            findings.error(.scheduleTime, "'end' is not after 'start'", at: fields["end"]?.range ?? fields.range)
        }
        guard let cron = cron(node, &findings) else { return }
        schedule.times = .cron(cron, start: start, end: end)
        // A schedule with mistakes cannot be checked further.
        guard findings.diagnostics.count == before, !schedule.canFire else { return }
        let bounds = start == nil && end == nil ? "" : " between 'start' and 'end'"
        findings.error(.scheduleNever, "the cron never fires\(bounds)", at: node.range)
    }

    /// Reads five fields. A mistake is reported at its place within the text, if that can be found in the file.
    static func cron(_ node: Node, _ findings: inout Findings) -> Cron? {
        guard let scalar = node.scalar else {
            findings.error(.wrongType, "'cron' must be text, not \(node.kindName)", at: node.range)
            return nil
        }
        do throws(CronError) {
            return try Cron(parsing: scalar.text)
        } catch {
            let part = error.length > 0 ? node.range(ofScalars: error.offset, error.length) : nil
            let place = findings.at(part ?? node.range)
            let meant = Cron.spelling(meantBy: scalar.text)
            var diagnostic = Diagnostic.error(
                .scheduleCron, error.message, at: place,
                help: meant.map { "the minute comes first: write \($0)" }
                    ?? "minute, hour, day of month, month and day of week, as in 30 9 * * MON")
            diagnostic.fix = meant.map { .init($0.quoted, at: node.range) }
            findings.diagnostics.append(diagnostic)
            return nil
        }
    }

    /// The value of `at`, `start` or `end`: local time in the zone, or a time with an offset. `skipped` is a local time
    /// that does not exist.
    private static func time(
        _ node: Node, _ key: String, _ schedule: Schedule, _ findings: inout Findings
    ) -> (date: Date, skipped: LocalTime?)? {
        // Times may be written without quotes here, because nothing else can be meant.
        let text = node.scalar?.text ?? ""
        if let date = Date(rfc3339: text) { return (date, nil) }
        guard let local = LocalTime(written: text) else {
            let meant = WrittenTime(meantBy: text)
            findings.error(
                .scheduleTime, "'\(key)' must be a time", at: node.range,
                help: meant.map { "write \($0.text)" } ?? WrittenTime.help(on: text)
                    ?? "write 2026-12-01T09:00 for a time of \(schedule.zone.name), "
                    + "or 2026-12-01T09:00+01:00 with its offset",
                replacement: meant?.text)
            return nil
        }
        let date: Date
        var skipped: LocalTime?
        switch schedule.zone.instants(of: local) {
        case .one(let instant): date = instant
        case .gap(let next):
            guard key != "at" || schedule.dst.gap == .next else {
                findings.error(
                    .scheduleNever, "there is no \(local.clock) on that day in \(schedule.zone.name)", at: node.range,
                    help: "the clocks jump over it, and 'gap' is skip")
                return nil
            }
            (date, skipped) = (next, local)
        case .overlap(let first, let second):
            // With `both`, a start includes both times, and so does an end.
            date = schedule.dst.overlap == .second || key == "end" && schedule.dst.overlap == .both ? second : first
        }
        guard Date.calculable.contains(date) else {
            findings.error(.scheduleTime, "'\(key)' is not in the years 1 to 9999", at: node.range)
            return nil
        }
        return (date, skipped)
    }

    /// Reads `dst` and returns the place of `overlap`, if it is there.
    private static func readDST(_ node: Node, _ dst: inout DST, _ findings: inout Findings) -> TextRange? {
        guard let fields = Fields(node, "'dst'", dstKeys, &findings) else { return nil }
        if let gap: DST.Gap = fields.choice("gap", &findings) { dst.gap = gap }
        if let overlap: DST.Overlap = fields.choice("overlap", &findings) { dst.overlap = overlap }
        return fields["overlap"]?.range
    }
}
