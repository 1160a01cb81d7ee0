internal import FCM

/// The occurrences that audiences go by, as the state has them.
package struct FollowedOccurrences: Sendable {
    private struct Followed {
        var audience: Audience
        var followUp: Audience.FollowUp
        /// `nil` if there is none to go by.
        var id: OccurrenceID?
        /// Whether it matters to somebody who is in the audience.
        var isNeeded: Bool
        /// Whether there is none yet, although the state or the file names one, or a person has people of it tried again.
        var isUndecided: Bool
    }

    private var followed: [Followed] = []
    private let dead: RecipientSet
    /// What a plan says about them.
    package private(set) var remarks: [String] = []

    package init(of workspace: Workspace, in state: RecordedState) {
        dead = state.dead
        guard workspace.goesByOutcomes else { return }
        let occurrences = Planner.occurrences(of: workspace, in: state)
        let needed = Set(
            workspace.followUps(in: workspace.audiencesNeeded { $0.isOver(occurrences[$0.name.value] ?? []) })
                .map(\.name.value))
        let schedules = Dictionary(workspace.campaigns.map { ($0.name.value, $0.schedule) }) { first, _ in first }
        for audience in workspace.audiences {
            guard let followUp = audience.followUp else { continue }
            let all = occurrences[followUp.campaign.value] ?? []
            let schedule = schedules[followUp.campaign.value] ?? Schedule()
            let isNeeded = needed.contains(audience.name.value)
            let named = followUp.occurrence.map { OccurrenceID(rawValue: $0.value) }
            // What is due once may have had a later time before its revision was raised.
            let ordered = all.filter { named == nil || $0.id == named }
                .map { (order: $0.occurrence.order(in: schedule), id: $0.id, occurrence: $0.occurrence) }
                .sorted { ($0.order.revision, $0.order.time, $0.id) > ($1.order.revision, $1.order.time, $1.id) }
            let last = ordered.first {
                $0.occurrence.isOver && !$0.occurrence.isReplaced(among: all.lazy.map(\.occurrence), of: schedule)
            }
            let open = all.filter { !$0.occurrence.isOver && $0.occurrence.hasBegun }
                .filter { named == nil || $0.id == named }.map(\.id)
            // What a person has tried again is the last one all the same, and what comes of it is not known yet.
            let again = ordered.prefix { $0.id != last?.id }.filter(\.occurrence.isTriedAgain).map(\.id).reversed()
            let found = Followed(
                audience: audience, followUp: followUp, id: last?.id, isNeeded: isNeeded,
                isUndecided: !again.isEmpty || last == nil && (named != nil || !open.isEmpty))
            followed.append(found)
            guard isNeeded else { continue }
            let recorded = all.first { $0.id == named }?.occurrence
            let unfinished = again.isEmpty ? open : Array(again)
            if let remark = Self.remark(on: found, named, open: unfinished, recorded) { remarks.append(remark) }
        }
    }

    /// - Parameter recorded: the named one.
    private static func remark(
        on followed: Followed, _ named: OccurrenceID?, open: [OccurrenceID], _ recorded: RecordedOccurrence?
    ) -> String? {
        let (name, campaign) = (followed.audience.name.value, followed.followUp.campaign.value)
        if let id = followed.id, !followed.isUndecided {
            guard let last = open.last else { return nil }
            return "audience '\(name)' goes by \(id); \(last) is not finished, and is not looked at"
        }
        let unknown = "nobody knows yet who is in audience '\(name)'"
        if let named, recorded == nil { return "\(unknown): the state has no occurrence \(named)" }
        if let named, recorded?.isOver == true {
            return "\(unknown): another occurrence began in the place of \(named), which tried nobody"
        }
        if let last = open.last { return "\(unknown): \(last) is not finished" }
        return "audience '\(name)' is empty: no occurrence of campaign '\(campaign)' is finished"
    }

    /// The occurrences that audiences go by, and those audiences.
    package var audiences: [OccurrenceID: String] {
        Dictionary(followed.compactMap { next in next.id.map { ($0, next.audience.name.value) } }) { first, _ in first }
    }

    /// Who passes, by audience.
    package func limits(from store: (any StateStore)?) async throws -> [String: OutcomeLimit] {
        var limits: [String: OutcomeLimit] = [:]
        for followed in followed {
            let name = followed.audience.name.value
            limits[name] = OutcomeLimit([], isUndecided: followed.isUndecided)
            guard let id = followed.id, followed.isNeeded, let occurrence = try await store?.occurrence(id) else {
                continue
            }
            guard let ledger = occurrence.ledger else {
                if followed.isUndecided { continue }
                throw PrunedFollowUp(audience: name, occurrence: id, followed.followUp)
            }
            limits[name] = occurrence.limit(of: ledger.ended(), to: followed.followUp.outcomes, dead)
            limits[name]?.isUndecided = followed.isUndecided
        }
        return limits
    }
}

/// An audience goes by an occurrence of which the state has only counts.
package struct PrunedFollowUp: Error, Hashable, CustomStringConvertible {
    package let audience: String
    package let occurrence: OccurrenceID
    private let range: SourceRange

    fileprivate init(audience: String, occurrence: OccurrenceID, _ followUp: Audience.FollowUp) {
        (self.audience, self.occurrence) = (audience, occurrence)
        range = followUp.occurrence?.range ?? followUp.campaign.range
    }

    package var description: String {
        let place = range.text.map { ":\($0.start.line):\($0.start.column)" } ?? ""
        return
            "\(range.file)\(place): audience '\(audience)' goes by \(occurrence), which was pruned, so nobody knows what came of whom"
    }

    package var help: String {
        "take the audience out of what uses it, or let it go by a later occurrence; prune with a longer --older-than"
    }
}

