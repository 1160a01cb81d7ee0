internal import FCM

/// The fields of a definition, as they are gathered.
struct FieldList {
    private(set) var all: [Definition.Field] = []

    /// - Parameter usual: What it is if the file does not say it.
    mutating func add(
        _ path: String, _ value: JSONValue?, usually usual: JSONValue? = nil, isDecision: Bool = true
    ) {
        guard let value else { return }
        all.append(.init(path: path, value: .json(value), isDecision: isDecision, isUsual: value == usual))
    }

    mutating func add(_ path: String, _ names: Set<String>) {
        if !names.isEmpty { all.append(.init(path: path, value: .names(names))) }
    }

    mutating func add(_ path: String, _ names: [Located<String>]) { add(path, Set(names.map(\.value))) }

    mutating func add(_ path: String, _ registrations: [Registration]) {
        all.append(.init(path: path, value: .registrations(Set(registrations))))
    }

    /// The leaves of a value, each under its own path. Lists stay whole.
    mutating func add(_ path: String, of value: JSONValue) {
        guard case .object(let members) = value, !members.isEmpty else { return add(path, value) }
        for (key, member) in members.sorted(by: { $0.key < $1.key }) { add(path.path(to: key), of: member) }
    }

    mutating func addOrigin(_ origin: Audience.Origin) {
        switch origin.kind {
        case .command(let words): add("source.command", .array(words.map { .string($0) }))
        case .sqlite(let file, _): add("source.sqlite", .string(file.value.inWorkspace(from: file.range.file)))
        case .postgres(let address, _):
            add("source.postgres", .string(Audience.Origin.withoutPassword(address)))
        case .https(let source):
            add("source.https", .string(source.url))
            add("source.hosts", source.hosts)
            for (name, value) in source.headers.sorted(by: { $0.key < $1.key }) {
                add("source.headers".path(to: name), .string(value))
            }
        }
        add("source.query", origin.query.map { .string($0.text) })
        add("source.ca", origin.ca.map { .string($0.value.inWorkspace(from: $0.range.file)) })
        add("source.format", .string(origin.format.rawValue), usually: "csv")
        add("source.env", origin.variables)
        let freshness = origin.freshness
        add("source.fetch.timeout", .string(origin.timeout.written), isDecision: false)
        add("source.fetch.every", freshness.every.map { .string($0.written) }, isDecision: false)
        add("source.fetch.warn_after", freshness.warnAfter.map { .string($0.written) }, isDecision: false)
        add("source.fetch.error_after", freshness.errorAfter.map { .string($0.written) })
        add("source.fetch.loaded_at", freshness.loadedAt.map { .string($0) })
        add("source.expect.max_row_change", origin.maxRowChange.map { .string("\($0)%") })
    }

    mutating func addFilter(_ filter: Audience.Filter) {
        let path = "where".path(to: filter.column.value)
        switch filter.test {
        case .oneOf(let values): add(path, values)
        case .not(let values): add("\(path).not", values)
        case .atLeast(let bound): add("\(path).at_least", .string(bound.text))
        case .below(let bound): add("\(path).below", .string(bound.text))
        case .within(let span): add("\(path).within", .string(span.written))
        case .before(let span): add("\(path).before", .string(span.written))
        }
    }

    mutating func addField(_ field: Field) {
        let path = "fields".path(to: field.name)
        add("\(path).type", .string(field.kind.rawValue))
        add("\(path).max", field.maximum.map { .int(Int64($0)) })
        add("\(path).column", .string(field.column), usually: .string(field.name))
    }

    mutating func addPersonal(_ personal: Personal) {
        add("personal.fields", personal.fields)
        add("personal.locale", personal.locale.map { .string($0.value) })
        add("personal.default_locale", personal.defaultLocale.map { .string($0.value) })
        add(
            "personal.bad_rows", .string(personal.badRows.rawValue),
            usually: .string(Personal().badRows.rawValue))
        addLocales("locales", personal.locales)
        for variant in personal.variants {
            let path = "variants".path(to: variant.name.value)
            add("\(path).weight", .int(Int64(variant.weight)))
            add("\(path).holdout", variant.isHoldout ? true : nil)
            if !variant.message.isEmpty { add("\(path).message", of: .object(variant.message)) }
            addLocales("\(path).locales", variant.locales)
        }
        add("split.seed", personal.split.seed.map { .string($0) })
        add("split.by", personal.split.by.map { .string($0.value) })
    }

    private mutating func addLocales(_ path: String, _ locales: [String: [String: JSONValue]]) {
        for (locale, message) in locales.sorted(by: { $0.key < $1.key }) {
            add(path.path(to: locale), of: .object(message))
        }
    }

