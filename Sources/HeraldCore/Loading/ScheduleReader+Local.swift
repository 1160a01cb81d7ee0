/// Schedules on each recipient's own clock.
extension ScheduleReader {
    /// - Parameter field: the one that has each recipient's zone.
    static func readLocal(
        _ fields: Fields, field: String, _ schedule: inout Schedule, _ findings: inout Findings
    ) {
        let ifPassed: LocalSchedule.IfPassed? = fields.choice("if_passed", &findings)
        if let at = fields["at"], fields["cron"] == nil {
            guard let time = localTime(at, "at", &findings) else { return }
            if fields["if_passed"] == nil {
                findings.error(
                    .scheduleKeys, "'if_passed' must say what becomes of zones that have passed this time",
                    at: fields.keyRange("at"),
                    help: "add if_passed: skip to leave them out, or next_day for the same time a day later")
            }
            schedule.times = .local(LocalSchedule(.at(time, ifPassed ?? .skip), field: field))
        } else if let node = fields["cron"], fields["at"] == nil {
            if fields["if_passed"] != nil {
                findings.error(
                    .scheduleKeys, "'if_passed' has no meaning beside 'cron'", at: fields.keyRange("if_passed"),
                    help: "a zone that has passed one time gets the next one")
            }
            let before = findings.diagnostics.count
            let start = fields["start"].flatMap { localTime($0, "start", &findings) }
            let end = fields["end"].flatMap { localTime($0, "end", &findings) }
            if let start, let end, end <= start {
                findings.error(.scheduleTime, "'end' is not after 'start'", at: fields["end"]?.range ?? fields.range)
            }
            guard let cron = cron(node, &findings) else { return }
            let local = LocalSchedule(.cron(cron, start: start, end: end), field: field)
            schedule.times = .local(local)
            guard findings.diagnostics.count == before else { return }
            check(local, at: node, isBounded: start != nil || end != nil, &findings)
        }
    }

    private static func check(
        _ local: LocalSchedule, at node: Node, isBounded: Bool, _ findings: inout Findings
    ) {
        let times = local.firstTimes(limit: looked)
        guard !times.isEmpty else {
            findings.error(
                .scheduleNever, "the cron never fires\(isBounded ? " between 'start' and 'end'" : "")", at: node.range)
            return
        }
        let mostADay = Dictionary(grouping: times, by: \.startOfDay).values.map(\.count).max() ?? 0
        guard mostADay > Schedule.mostADay else { return }
        findings.error(
            .scheduleCron, "a schedule in local time fires at most \(Schedule.mostADay) times a day", at: node.range,
            help: "let it fire less often, or write one zone for everybody: timezone: Europe/Rome")
    }

    /// How many times of a schedule are looked at.
    private static let looked = 2000

    /// A time without an offset: the zone is each recipient's.
    private static func localTime(_ node: Node, _ key: String, _ findings: inout Findings) -> LocalTime? {
        let text = node.scalar?.text ?? ""
        if let local = LocalTime(written: text), Date.calculable.contains(local.firstInstant),
            Date.calculable.contains(local.lastInstant)
        {
            return local
        }
        let hasOffset = Date(rfc3339: text) != nil
        findings.error(
            .scheduleTime,
            hasOffset ? "'\(key)' is a local time here, so it has no offset" : "'\(key)' must be a local time",
            at: node.range, help: "write it as each recipient's clock shows it: 2026-12-01T09:00")
        return nil
    }
}
