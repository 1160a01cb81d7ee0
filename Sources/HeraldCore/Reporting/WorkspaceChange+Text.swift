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
        case (let before?, let after?): change(before, after) ?? unseen
        case (nil, let after?): "\(noun): \(after.words)"
        case (.names(let before)?, nil): "\(noun) no longer \(before.listed)"
        case (let before?, nil): "\(noun) is gone; it was \(before.words)"
        case (nil, nil): noun
        }
    }

    /// `nil` if a reader would see the same before and after.
    private func change(_ before: Definition.Value, _ after: Definition.Value) -> String? {
        switch (before, after) {
        case (.names(let before), .names(let after)): return difference(before, after)
        case (.registrations(let before), .registrations(let after)):
            let (added, removed) = (after.subtracting(before).count, before.subtracting(after).count)
            let parts = [(added, "added"), (removed, "removed")].filter { $0.0 > 0 }
            return parts.enumerated().map { place, part in
                "\(place == 0 ? count(part.0, "registration") : "\(part.0)") \(part.1)"
            }.joined(separator: ", ")
        default: break
        }
        guard let pair = ValuePair.forms(of: before, after).first(where: \.isSeen) else { return nil }
        return (isMove ? "moved" : "\(noun) changed") + " from \(pair.before) to \(pair.after)\(pair.rest)"
    }

    /// Whether it has another time now.
    private var isMove: Bool {
        switch (before, after) {
        case (.time, .time): path == "schedule.at"
        case (.cron, .cron): true
        default: false
        }
    }

    private var unseen: String {
        "\(noun) changed in spaces or characters that are not shown; the plan's JSON has both"
    }

    /// What readers call it. Other fields go by their path.
    private var noun: String {
        switch path {
        case "message.notification.title": "title"
        case "message.notification.body": "text"
        case "message.notification.image": "image"
        case "schedule.at", "schedule.cron": "time"
        case "source.place": "the list's place"
        case "suppressed": "left out for its tags"
        default: path.abridged(to: 150)
        }
    }

    private func difference(_ before: Set<String>, _ after: Set<String>) -> String? {
        let (added, removed) = (after.subtracting(before), before.subtracting(after))
        if added.listed.shown == removed.listed.shown { return nil }
        let parts = [("now also", added), ("no longer", removed)].filter { !$0.1.isEmpty }
        return "\(noun) " + parts.map { "\($0) \($1.listed)" }.joined(separator: ", ")
    }
}

extension Set<String> {
    /// The first names, and how many more there are.
    fileprivate var listed: String {
        let (mostNames, mostScalars, longest) = (20, 300, 100)
        var (shown, length) = ([String](), 0)
        for name in sorted().prefix(mostNames).map({ $0.abridged(to: longest) }) {
            length += name.unicodeScalars.count
            if length > mostScalars { break }
            shown.append(name)
        }
        let rest = count - shown.count
        return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}

extension Definition.Value {
    /// Short enough for a comment. The JSON has all of it.
    var words: String {
        switch self {
        case .json(.string(let text)): "“\(text.beginning)”"
        case .json(let value): value.compactText.beginning
        case .time(let date, let zone): date.spoken(in: zone)
        case .cron(let cron, let zone): cron.words(in: zone)
        case .names(let names): names.listed
        case .registrations(let all): count(all.count, "registration")
        case .place(let place): place.words
        }
    }
}

extension ListPlace {
    fileprivate var words: String {
        switch self {
        case .workspace: "beside the file that names it"
        case .lists: "the folder of lists"
        case .nested: "the folder of lists within the folder of lists"
        }
    }
}

extension Cron {
    /// Its fields as they are written if it is not simple enough for words.
    func words(in zone: Zone, isNamed: Bool = true) -> String {
        (spoken ?? "“\(self)”") + (isNamed ? " \(zone.name)" : "")
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