    mutating func addSchedule(_ schedule: Schedule) {
        let usual = Schedule()
        switch schedule.times {
        case .once: add("schedule", "once", usually: "once")
        case .at(let date): all.append(.init(path: "schedule.at", value: .time(date, schedule.zone)))
        case .cron(let cron, let start, let end):
            all.append(.init(path: "schedule.cron", value: .cron(cron, schedule.zone)))
            if let start { all.append(.init(path: "schedule.start", value: .time(start, schedule.zone))) }
            if let end { all.append(.init(path: "schedule.end", value: .time(end, schedule.zone))) }
            addClockChanges(schedule.dst)
        case .local(let local):
            addLocal(local)
            addClockChanges(schedule.dst)
        }
        // A single time is the same instant in every zone. Its zone only says how people write it.
        // A time names its zone, except on each recipient's clock: there it is that of rows that name none.
        let zone = JSONValue.string(schedule.zone.name)
        let isEach = schedule.local != nil
        add("schedule.timezone", zone, usually: isEach ? nil : zone, isDecision: schedule.isCron || isEach)
        add(
            "schedule.max_lateness", .string(schedule.maxLateness.protobufText),
            usually: .string(usual.maxLateness.protobufText))
        add("schedule.catch_up", .string(schedule.catchUp.rawValue), usually: .string(usual.catchUp.rawValue))
    }

    private mutating func addClockChanges(_ dst: DST) {
        let usual = DST()
        add("schedule.dst.gap", .string(dst.gap.rawValue), usually: .string(usual.gap.rawValue))
        add("schedule.dst.overlap", .string(dst.overlap.rawValue), usually: .string(usual.overlap.rawValue))
    }

    private mutating func addLocal(_ local: LocalSchedule) {
        add("schedule.timezone.field", .string(local.field))
        switch local.times {
        case .at(let time, let ifPassed):
            add("schedule.at", .string("\(time.shortText) local time"))
            add("schedule.if_passed", .string(ifPassed.rawValue))
        case .cron(let cron, let start, let end):
            add("schedule.cron", .string("\(cron) local time"))
            add("schedule.start", start.map { .string($0.shortText) })
            add("schedule.end", end.map { .string($0.shortText) })
        }
    }

    mutating func addTarget(_ target: Campaign.Target) {
        if case .registrations(let registrations) = target {
            add("target.registrations", registrations)
        } else {
            add("target.\(target.named.key)", target.named.value)
        }
    }

    /// The caps that stop a campaign are a part of it: whoever changes one changes who gets what.
    mutating func addFrequency(_ frequency: Frequency) {
        add("tags", Set(frequency.tags))
        add("priority", .int(Int64(frequency.priority)), usually: .int(Int64(Frequency.usualPriority)))
        add("frequency_caps.ignore", .bool(frequency.ignoresCaps), usually: false)
        add("frequency_caps.count", .bool(frequency.counts), usually: true)
        for cap in frequency.caps where !frequency.ignoresCaps {
            add("frequency_caps".path(to: cap.name), .string(cap.words))
        }
    }

    mutating func addDelivery(_ delivery: Campaign.Delivery) {
        switch delivery.rate {
        case .limited(let rate): add("delivery.rate", .int(Int64(rate)))
        case .unlimited: add("delivery.rate", "unlimited")
        case nil: break
        }
        if delivery.isAtAnyHour { add("delivery.window", "at any hour") }
        if let window = delivery.window {
            add("delivery.window.hours", .string(window.hours.description))
            add("delivery.window.timezone", .string(window.zone.name))
            add("delivery.window.timezone.field", window.field.map { .string($0.value) })
            add("delivery.window.when_closed", .string(window.whenClosed.rawValue), usually: "wait")
        }
        if let stages = delivery.stages {
            add("delivery.stages", .string(stages.shares.map(\.text).joined(separator: ", ")))
            add("delivery.seeds", stages.seeds.map { .string($0.value) })
            add("delivery.soak", .string(stages.soak.written))
            add("delivery.halt_when.rejected_percent", .int(Int64(stages.limits.rejectedPercent)))
            add("delivery.halt_when.dead_percent", .int(Int64(stages.limits.deadPercent)))
            add("delivery.halt_when.unknown_percent", .int(Int64(stages.limits.unknownPercent)))
        }
        add("delivery.expires_after", delivery.expiresAfter.map { .string($0.protobufText) })
        let usual = Campaign.Delivery()
        add("delivery.on_error", .string(delivery.onError.rawValue), usually: .string(usual.onError.rawValue))
        add("delivery.on_unknown", .string(delivery.onUnknown.rawValue), usually: .string(usual.onUnknown.rawValue))
        add(
            "delivery.stop_when_rejected_percent", .int(Int64(delivery.stopWhenRejectedPercent)),
            usually: .int(Int64(usual.stopWhenRejectedPercent)))
        add("delivery.members", .string(delivery.members.rawValue), usually: .string(usual.members.rawValue))
    }
}
