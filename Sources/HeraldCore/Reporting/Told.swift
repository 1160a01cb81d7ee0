package import FCM

/// What people were told, and what they are still to be told. The state keeps it, so that no run tells the same news
/// again, and a run that dies before it tells something leaves that to the next one.
package struct Told: Hashable, Sendable {
    /// What was told and is not well again, by `Need.key`: the change, and since when.
    private var troubles: [String: Trouble] = [:]
    /// Occurrences that ended until then were told.
    private var until: Date?
    /// The oldest first. Which of them have arrived is noted apart (`StateNote.delivered`).
    package private(set) var outbox: [Notice] = []

    private struct Trouble: Hashable, Sendable {
        var change: String
        /// The notice's id.
        var id: String
        var sentence: String
        var occurrence: String?
    }

    /// More are dropped, the oldest first: nobody reads them all.
    private static let longestOutbox = 100
    /// Nobody is told of what is older.
    private static let oldest: Duration = .seconds(86_400)

    package init() {}

    /// Where news come from.
    package struct News: Sendable {
        /// What needs somebody now. `nil` if that could not be worked out: then nothing is well again.
        package var needs: [Need]?
        /// Why a run could not go on, and what to do.
        package var failure: (sentence: String, command: String)?
        /// Occurrences that this run found too late.
        package var missed: [Plan.Missed] = []
        package var run: String
        package var started: Date
        package var now: Date

        package init(run: String, started: Date, now: Date) { (self.run, self.started, self.now) = (run, started, now) }
    }

    /// Takes in what is new. The state must keep the result before anybody is told.
    ///
    /// - Parameter state: as it is now.
    package mutating func take(_ news: News, in state: RecordedState, for webhooks: [Webhook]) {
        outbox.removeAll { $0.at < news.now.adding(.zero - Self.oldest) }
        var current: [(key: String, change: Webhook.Change, need: Need)] = (news.needs ?? []).compactMap { need in
            need.change.map { (need.key, $0, need) }
        }
        if let failure = news.failure {
            current.append(
                (
                    Need.runKey, .failed,
                    Need(kind: .failed, name: "", sentence: failure.sentence, command: failure.command)
                ))
        }
        for (key, change, need) in current where troubles[key] == nil {
            let occurrence = state.occurrences[OccurrenceID(rawValue: need.name)] == nil ? nil : need.name
            let notice = notice(
                change.rawValue, occurrence, need.sentence, command: need.command, news, state, key, news.run)
            troubles[key] = Trouble(
                change: change.rawValue, id: notice.id, sentence: need.sentence, occurrence: occurrence)
            outbox.append(notice)
        }
        if news.needs != nil, news.failure == nil { tellRecoveries(besides: Set(current.map(\.key)), news, state) }
        for missed in news.missed {
            let id = missed.occurrence.rawValue
            add(
                notice(
                    "missed", id, "\(id) was not sent: \(missed.reason).", command: nil, news, state, "missed", id))
        }
        tellEnds(news, state)
        let delivered = state.delivered
        outbox.removeAll { notice in
            webhooks.allSatisfy { !notice.concerns($0) || delivered.contains(notice.key(for: $0)) }
        }
        outbox = outbox.suffix(Self.longestOutbox)
    }

    private mutating func tellRecoveries(besides current: Set<String>, _ news: News, _ state: RecordedState) {
        for (key, trouble) in troubles.sorted(by: { $0.key < $1.key }) where !current.contains(key) {
            var notice = notice(
                "well", trouble.occurrence, "Well again. It was: \(trouble.sentence)", command: nil, news, state,
                "well",
                trouble.id)
            notice.ended = trouble.change
            add(notice)
            troubles[key] = nil
        }
    }

    private mutating func tellEnds(_ news: News, _ state: RecordedState) {
        let begin = max(until ?? news.started, news.now.adding(.zero - Self.oldest))
        let ended = state.occurrences.filter { ($0.value.finished ?? .distantPast) > begin && $0.value.hasTried }
            .sorted { ($0.value.finished ?? .distantPast) < ($1.value.finished ?? .distantPast) }
        for (id, occurrence) in ended {
            let accepted = occurrence.counts[.accepted]
            add(
                notice(
                    "sent", id.rawValue, "\(id) has ended: FCM took \(count(accepted, "message")).", command: nil, news,
                    state, "sent", id.rawValue))
        }
        until = max(begin, state.occurrences.values.compactMap(\.finished).max() ?? begin)
    }

    /// The same news is never there twice.
    private mutating func add(_ notice: Notice) {
        if !outbox.contains(where: { $0.id == notice.id }) { outbox.append(notice) }
    }

    private func notice(
        _ change: String, _ occurrence: String?, _ sentence: String, command: String?, _ news: News,
        _ state: RecordedState, _ parts: String...
    ) -> Notice {
        let recorded = occurrence.flatMap { state.occurrences[OccurrenceID(rawValue: $0)] }
        let figures = recorded.map { recorded in
            let counts = recorded.counts
            let left = recorded.finished == nil ? recorded.classes.without(\.isHoldout).all.count - counts.settled : 0
            return [
                "pending": left, "accepted": counts[.accepted], "rejected": counts[.rejected],
                "unknown": counts.uncertain,
                "skipped": counts[.skipped], "abandoned": counts[.abandoned],
            ].filter { $0.value > 0 }
        }
        return Notice(
            id: Notice.id(in: state.identity.lineage, change, parts.joined(separator: "\0")), change: change,
            at: news.now, run: news.run, occurrence: occurrence, sentence: sentence, command: command,
            figures: figures ?? [:])
    }
}

