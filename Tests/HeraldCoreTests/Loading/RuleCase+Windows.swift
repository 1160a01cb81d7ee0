import HeraldCore
import HeraldTestSupport

private func windowed(
    _ schedule: String, _ window: String, _ expiresAfter: String? = "4h", ttl: String? = nil,
    to target: String = "fids: [\(fid)]"
) -> String {
    let expiry = expiresAfter.map { "expires_after: \($0), " } ?? ""
    let android = ttl.map { ", android: {ttl: \($0)}" } ?? ""
    return "kind: campaign\nname: c\ntarget: {\(target)}\nmessage: {notification: {title: x}\(android)}\n"
        + "schedule: {\(schedule)}\ndelivery: {\(expiry)window: \(window)}\n"
}

/// A campaign to an audience with a list that has zones.
private func zoned(_ field: String, _ fields: String = "{zone: {type: timezone}}") -> [String: String] {
    [
        "all.csv": "fid,zone\n\(fid),Europe/Rome\n",
        "x.yaml": "kind: audience\nname: all\nsource: {file: all.csv}\nfields: \(fields)\n---\n"
            + windowed("at: 2026-12-01T10:07Z", window("timezone: {field: \(field)}"), to: "audience: all"),
    ]
}

/// A campaign in local time.
private func local(_ field: String, to target: String = "audience: all") -> [String: String] {
    [
        "all.csv": "fid,zone\n\(fid),Europe/Rome\n",
        "x.yaml": "kind: audience\nname: all\nsource: {file: all.csv}\nfields: {zone: {type: timezone}}\n---\n"
            + "kind: topic\nname: t\nsubscribers: [all]\n---\nkind: campaign\nname: c\ntarget: {\(target)}\n"
            + "message: {notification: {title: x}}\nschedule: {cron: 7 9 * * *, timezone: {field: \(field)}}\n",
    ]
}

/// A campaign in local time, with a window by the same clocks.
private func clocked(_ cron: String, _ mark: String = "") -> [String: String] {
    [
        "all.csv": "fid,zone\n\(fid),Europe/Rome\n",
        "x.yaml": "kind: audience\nname: all\nsource: {file: all.csv}\nfields: {zone: {type: timezone}}\n---\n"
            + windowed(
                "cron: '\(cron)', timezone: {field: zone}",
                "\(mark){from: \"09:00\", to: \"21:00\", days: MON-FRI}", to: "audience: all"),
    ]
}

private let samoa = "{from: \"09:00\", to: \"17:00\", days: MON-FRI, timezone: Pacific/Apia, when_closed: skip}"

private let nights = "{from: \"19:45\", to: \"04:15\", days: \"TUE,FRI\", timezone: America/New_York}"

private func window(_ rest: String) -> String { "{from: \"09:00\", to: \"21:00\", \(rest)}" }

private func open(_ times: String) -> String { windowed("at: 2026-12-01T10:07Z", times) }

private func workspace(_ version: Int, _ rest: String) -> [String: String] {
    ["herald.yaml": "herald: \(version)\nproject: p\n\(rest)\n"]
}

/// A campaign in a workspace with a frequency cap.
private func capped(_ cap: String, _ rest: String, to target: String = "fids: [\(fid)]") -> [String: String] {
    [
        "herald.yaml": "herald: 2\nproject: p\nfrequency_caps: [\(cap)]\n",
        "x.yaml": "kind: topic\nname: t\nsubscribers: []\n---\nkind: campaign\nname: c\ntarget: {\(target)}\n"
            + "message: {notification: {title: x}}\n\(rest)\n",
    ]
}

/// A campaign with a tag, in a workspace with a window and a cap for that tag.
private func lifted(_ delivery: String, _ rest: String) -> [String: String] {
    [
        "herald.yaml": "herald: 2\nproject: p\nfrequency_caps: [{name: promo, max: 1, per: 1d, tags: [promo]}]\n"
            + "delivery: {window: {from: \"09:00\", to: \"21:00\", when_closed: skip}}\n",
        "x.yaml": "kind: campaign\nname: c\ntags: [promo]\ntarget: {fids: [\(fid)]}\n"
            + "message: {notification: {title: x}}\n\(rest)delivery: {\(delivery)}\n",
    ]
}

