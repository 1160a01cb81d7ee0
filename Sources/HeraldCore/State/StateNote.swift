package import FCM

/// What the state keeps as a text of its own. Nothing in it decides what is sent, except that guards look at sizes,
/// lateness at who waited and when a person decided, and `state resolve --from` at who was tried again or taken out. It
/// names no registration.
package enum StateNote: String, Hashable, Sendable, CaseIterable {
    /// The last run or apply that came to its end: a `RecordedRun`.
    case lastRun = "last_run"
    /// The run or apply that began to change something and has not come to its end: a `BegunRun`. Empty after the end.
    case begunRun = "begun_run"
    /// The last time that FCM was asked what is subscribed: a `RecordedDrift`.
    case lastDrift = "last_drift"
    /// The pass of questions to FCM that has begun and is not over: a `SurveyPass`.
    case driftPass = "drift_pass"
    /// What people were told, and what they are still to be told.
    case told
    /// Which of that has arrived where. It is noted without the lock, so it is apart.
    case delivered
    /// How large audiences were that are gone (`RecordedState.goneAudiences`).
    case goneAudiences = "gone_audiences"
    /// Of which occurrences a person or a file had people tried again (`RecordedState.triedAgain`).
    case triedAgain = "tried_again"
    /// Which occurrences a person took out of the state (`RecordedState.removed`).
    case removed
    /// Of which occurrences nobody could start because of windows (`RecordedState.waited`).
    case waited
    /// Which occurrences a person let go on with another target (`RecordedState.continued`).
    case continued
    /// What an older herald refused (`RecordedState.refusedMembers`).
    case refusedMembers = "refused_members"
    /// The numbers of recipients who were erased (`RecordedState.erased`).
    case erased
}

/// The last run or apply that came to its end, with what became of its recipients.
package struct RecordedRun: Hashable, Sendable {
    package var run: String
    package var started: Date
    package var finished: Date
    /// The result that its report has.
    package var result: String
    /// By the names that reports use. Those that are 0 are left out.
    package var figures: [String: Int]
    /// Changes to topics and groups that guards stopped in it, or in an earlier one, and that were not tried since.
    package var refusals: [RunRefusal]

    package init(
        run: String, started: Date, finished: Date, result: String, figures: [String: Int], refusals: [RunRefusal] = []
    ) {
        (self.run, self.started, self.finished) = (run, started, finished)
        (self.result, self.figures) = (result, figures.filter { $0.value != 0 })
        self.refusals = refusals
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "run": .string(run), "started": .string(started.rfc3339), "finished": .string(finished.rfc3339),
            "result": .string(result), "figures": .object(figures.mapValues { .int(Int64($0)) }),
        ]
        if !refusals.isEmpty { members["refused"] = .array(refusals.map(\.json)) }
        return .object(members)
    }

    /// `nil` for what no herald writes.
    package init?(json: JSONValue) {
        guard let run = json["run"]?.string, let result = json["result"]?.string,
            let started = json["started"]?.string.flatMap({ Date(rfc3339: $0) }),
            let finished = json["finished"]?.string.flatMap({ Date(rfc3339: $0) }),
            let figures = json["figures"]?.object
        else { return nil }
        let counts = figures.compactMapValues { $0.int.flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil } }
        let refused = json["refused"]?.array ?? []
        let refusals = refused.compactMap(RunRefusal.init(json:))
        guard counts.count == figures.count, refusals.count == refused.count else { return nil }
        self.init(
            run: run, started: started, finished: finished, result: result, figures: counts, refusals: refusals)
    }
}

/// A run or apply that began to change something.
package struct BegunRun: Hashable, Sendable {
    package var run: String
    package var started: Date

    package init(run: String, started: Date) { (self.run, self.started) = (run, started) }

    package var json: JSONValue { ["run": .string(run), "started": .string(started.rfc3339)] }

    /// `nil` for what no herald writes.
    package init?(json: JSONValue) {
        guard let run = json["run"]?.string, let started = json["started"]?.string.flatMap({ Date(rfc3339: $0) })
        else { return nil }
        self.init(run: run, started: started)
    }
}

extension RecordedState {
    /// The run or apply that began and has not come to its end: it is at work, or it was killed. `nil` if a later one did:
    /// an older herald does not empty the note.
    package var begunRun: BegunRun? {
        guard let text = notes[.begunRun], let json = try? JSONValue(strictly: Array(text.utf8), depth: 4),
            let begun = BegunRun(json: json)
        else { return nil }
        return lastRun.map { $0.finished > begun.started } ?? false ? nil : begun
    }

    /// The last run or apply that came to its end. `nil` if none has since the state notes it.
    package var lastRun: RecordedRun? {
        guard let text = notes[.lastRun], let json = try? JSONValue(strictly: Array(text.utf8), depth: 4) else {
            return nil
        }
        return RecordedRun(json: json)
    }
}

extension RecordedState {
    /// How many recipients each audience had that no file declares any more: one that comes back is compared with that.
    package var goneAudiences: [String: Int] {
        get { numbers(in: .goneAudiences).compactMapValues { Int(exactly: $0) } }
        set { apply([.goneAudiences(newValue)]) }
    }