extension Planner {
    /// The recorded occurrences of each campaign under the name that it has now, sorted by id.
    fileprivate static func occurrences(
        of workspace: Workspace, in state: RecordedState
    ) -> [String: [(id: OccurrenceID, occurrence: RecordedOccurrence)]] {
        var desired = Desired()
        desired.sends = workspace.campaigns.map { DesiredSend(campaign: $0, members: []) }
        // Names do not depend on the time.
        var planner = Planner(
            Input(desired: desired, state: state, settings: workspace.settings, listsSkipped: true),
            Date(timeIntervalSince1970: 0))
        planner.carryNames()
        return planner.occurrences
    }
}

extension Workspace {
    /// The audiences that decide who gets something, or is in a topic or group.
    ///
    /// - Parameter isOver: whether nothing of a campaign will be sent any more.
    fileprivate func audiencesNeeded(unless isOver: (Campaign) -> Bool) -> [String] {
        var names = settings.suppress.map(\.value)
        for campaign in campaigns where !isOver(campaign) { names += audiences(decidingOf: campaign) }
        for topic in topics { names += (topic.subscribers + topic.exclude).map(\.value) }
        for group in groups { if case .audience(let name) = group.members { names.append(name.value) } }
        return names
    }
}

extension Campaign {
    /// Whether it was sent and is not sent again, or is disabled before it began.
    fileprivate func isOver(_ occurrences: [(id: OccurrenceID, occurrence: RecordedOccurrence)]) -> Bool {
        let all = occurrences.map(\.occurrence)
        let begun = all.filter { $0.revision == revision && $0.hasBegun }
        if begun.contains(where: { $0.finished == nil }) { return false }
        if !enabled { return true }
        // What was missed may have another time since.
        return !schedule.repeats && (!begun.isEmpty || hasEnded(in: all))
    }
}

extension RecordedOccurrence {
    /// Whether a person has people of it tried again, and it is not over since.
    fileprivate var isTriedAgain: Bool { !isOver && (isReopened || ledger?[.again].isEmpty == false) }

    /// What tells which of two occurrences is the later one.
    fileprivate func order(in schedule: Schedule) -> (revision: Int, time: Date) {
        (schedule.repeats ? 0 : revision, due(in: schedule.zone) ?? begun ?? finished ?? .distantPast)
    }

    /// Whether it tried nobody and another one began in its place. The other one says what came of people.
    fileprivate func isReplaced(among others: some Sequence<RecordedOccurrence>, of schedule: Schedule) -> Bool {
        triedNobody && others.contains { $0.hasPlace(of: self, in: schedule) && !$0.triedNobody }
    }

    /// Whether both are of one time, also if only one of them is in local time. What is due once has one time in each
    /// revision.
    private func hasPlace(of other: RecordedOccurrence, in schedule: Schedule) -> Bool {
        if !schedule.repeats, revision == other.revision { return true }
        return due(in: schedule.zone).map { $0 == other.due(in: schedule.zone) } ?? false
    }

    fileprivate func limit(
        of ledger: Ledger, to outcomes: Set<Audience.FollowUp.Outcome>, _ dead: RecipientSet
    ) -> OutcomeLimit {
        var part = classes.all
        for entry in LedgerEntry.allCases { part.formUnion(ledger[entry]) }
        // One request reached everybody, so nobody knows what came of whom.
        guard part.intersection(.target).isEmpty else { return .nobody }
        var chosen = RecipientSet()
        for outcome in outcomes { chosen.formUnion(members(with: outcome, of: part, ledger, dead)) }
        return OutcomeLimit(chosen, orNotIn: outcomes.contains(.never) ? part : nil)
    }

    private func members(
        with outcome: Audience.FollowUp.Outcome, of part: RecipientSet, _ ledger: Ledger, _ dead: RecipientSet
    ) -> RecipientSet {
        switch outcome {
        case .accepted: ledger[.accepted]
        case .rejected:
            ledger[.rejected].subtracting(dead).subtracting(ledger.codes[FailureCode.unregistered.rawValue])
        case .unknown: ledger.uncertain.union(ledger[.abandoned])
        case .capped: skipped(ledger) { if case .capped = $0 { true } else { false } }
        case .superseded: skipped(ledger) { $0 == .superseded }
        case .missed: skipped(ledger) { $0 == .missed }
        case .outsideWindow: skipped(ledger) { $0 == .outsideWindow }
        case .heldOut: classes.states.filter(\.isHoldout).reduce(into: []) { $0.formUnion(classes[$1]) }
        case .skipped: part.subtracting(ledger.entries.union(of: LedgerEntry.allCases.filter(\.isTried)))
        case .never: []
        }
    }

    private func skipped(_ ledger: Ledger, _ isWanted: (SkipReason) -> Bool) -> RecipientSet {
        ledger.codes.states.filter { SkipReason(rawValue: $0).map(isWanted) ?? false }
            .reduce(into: RecipientSet()) { $0.formUnion(ledger.codes[$1]) }
    }
}