extension RuleCase {
    static let windows: [RuleCase] = [
        RuleCase(
            .windowNever, "a time when it is closed, and nobody waits",
            windowed(
                "at: 2026-12-01T22:07, timezone: Europe/Rome", "▸{from: \"09:00\", to: \"21:00\", when_closed: skip}"),
            near: windowed(
                "at: 2026-12-01T20:07, timezone: Europe/Rome", "{from: \"09:00\", to: \"21:00\", when_closed: skip}")),
        RuleCase(
            .windowNever, "it expires before the window opens",
            windowed("cron: 7 22 * * *", "▸{from: \"09:00\", to: \"21:00\"}", "10h"),
            near: windowed("cron: 7 22 * * *", "{from: \"09:00\", to: \"21:00\"}", "11h")),
        RuleCase(
            .windowNever, "on days on which it is closed",
            windowed("cron: 7 10 * * SAT", "▸{from: \"09:00\", to: \"21:00\", days: MON-FRI}"),
            near: windowed("cron: '7 10 * * SAT,MON'", "{from: \"09:00\", to: \"21:00\", days: MON-FRI}")),
        RuleCase(
            .windowNever, "once a year, at an hour at which it is closed",
            windowed("cron: '7 22 15 8 *'", "▸{from: \"09:00\", to: \"21:00\", days: MON-FRI}", "4h"),
            near: windowed("cron: '7 9 15 8 *'", "{from: \"09:00\", to: \"21:00\", days: MON-FRI}", "4h")),
        RuleCase(
            .windowNever, "on each clock, at an hour at which it is closed",
            clocked("7 22 15 8 *", "▸"), near: clocked("7 9 15 8 *")),
        RuleCase(
            .windowNever, "every five minutes of late evenings",
            windowed("cron: '*/5 22-23 * * *'", "▸{from: \"09:00\", to: \"21:00\", days: \"SAT,SUN\"}", "4h"),
            near: windowed("cron: '*/5 * * * *'", "{from: \"09:00\", to: \"21:00\", days: \"SAT,SUN\"}", "4h")),
        RuleCase(
            .windowNever, "on a day that it has where the date is another one now than long ago",
            windowed("cron: 7 20 * * SAT", "▸\(samoa)"), near: windowed("cron: 7 20 * * SUN", samoa)),
        RuleCase(
            .windowNever, "at an hour that was in it long ago, when October was no summer time",
            windowed("cron: 59 8 * 10 *", "▸\(nights)", "1h"), near: windowed("cron: 59 7 * 10 *", nights, "1h")),
        RuleCase(
            .windowWaits, "nothing says how long the message is worth waiting for",
            windowed("cron: 7 10 * * *", "▸{from: \"09:00\", to: \"21:00\"}", nil),
            near: windowed("cron: 7 10 * * *", "{from: \"09:00\", to: \"21:00\", when_closed: skip}", nil)),
        RuleCase(
            .windowLifetime, "a day in a window of twelve hours",
            windowed("cron: 7 10 * * *", "▸{from: \"09:00\", to: \"21:00\"}", ttl: "1d"),
            near: windowed("cron: 7 10 * * *", "{from: \"09:00\", to: \"21:00\"}", ttl: "12h")),
        RuleCase(
            .zoneUnknown, "registrations that stand in the file",
            windowed(
                "cron: 7 10 * * *", "{from: \"09:00\", to: \"21:00\", timezone: {field: ▸zone, default: Europe/Rome}}"),
            near: windowed("cron: 7 10 * * *", "{from: \"09:00\", to: \"21:00\", timezone: Europe/Rome}")),
        RuleCase(
            .zoneTarget, "a topic", local("▸zone", to: "topic: t"), near: local("zone", to: "audience: all")),
        RuleCase(.unknownField, "for the zone of a schedule", local("▸zon"), near: local("zone")),
        RuleCase(.unknownField, "for the zone of a window", zoned("▸zon"), near: zoned("zone")),
        RuleCase(
            .fieldType, "for the zone of a window", zoned("▸zone", "{zone: {type: text}}"), near: zoned("zone")),
        RuleCase(
            .scheduleZone, "of a window", open(window("timezone: ▸Europe/Roma")),
            near: open(window("timezone: Europe/Rome"))),
        RuleCase(
            .scheduleZone, "by default", zoned("zone, default: ▸Europe/Roma"),
            near: zoned("zone, default: Europe/Rome")),
        RuleCase(
            .missingKey, "a window without an end", open("▸{from: \"09:00\"}"), near: open("{from: 09:00, to: 21:00}")),
        RuleCase(
            .invalidValue, "a window that is over when it begins", open("{from: \"09:00\", to: ▸\"09:00\"}"),
            near: open("{from: \"21:00\", to: \"20:59\"}")),
        RuleCase(
            .invalidValue, "a window from midnight at its end", open("{from: ▸\"24:00\", to: \"09:00\"}"),
            near: open("{from: \"00:00\", to: \"24:00\"}")),
        RuleCase(
            .invalidValue, "an hour of one digit", open("{from: ▸\"9:00\", to: \"21:00\"}"),
            near: open("{from: 09:00, to: 21:00}")),
        RuleCase(
            .invalidValue, "days that are no days", open(window("days: ▸MON-FUN")), near: open(window("days: mon-fri"))),
        RuleCase(
            .invalidValue, "another end of waiting", open(window("when_closed: ▸drop")),
            near: open(window("when_closed: wait"))),
        RuleCase(
            .wrongType, "a word for a window", open("▸never"), near: open("always")),
        RuleCase(
            .formatVersion, "a window for all campaigns", workspace(1, "▸delivery: {window: \(window("days: MON"))}"),
            near: workspace(2, "delivery: {window: \(window("days: MON"))}")),
        RuleCase(
            .unknownKey, "another key for all campaigns", workspace(2, "delivery: {▸rate: 5/s}"),
            near: workspace(2, "delivery: {}")),
    ]

