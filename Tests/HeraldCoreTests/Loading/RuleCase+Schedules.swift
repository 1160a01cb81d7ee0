import HeraldCore
import HeraldTestSupport

private func campaign(_ rest: String) -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: campaign\nname: c\ntarget: {topic: t}\n\(rest)\n"
}
private func message(_ rest: String) -> String { campaign("message: \(rest)") }
private func sent(_ rest: String) -> String { message("{notification: {title: x}, data: {a: b}}\n\(rest)") }
private func timed(_ rest: String) -> String {
    sent("schedule: {\(rest)}").replacing("target: {topic: t}", with: "target: {fids: [\(fid)]}")
}
private func settings(_ rest: String) -> String { settingsText + rest + "\n" }

extension RuleCase {
    static let schedules: [RuleCase] = [
        RuleCase(
            .scheduleTime, "a day the month does not have", timed("at: ▸2026-02-29T09:00Z"),
            near: timed("at: 2028-02-29T09:00Z")),
        RuleCase(
            .scheduleTime, "a time without a day", timed("at: ▸09:00"), near: timed("at: \"2026-12-01T09:00+01:00\"")),
        RuleCase(
            .scheduleTime, "a wall time of 24 hours", timed("at: ▸2026-12-01T24:00"),
            near: timed("at: 2026-12-01T23:59:59")),
        RuleCase(
            .scheduleTime, "a wall time beyond the year 9999 of UTC",
            timed("at: ▸9999-12-31T20:00, timezone: America/New_York"),
            near: timed("at: 9999-12-31T18:59, timezone: America/New_York")),
        RuleCase(
            .scheduleTime, "a start that is a date", timed("cron: 0 9 * * *, start: ▸2026-12-01"),
            near: timed("cron: 0 9 * * *, start: 2026-12-01T00:00")),
        RuleCase(
            .scheduleTime, "an end at the start",
            timed("cron: 0 9 * * *, start: 2026-12-01T09:00Z, end: ▸2026-12-01T09:00Z"),
            near: timed("cron: 0 9 * * *, start: 2026-12-01T09:00Z, end: 2026-12-01T09:01Z")),
        RuleCase(
            .scheduleTime, "an end before the start by its offset",
            timed("cron: 0 9 * * *, start: 2026-12-01T09:00Z, end: ▸2026-12-01T09:30+01:00"),
            near: timed("cron: 0 9 * * *, start: 2026-12-01T09:00Z, end: 2026-12-01T09:30-01:00")),
        RuleCase(
            .scheduleKeys, "a time and a cron", timed("at: 2026-12-01T09:00, ▸cron: 0 9 * * *"),
            near: timed("at: 2026-12-01T09:00")),
        RuleCase(.scheduleKeys, "nothing", sent("schedule: ▸{}"), near: sent("")),
        RuleCase(
            .scheduleKeys, "no time", timed("max_lateness: 1h").replacing("schedule: {", with: "schedule: ▸{"),
            near: timed("max_lateness: 1h, at: 2026-12-01T09:00")),
        RuleCase(
            .scheduleKeys, "a start beside a time", timed("at: 2026-12-01T09:00, ▸start: 2026-11-01T09:00"),
            near: timed("cron: 0 9 * * *, start: 2026-11-01T09:00")),
        RuleCase(
            .scheduleKeys, "an end beside a time", timed("at: 2026-12-01T09:00, ▸end: 2026-12-02T09:00"),
            near: timed("cron: 0 9 * * *, end: 2026-12-02T09:00")),
        RuleCase(
            .scheduleKeys, "one time to catch up with", timed("at: 2026-12-01T09:00, ▸catch_up: all"),
            near: timed("cron: 0 9 * * *, catch_up: all")),
        RuleCase(
            .scheduleKeys, "one time at both", timed("at: 2026-12-01T09:00, dst: {overlap: ▸both}"),
            near: timed("at: 2026-12-01T09:00, dst: {overlap: second}")),
        RuleCase(.scheduleCron, "minute 60", timed("cron: ▸60 9 * * MON"), near: timed("cron: 59 9 * * MON")),
        RuleCase(.scheduleCron, "hour 24 in quotes", timed("cron: '0 ▸24 * * *'"), near: timed("cron: '0 23 * * *'")),
        RuleCase(
            .scheduleCron, "a day misspelt in quotes", timed("cron: \"0 9 * * Mon,▸Tues\""),
            near: timed("cron: \"0 9 * * Mon,Tue\"")),
        RuleCase(
            .scheduleCron, "six fields", timed("cron: 0 0 9 * * ▸MON"), near: timed("cron: 0 9 * * MON")),
        RuleCase(.scheduleCron, "four fields", timed("cron: ▸0 9 * *"), near: timed("cron: 0 9 * * 0-7")),
        RuleCase(.scheduleCron, "nothing", timed("cron: ▸''"), near: timed("cron: '0 9 1 1 0'")),
        RuleCase(
            .scheduleCron, "on lines of its own", sent("schedule:\n  cron: ▸>-\n    0 24\n    * * *"),
            near: sent("schedule:\n  cron: >-\n    7 23\n    * * *")),
        RuleCase(
            .scheduleCron, "with an escape", timed("cron: ▸\"0\\x20\\x324 * * *\""),
            near: timed("cron: \"0\\x20\\x323 * * *\"")),
        RuleCase(
            .scheduleZone, "a zone misspelt", timed("at: 2026-12-01T09:00, timezone: ▸Europe/Roma"),
            near: timed("at: 2026-12-01T09:00, timezone: Europe/Rome")),
        RuleCase(
            .scheduleZone, "a way out of the database", timed("cron: 0 9 * * *, timezone: ▸../../../etc/localtime"),
            near: timed("cron: 0 9 * * *, timezone: America/Argentina/Ushuaia")),
        RuleCase(
            .scheduleZone, "in the settings",
            ["herald.yaml": settings("timezone: ▸Rome"), "x.yaml": timed("cron: 0 9 * * *")],
            near: ["herald.yaml": settings("timezone: Europe/Rome"), "x.yaml": timed("cron: 0 9 * * *")]),
        RuleCase(
            .scheduleNever, "a day no month has", timed("cron: ▸0 9 30 2 *"), near: timed("cron: 0 9 29 2 *")),
        RuleCase(
            .scheduleNever, "none between start and end",
            timed("cron: ▸0 9 29 2 *, start: 2026-01-01T00:00, end: 2027-12-31T00:00"),
            near: timed("cron: 0 9 29 2 *, start: 2026-01-01T00:00, end: 2028-12-31T00:00")),
        RuleCase(
            .scheduleNever, "a time in a gap that is skipped",
            timed("at: ▸2026-03-29T02:30, timezone: Europe/Rome, dst: {gap: skip}"),
            near: timed("at: 2026-03-29T02:30, timezone: Europe/Rome, dst: {gap: next}")),
        RuleCase(.yamlSyntax, "a bare star", sent("schedule:\n  cron: ▸* * * * *◂"), near: timed("cron: '* * * * *'")),
    ]
}
