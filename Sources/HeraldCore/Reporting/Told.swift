package import FCM

/// What people were told, and what they are still to be told. The state keeps it, so that no run tells the same news
/// again, and a run that dies before it tells something leaves that to the next one.
package struct Told: Hashable, Sendable {
    /// What was told and is not well again, by `Need.keys`.
    private var troubles: [String: Trouble] = [:]
    /// What was told and is mended while something else of its subject is not, by `Need.subject`: it is well again with
    /// the last of them.
    private var mended: [String: Set<String>] = [:]
    /// Occurrences that ended since then were told, or are in `ended`. `nil` before anybody is to be told.
    private var since: Date?
    /// When those ended that need no word any more.
    private var ended: [OccurrenceID: Date] = [:]
    /// The oldest first. Which of them have arrived is noted apart (`StateNote.delivered`).
    package private(set) var outbox: [Notice] = []

    /// Whether something is not well again.
    package var isTroubled: Bool { !troubles.isEmpty }

    /// What told last of each thing that is in trouble now, by `Need.keys`.
    package var current: [String: Notice] { troubles.mapValues(\.notice) }

    private struct Trouble: Hashable, Sendable {
        /// `Need.subject`
        var subject: String
        var notice: Notice
        /// Whether a person decided about it since. If it is there after that, it has come about again.
        var isDecided = false
    }

    /// More are dropped (`shorten`): nobody reads them all.
    private static let longestOutbox = 100
    /// Nobody is told of a send that is older. Troubles, and their ends, do not get old.
    private static let oldest: Duration = .seconds(86_400)
    /// What says that a send is over.
    private static let sends = ["sent", "missed"]

    package init() {}

    /// Where news come from.
    package struct News: Sendable {
        /// What needs somebody now.
        package var needs: [Need] = []
        /// Whether these are all. Otherwise nothing is well again.
        package var areAll = false
        /// Whether they came about just now, so that none of them was told.
        package var areNew = false
        /// Occurrences that this run found too late.
        package var missed: [Plan.Missed] = []
        /// Whether that run is over. Until then another one may find the same too late again.
        package var isEnd = false
        package var run: String
        package var started: Date
        package var now: Date

        package init(run: String, started: Date, now: Date) { (self.run, self.started, self.now) = (run, started, now) }
    }

    /// Nobody is told of what ended before anybody was to be told. The state must keep the result before a run ends
    /// anything. A clock that was fast makes an end look late: what ends from now on is told all the same.
    package mutating func begin(at date: Date, in state: RecordedState) {
        let before = since ?? .distantFuture
        guard date < before else { return }
        for (id, finished) in state.ends where finished >= date && finished < before { ended[id] = finished }
        since = date
    }

    /// Takes in what is new. The state must keep the result before anybody is told.
    ///
    /// - Parameter state: as it is now.
    package mutating func take(_ news: News, in state: RecordedState, for webhooks: [Webhook]) {
        begin(at: news.started, in: state)
        outbox.removeAll { Self.isOld($0, at: news.now, state) }
        let troubling = noteTroubles(news, state)
        if news.areAll { tellRecoveries(besides: Set(news.needs.flatMap(\.keys)), news, state) }
        outbox += troubling
        addMissed(news, state)
        tellEnds(news, state)
        let delivered = state.delivered
        outbox.removeAll { notice in
            guard news.isEnd || notice.change != "missed" else { return false }
            return webhooks.allSatisfy { !notice.concerns($0) || delivered.contains(notice.key(for: $0)) }
        }
        shorten()
    }

    /// Takes in only what is missed, while the run goes on. Of the state it needs only that.
    package mutating func takeMissed(_ news: News, in state: RecordedState) {
        addMissed(news, state)
        shorten()
    }

    /// Drops what is too much, the oldest first: sends, then troubles that are over and their ends. A trouble that lasts
    /// is told, since nobody is told of it again.
    private mutating func shorten() {
        let lasting = Set(troubles.values.map(\.notice.id))
        for mayGo in [{ Self.sends.contains($0.change) }, { !lasting.contains($0.id) }] as [(Notice) -> Bool] {
            var excess = outbox.count - Self.longestOutbox
            outbox.removeAll { notice in
                guard excess > 0, mayGo(notice) else { return false }
                excess -= 1
                return true
            }
        }
    }

    private mutating func addMissed(_ news: News, _ state: RecordedState) {
        for missed in news.missed {
            let id = missed.occurrence.rawValue
            // After `state rewind` it may be missed again, and that is news.
            let mark = missed.mark.map { "\($0.timeIntervalSince1970)" } ?? ""
            // That the rest of it is too late as well is other news.
            let part = missed.isPartial ? " in part" : ""
            add(
                notice("missed", id, "\(missed.words).", command: nil, news, state, "missed", id, mark + part))
        }
    }

    /// Nobody is told that occurrences are missed which come due again, because a fast clock dealt with them. The state
    /// must keep the result with the rewind.
    package mutating func rewind(_ isAgain: (OccurrenceID) -> Bool) {
        outbox.removeAll { notice in
            notice.change == "missed" && notice.occurrence.map { isAgain(OccurrenceID(rawValue: $0)) } == true
        }
    }

    /// Notes what a person decided about an occurrence. The state must keep the result with the decision.
    package mutating func decide(_ resolution: Resolution, about id: OccurrenceID) {
        let kinds: [Need.Kind] =
            switch resolution {
            case .accept, .resend: [.unknown]
            case .goOn: [.halted, .held]
            case .abandon, .retry: []
            }
        for kind in kinds { troubles["\(kind.rawValue) \(id)"]?.isDecided = true }
    }

    /// Whether it is of a send that is older than `oldest`. A clock that was slow may have noted an end with an earlier
    /// date than that of the end.
    private static func isOld(_ notice: Notice, at now: Date, _ state: RecordedState) -> Bool {
        guard sends.contains(notice.change) else { return false }
        let end = notice.occurrence.flatMap { state.occurrences[OccurrenceID(rawValue: $0)]?.finished }
        // One that a fast clock noted says nothing.
        return max(notice.at, end.flatMap { $0 <= now ? $0 : nil } ?? notice.at) < now.adding(.zero - oldest)
    }

    private mutating func noteTroubles(_ news: News, _ state: RecordedState) -> [Notice] {
        var notices: [Notice] = []
        for need in news.needs {
            guard let change = need.change else { continue }
            let fresh = need.keys.filter { news.areNew || troubles[$0]?.isDecided ?? true }
            guard !fresh.isEmpty else { continue }
            let occurrence = state.occurrences[OccurrenceID(rawValue: need.name)] == nil ? nil : need.name
            var notice = notice(
                change.rawValue, occurrence, need.sentence, command: need.command, news, state,
                fresh.joined(separator: " "), news.run)
            for key in fresh { troubles[key] = Trouble(subject: need.subject, notice: notice) }
            // Its sentence also names what was told before.
            notice.keys = Set(need.keys)
            notices.append(notice)
        }
        return notices
    }

    /// What is well in one way and still in trouble in another is not well for those who know of the other trouble.
    private mutating func tellRecoveries(besides current: Set<String>, _ news: News, _ state: RecordedState) {
        let over = troubles.filter { !current.contains($0.key) }
            .sorted { ($0.value.notice.at, $0.key) < ($1.value.notice.at, $1.key) }
        for (key, trouble) in over {
            troubles[key] = nil
            mended[trouble.subject, default: []].insert(key)
            let others = Set(troubles.values.filter { $0.subject == trouble.subject }.map(\.notice.change))
            guard !others.contains(trouble.notice.change) else { continue }
            var notice = notice(
                "well", trouble.notice.occurrence, "Well again. It was: \(trouble.notice.sentence)", command: nil, news,
                state, "well", trouble.notice.id)
            notice.ended = Notice.Trouble(change: trouble.notice.change, id: trouble.notice.id)
            (notice.others, notice.keys) = (others, mended[trouble.subject] ?? [])
            if others.isEmpty { mended[trouble.subject] = nil }
            notice.recipients = trouble.notice.recipients
            add(notice)
        }
    }

    private mutating func tellEnds(_ news: News, _ state: RecordedState) {
        let begin = since ?? news.started
        let fresh = state.ends.filter { $0.finished >= begin && ended[$0.id] != $0.finished }
            .sorted { ($0.finished, $0.id) < ($1.finished, $1.id) }
        guard !fresh.isEmpty else { return }
        for (id, finished) in fresh where finished > news.now.adding(.zero - Self.oldest) {
            let counts = state.occurrences[id]?.counts
            let skips = counts?.skips ?? [:]
            let (late, others) = (skips[.missed] ?? 0, skips.filter { $0.key != .missed }.words)
            let sentence =
                "\(id) has ended: FCM took \(count(counts?[.accepted] ?? 0, "message"))"
                + (late > 0 ? ", and it was too late for \(count(late, "recipient"))" : "")
                + (others.isEmpty ? "." : "; \(others).")
            add(
                notice(
                    "sent", id.rawValue, sentence, command: nil, news, state, "sent", id.rawValue,
                    "\(finished.timeIntervalSince1970)"))
        }
        since = max(begin, news.started)
        ended = Dictionary(state.ends.filter { $0.finished >= max(begin, news.started) }.map { ($0.id, $0.finished) }) {
            first, _ in first
        }
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
            let part = recorded.finished == nil ? recorded.classes.without(\.isHoldout).all : []
            let left = part.subtracting(recorded.ledger?.settled ?? [])
            return [
                "pending": left.count, "accepted": counts[.accepted], "rejected": counts[.rejected],
                "unknown": counts.uncertain,
                "skipped": counts[.skipped], "abandoned": counts[.abandoned],
            ].filter { $0.value > 0 }
        }
        return Notice(
            id: Notice.id(in: state.identity.lineage, change, parts.joined(separator: "\0")), change: change,
            at: news.now, run: news.run, occurrence: occurrence, sentence: sentence, command: command,
            figures: figures ?? [:], recipients: figures.flatMap { $0.isEmpty ? nil : $0.values.reduce(0, +) },
            content: recorded?.contentDigest)
    }
}