    static let caps: [RuleCase] = [
        RuleCase(
            .capSchedule, "a daily campaign and a cap of one a day",
            capped("{name: all, max: 1, per: 24h}", "schedule: {cron: ▸7 10 * * *}"),
            near: capped("{name: all, max: 1, per: 20h}", "schedule: {cron: 7 10 * * *}")),
        RuleCase(
            .capSchedule, "a daily campaign and a cap that counts messages for a little longer than its time",
            capped("{name: all, max: 1, per: 1430m}", "schedule: {cron: ▸7 10 * * *}"),
            near: capped("{name: all, max: 1, per: 1400m}", "schedule: {cron: 7 10 * * *}")),
        RuleCase(
            .capSchedule, "and only a little longer beside a short cap, also of other messages",
            capped(
                "{name: all, max: 1, per: 1430m}, {name: alerts, max: 9, per: 1d, tags: [alert]}",
                "schedule: {cron: ▸7 10 * * *}"),
            near: capped(
                "{name: all, max: 1, per: 1430m}, {name: alerts, max: 9, per: 1h, tags: [alert]}",
                "schedule: {cron: 7 10 * * *}")),
        RuleCase(
            .capSchedule, "a day of 23 hours where the clocks change",
            capped("{name: all, max: 1, per: 1360m}", "schedule: {cron: ▸7 10 * * *, timezone: Europe/Berlin}"),
            near: capped("{name: all, max: 1, per: 22h}", "schedule: {cron: 7 10 * * *, timezone: Europe/Berlin}")),
        RuleCase(
            .capSchedule, "three hours a day and a cap of two",
            capped("{name: all, max: 2, per: 12h}", "schedule: {cron: ▸'7 9,12,15 * * *'}"),
            near: capped(
                "{name: all, max: 2, per: 12h}", "frequency_caps: {ignore: true}\nschedule: {cron: '7 9,12,15 * * *'}")),
        RuleCase(
            .capUncounted, "a topic with a tag",
            capped("{name: promo, max: 1, per: 24h, tags: [promo]}", "tags: ▸[promo]", to: "topic: t"),
            near: capped("{name: promo, max: 1, per: 24h, tags: [promo]}", "tags: [news]", to: "topic: t")),
        RuleCase(
            .windowLifted, "a kind of message that is counted",
            lifted("window: ▸always", ""), near: lifted("window: always", "frequency_caps: {ignore: true}\n")),
        RuleCase(
            .formatVersion, "frequency caps", workspace(1, "▸frequency_caps: [{name: all, max: 1, per: 1h}]"),
            near: workspace(2, "frequency_caps: [{name: all, max: 1, per: 1h}]")),
        RuleCase(
            .invalidValue, "a cap for less than a minute",
            workspace(2, "frequency_caps: [{name: all, max: 1, per: ▸59s}]"),
            near: workspace(2, "frequency_caps: [{name: all, max: 1, per: 60s}]")),
        RuleCase(
            .invalidValue, "a cap for more than 90 days",
            workspace(2, "frequency_caps: [{name: all, max: 1, per: ▸91d}]"),
            near: workspace(2, "frequency_caps: [{name: all, max: 1, per: 90d}]")),
        RuleCase(
            .wrongType, "a cap of no message", workspace(2, "frequency_caps: [{name: all, max: ▸0, per: 1h}]"),
            near: workspace(2, "frequency_caps: [{name: all, max: 1, per: 1h}]")),
        RuleCase(
            .duplicateResource, "two caps of one name",
            workspace(2, "frequency_caps: [{name: all, max: 1, per: 1h}, {name: ▸all, max: 2, per: 2h}]"),
            near: workspace(2, "frequency_caps: [{name: all, max: 1, per: 1h}, {name: al, max: 2, per: 2h}]")),
        RuleCase(
            .missingKey, "a cap without a time", workspace(2, "frequency_caps: [▸{name: all, max: 1}]"),
            near: workspace(2, "frequency_caps: [{name: all, max: 1, per: 1h}]")),
        RuleCase(
            .invalidValue, "a cap for no tag",
            workspace(2, "frequency_caps: [{name: all, max: 1, per: 1h, ▸tags: []}]"),
            near: workspace(2, "frequency_caps: [{name: all, max: 1, per: 1h, tags: [a]}]")),
        RuleCase(
            .resourceName, "a tag with a space", capped("{name: all, max: 1, per: 1h}", "tags: [▸big sale]"),
            near: capped("{name: all, max: 1, per: 1h}", "tags: [big-sale]")),
        RuleCase(
            .wrongType, "a priority beyond nine", capped("{name: all, max: 1, per: 1h}", "priority: ▸10"),
            near: capped("{name: all, max: 1, per: 1h}", "priority: 9")),
        RuleCase(
            .unknownKey, "another key of a campaign's caps",
            capped("{name: all, max: 1, per: 1h}", "frequency_caps: {▸max: 1}"),
            near: capped("{name: all, max: 1, per: 1h}", "frequency_caps: {count: false}")),
    ]
}
