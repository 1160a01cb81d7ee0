package import FCM

extension WorkspaceChange {
    /// What changed, in words.
    package var title: String {
        let subject = kind == .settings ? "settings" : "\(kind.rawValue) '\(name)'"
        switch action {
        case .added: return "new \(subject)"
        case .removed: return "\(subject) is removed"
        case .renamed: return "\(kind.rawValue) '\(from ?? "")' is now called '\(name)'"
        case .changed: return subject
        }
    }

    /// A line for each thing that changed. A new resource has a line for each value that is not the default, and begins
    /// with what readers ask first. A removed one has no lines.
    package var lines: [String] {
        switch action {
        case .removed: []
        case .added: answers.map(\.words)
        case .renamed: fields.filter { $0.path != "previous_names" }.map(\.words)
        case .changed: fields.map(\.words)
        }
    }

    /// What readers ask first, in that order.
    private static let firstQuestions = [
        "message.notification.title", "message.notification.body", "message.notification.", "target.", "exclude",
        "suppressed", "schedule.at", "schedule.cron", "source.", "where.", "subscribers", "members.",
    ]

    private var answers: [Field] {
        var rest = fields.filter { !$0.isUsual }
        var answers: [Field] = []
        for question in Self.firstQuestions {
            answers += rest.filter { $0.path.hasPrefix(question) }
            rest.removeAll { $0.path.hasPrefix(question) }
        }
        return answers + rest
    }

    package var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "name": .string(name), "from": from.map { .string($0) } ?? .null,
            "action": .string(action.rawValue),
            "fields": .array(
                fields.map {
                    [
                        "path": .string($0.path), "before": $0.before?.json ?? .null, "after": $0.after?.json ?? .null,
                    ]
                }),
        ]
    }
}

extension WorkspaceChange.Field {
    fileprivate var words: String {
        switch (before, after) {
        case (.time(let before, let old)?, .time(let after, let zone)?) where path == "schedule.at":
            // One zone is named once.
            let first = before.spoken(in: old, isNamed: old != zone)
            return "moved from \(first) to \(after.spoken(in: zone))"
        case (.cron(let before, let old)?, .cron(let after, let zone)?):
            return "moved from \(before.words(in: old, isNamed: old != zone)) to \(after.words(in: zone))"
        case (.names(let before)?, .names(let after)?): return "\(noun) \(Self.difference(before, after))"
        case (nil, .names(let after)?): return "\(noun): \(Self.list(after))"
        case (.names(let before)?, nil): return "\(noun) no longer \(Self.list(before))"
        case (.registrations(let before)?, .registrations(let after)?):
            let (added, removed) = (after.subtracting(before).count, before.subtracting(after).count)
            let parts = [(added, "added"), (removed, "removed")].filter { $0.0 > 0 }
            return parts.enumerated().map { place, part in
                "\(place == 0 ? count(part.0, "registration") : "\(part.0)") \(part.1)"
            }.joined(separator: ", ")
        case (let before?, let after?): return "\(noun) changed from \(before.words) to \(after.words)"
        case (nil, let after?): return "\(noun): \(after.words)"
        case (let before?, nil): return "\(noun) is gone; it was \(before.words)"
        case (nil, nil): return noun
        }
    }

    /// What readers call it. Other fields go by their path.
    private var noun: String {
        switch path {
        case "message.notification.title": "title"
        case "message.notification.body": "text"
        case "message.notification.image": "image"
        case "schedule.at", "schedule.cron": "time"
        case "suppressed": "left out for its tags"
        default: path
        }
    }

    private static let shownNames = 20

    private static func list(_ names: Set<String>) -> String {
        let rest = names.count - shownNames
        return names.sorted().prefix(shownNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    private static func difference(_ before: Set<String>, _ after: Set<String>) -> String {
        let (added, removed) = (after.subtracting(before), before.subtracting(after))
        let parts = [("now also", added), ("no longer", removed)].filter { !$0.1.isEmpty }
        return parts.map { "\($0) \(list($1))" }.joined(separator: ", ")
    }
}

extension Definition.Value {
    private static let shownCharacters = 300

    /// Short enough for a comment. The JSON has all of it.
    fileprivate var words: String {
        switch self {
        case .json(.string(let text)):
            "“\(Self.cut(text))”"
        case .json(let value): Self.cut(value.compactText)
        case .time(let date, let zone): date.spoken(in: zone)
        case .cron(let cron, let zone): cron.words(in: zone)
        case .names(let names): names.sorted().joined(separator: ", ")
        case .registrations(let all): count(all.count, "registration")
        }
    }

    private static func cut(_ text: String) -> String {
        text.count <= shownCharacters ? text : "\(text.prefix(shownCharacters))…"
    }
}

extension Cron {
    /// Its fields as they are written if it is not simple enough for words.
    func words(in zone: Zone, isNamed: Bool = true) -> String {
        (spoken ?? "“\(self)”") + (isNamed ? " \(zone.name)" : "")
    }
}

extension Date {
    fileprivate func spoken(in zone: Zone, isNamed: Bool = true) -> String {
        zone.local(at: self).spoken + (isNamed ? " \(zone.name)" : "")
    }
}

extension PlanDocument.Comparison {
    /// Each change with what it consists of, and then what readers must know.
    var lines: [String] {
        let lines = changes.flatMap { change in
            let parts = change.lines
            return [change.title + (parts.isEmpty ? "" : ":")] + parts.map { "  \($0)" }
        }
        let seen = lines.isEmpty ? ["nothing, compared with \(base.prefix(12))"] : lines
        return (seen + warnings).map(\.printable)
    }
}