// MARK: In the state

extension Told {
    /// What does not make sense is left out: it is told again with the same id at worst.
    init(json: JSONValue?) {
        since = json?["since"]?.number.map { Date(timeIntervalSince1970: $0) }
        outbox = (json?["outbox"]?.array ?? []).compactMap(Notice.init(kept:))
        for (id, finished) in json?["ended"]?.object ?? [:] {
            ended[OccurrenceID(rawValue: id)] = finished.number.map { Date(timeIntervalSince1970: $0) }
        }
        for (key, value) in json?["troubles"]?.object ?? [:] {
            guard let subject = value["subject"]?.string, let notice = value["notice"].flatMap(Notice.init(kept:))
            else { continue }
            troubles[key] = Trouble(subject: subject, notice: notice, isDecided: value["decided"] == .bool(true))
        }
        mended = (json?["mended"]?.object ?? [:]).mapValues { Set(($0.array ?? []).compactMap(\.string)) }
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "outbox": .array(outbox.map(\.kept)),
            "troubles": .object(
                troubles.mapValues { trouble in
                    var members: [String: JSONValue] = [
                        "subject": .string(trouble.subject), "notice": trouble.notice.kept,
                    ]
                    if trouble.isDecided { members["decided"] = true }
                    return .object(members)
                }),
        ]
        if !ended.isEmpty {
            let dates = ended.map { ($0.key.rawValue, JSONValue.double($0.value.timeIntervalSince1970)) }
            members["ended"] = .object(Dictionary(dates) { first, _ in first })
        }
        if !mended.isEmpty {
            members["mended"] = .object(mended.mapValues { .array($0.sorted().map { .string($0) }) })
        }
        members["since"] = since.map { .double($0.timeIntervalSince1970) }
        return .object(members)
    }
}

extension RecordedState {
    /// The occurrences that have ended and that somebody got, or may have got.
    fileprivate var ends: [(id: OccurrenceID, finished: Date)] {
        occurrences.compactMap { id, occurrence in
            guard occurrence.hasTried, let finished = occurrence.finished else { return nil }
            return (id, finished)
        }
    }

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
    package static func told(_ told: Told) -> StateChange { .note(.told, told.json.asciiText) }

    package static func delivered(_ keys: Set<String>) -> StateChange {
        .note(.delivered, JSONValue.array(keys.sorted().map { .string($0) }).compactText)
    }
}

extension Need {
    /// What it is about: one thing may have more than one trouble.
    fileprivate var subject: String {
        switch kind {
        case .refused: "guard " + (command.split(separator: " ").last?.split(separator: "=").first ?? "")
        case .unknown, .halted, .held: "occurrence \(name)"
        default: "\(kind.rawValue) \(name)"
        }
    }

    /// Names each trouble from one run to the next, also when its figures change.
    fileprivate var keys: [String] {
        switch kind {
        case .refused, .unapproved: subjects.map { "\(subject) \($0)" }
        default: ["\(kind.rawValue) \(name)"]
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