// MARK: In the state

extension Told {
    /// What does not make sense is left out: it is told again with the same id at worst.
    init(json: JSONValue?) {
        until = json?["until"]?.number.map { Date(timeIntervalSince1970: $0) }
        outbox = (json?["outbox"]?.array ?? []).compactMap(Notice.init(kept:))
        for (key, value) in json?["troubles"]?.object ?? [:] {
            guard let change = value["change"]?.string, let id = value["id"]?.string,
                let sentence = value["sentence"]?.string
            else { continue }
            troubles[key] = Trouble(
                change: change, id: id, sentence: sentence, occurrence: value["occurrence"]?.string)
        }
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "outbox": .array(outbox.map(\.kept)),
            "troubles": .object(
                troubles.mapValues { trouble in
                    var members: [String: JSONValue] = [
                        "change": .string(trouble.change), "id": .string(trouble.id),
                        "sentence": .string(trouble.sentence),
                    ]
                    members["occurrence"] = trouble.occurrence.map { .string($0) }
                    return .object(members)
                }),
        ]
        members["until"] = until.map { .double($0.timeIntervalSince1970) }
        return .object(members)
    }
}

extension RecordedState {
    /// What people were told by earlier runs.
    package var told: Told { Told(json: json(of: .told)) }

    /// Which notices have arrived where: `Notice.key`.
    package var delivered: Set<String> {
        Set((json(of: .delivered)?.array ?? []).compactMap(\.string))
    }

    private func json(of note: StateNote) -> JSONValue? {
        notes[note].flatMap { try? JSONValue(strictly: Array($0.utf8), depth: 8) }
    }
}

extension StateChange {
    package static func told(_ told: Told) -> StateChange { .note(.told, told.json.compactText) }

    package static func delivered(_ keys: Set<String>) -> StateChange {
        .note(.delivered, JSONValue.array(keys.sorted().map { .string($0) }).compactText)
    }
}

extension Need {
    /// What a run that could not go on is.
    static let runKey = "failed:run"

    /// Names the trouble from one run to the next, also when its figures change.
    var key: String {
        switch kind {
        case .failed: Self.runKey
        case .refused:
            "refused:" + String(command.split(separator: " ").last?.prefix { $0 != "=" } ?? "")
                + subjects.map { " \($0)" }.joined()
        case .unapproved: "unapproved:" + subjects.map { " \($0)" }.joined()
        default: "\(kind.rawValue):\(name)"
        }
    }

    /// `nil` for what a run does away with by itself.
    var change: Webhook.Change? {
        switch kind {
        case .failed, .silenced, .noState: .failed
        case .unknown, .held, .refused, .unapproved: .held
        case .halted: .halted
        case .stale: .stale
        case .overdue, .missed, .doctor: nil
        }
    }
}