    /// How many members topics and groups had (`topic 'news'`), at least ten, when an older herald let nobody leave them and
    /// others join.
    package var refusedMembers: [String: Int] {
        numbers(in: .refusedMembers).compactMapValues { Int(exactly: $0) }.filter { $0.value >= 10 }
    }

    /// When a run looked last at occurrences of which nobody could start, because all windows were closed.
    package var waited: [OccurrenceID: Date] {
        get { instants(in: .waited) }
        set { apply([.waited(newValue)]) }
    }

    /// When a person let an occurrence in local time go on with another target. Newcomers of that target for whose wave it
    /// was too late by then joined after it.
    package var continued: [OccurrenceID: Date] { instants(in: .continued) }

    /// Notes that a person lets an occurrence go on with another target. The notes of what has ended go with it.
    func continuing(_ id: OccurrenceID, at now: Date) -> StateChange {
        var noted = continued.filter { id, _ in occurrences[id].map { $0.finished == nil } ?? false }
        noted[id] = now
        return .note(.continued, StateChange.text(of: noted))
    }

    private func instants(in note: StateNote) -> [OccurrenceID: Date] {
        let pairs = numbers(in: note).map { (OccurrenceID(rawValue: $0), Date(timeIntervalSince1970: Double($1))) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The number of a stamp for each occurrence of which a person or a file had people tried again. A run that left no
    /// later stamp does not know what came of that try.
    package var triedAgain: [OccurrenceID: Int64] {
        let pairs = numbers(in: .triedAgain).map { (OccurrenceID(rawValue: $0), $1) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Notes that people of these occurrences are tried again. The notes of occurrences that are gone go with
    /// it: until then they say only that reports from before are old.
    ///
    /// - Parameter number: of the last stamp of the runs that do not know of it. By default all runs until now.
    package func tryingAgain(_ ids: some Sequence<OccurrenceID>, after number: Int64? = nil) -> StateChange {
        var noted = triedAgain.filter { occurrences[$0.key] != nil }
        for id in ids { noted[id] = max(number ?? stamps.last?.number ?? 0, noted[id] ?? 0) }
        let pairs = noted.map { ($0.rawValue, JSONValue.int($1)) }
        return .note(.triedAgain, JSONValue.object(Dictionary(uniqueKeysWithValues: pairs)).compactText)
    }

    /// The number of the last stamp before a person took each occurrence out of the state. A run that left no later stamp
    /// sent another one of that name.
    package var removed: [OccurrenceID: Int64] {
        let pairs = numbers(in: .removed).map { (OccurrenceID(rawValue: $0), $1) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Takes something out of the state. A report whose stamp is older than those that a state keeps is refused anyway.
    package func changes(removing resource: StateChange.Resource) -> [StateChange] {
        let ids: [OccurrenceID] =
            switch resource {
            case .topic, .group: []
            case .campaign(let name): occurrences.filter { $0.value.campaign == name }.map(\.key)
            case .occurrence(let id): [id]
            }
        if ids.isEmpty { return [.drop(resource)] }
        let number = stamps.last?.number ?? 0
        var noted = removed.filter { number - $0.value < Int64(Stamps.kept) }
        for id in ids { noted[id] = number }
        let pairs = noted.map { ($0.rawValue, JSONValue.int($1)) }
        let text = JSONValue.object(Dictionary(uniqueKeysWithValues: pairs)).compactText
        return [.drop(resource), .note(.removed, text)]
    }

    private func numbers(in note: StateNote) -> [String: Int64] {
        let json = notes[note].flatMap { try? JSONValue(strictly: Array($0.utf8), depth: 4) }
        return (json?.object ?? [:]).compactMapValues(\.int)
    }
}

extension StateChange {
    package static func refusedMembers(_ members: [String: Int]) -> StateChange {
        .note(.refusedMembers, JSONValue.object(members.mapValues { .int(Int64($0)) }).asciiText)
    }

    package static func goneAudiences(_ sizes: [String: Int]) -> StateChange {
        .note(.goneAudiences, JSONValue.object(sizes.mapValues { .int(Int64($0)) }).compactText)
    }

    /// In whole seconds, as windows open and close.
    package static func waited(_ instants: [OccurrenceID: Date]) -> StateChange { .note(.waited, text(of: instants)) }

    fileprivate static func text(of instants: [OccurrenceID: Date]) -> String {
        let pairs = instants.map { ($0.rawValue, JSONValue.int(Int64($1.timeIntervalSince1970.rounded(.down)))) }
        return JSONValue.object(Dictionary(uniqueKeysWithValues: pairs)).compactText
    }

    package static func lastRun(_ run: RecordedRun) -> StateChange { .note(.lastRun, run.json.asciiText) }

    package static func begunRun(_ run: BegunRun) -> StateChange { .note(.begunRun, run.json.compactText) }

    /// What is noted when a run comes to its end. An earlier one that was killed is not the last one any more.
    package static func end(of run: RecordedRun) -> [StateChange] { [.lastRun(run), .note(.begunRun, "")] }
}
