internal import FCM

/// The occurrences that audiences go by, as the state has them.
package struct FollowedOccurrences: Sendable {
    private struct Followed {
        var audience: Audience
        var followUp: Audience.FollowUp
        /// `nil` if there is none to go by.
        var id: OccurrenceID?
        /// The one to go by once somebody is ahead of the first, which is done and has not ended.
        var finished: OccurrenceID?
        /// Whether it matters to somebody who is in the audience.
        var isNeeded: Bool
        /// Whether there is none yet, although the state or the file names one, or a person has people of it tried again.
        var isUndecided: Bool
        /// Whether none of its campaign is being sent.
        var isSettled: Bool
    }

    /// One in local time that was done when a run looked last, and has not ended.
    private struct Done {
        var occurrence: RecordedOccurrence
        var campaign: String
        /// Until when who is in its waves is fixed.
        var mark: Date
    }

    private var followed: [Followed] = []
    private var done: [OccurrenceID: Done] = [:]
    private let dead: RecipientSet
    /// What a plan says about them.
    package private(set) var remarks: [String] = []

    /// - Parameters:
    ///   - ahead: those for which somebody on the list is still ahead, although they were done (`ahead(in:)`).
    ///   - revived: the dead whom lists name with another registration.
    ///   - now: the plan's time. By default the time of all occurrences has come.
    package init(
        of workspace: Workspace, in state: RecordedState, besides ahead: Set<OccurrenceID> = [],
        reviving revived: RecipientSet = [], at now: Date = .distantFuture
    ) {
        dead = state.dead.subtracting(revived)
        guard workspace.goesByOutcomes else { return }
        let (occurrences, marks) = Planner.records(of: workspace, in: state)
        let needed = Set(
            workspace.followUps(in: workspace.audiencesNeeded { $0.isOver(occurrences[$0.name.value] ?? []) })
                .map(\.name.value))
        let schedules = Dictionary(workspace.campaigns.map { ($0.name.value, $0.schedule) }) { first, _ in first }
        // Of campaigns with an occurrence that is done and has not ended.
        var deciding: [String: Set<String>] = [:]
        for audience in workspace.audiences {
            guard let followUp = audience.followUp else { continue }
            let campaign = followUp.campaign.value
            let schedule = schedules[campaign] ?? Schedule()
            let isNeeded = needed.contains(audience.name.value)
            let named = followUp.occurrence.map { OccurrenceID(rawValue: $0.value) }
            // Of a campaign that a person has set back, what a fast clock sent before its time says nothing yet.
            let isSetBack = schedule.repeats && marks[campaign].map { $0.at <= now + Planner.clockTolerance } ?? false
            let all = (occurrences[campaign] ?? []).filter { id, occurrence in
                id == named || !isSetBack || !occurrence.isEarly(at: now)
            }
            // A campaign that goes by its own last occurrence must not go by the one that it is sending: its audience would
            // change on the way.
            let hasDone = all.contains { $0.occurrence.isDone && $0.occurrence.finished == nil }
            if hasDone, deciding[campaign] == nil {
                deciding[campaign] = workspace.audiences(decidingOf: [campaign])
            }
            let isOwn = deciding[campaign]?.contains(audience.name.value) == true
            let isOver = { (id: OccurrenceID, occurrence: RecordedOccurrence) in
                occurrence.finished != nil || occurrence.isDone && !isOwn && !ahead.contains(id)
            }
            // What is due once may have had a later time before its revision was raised.
            let ordered = all.filter { named == nil || $0.id == named }
                .map { (order: $0.occurrence.order(in: schedule), id: $0.id, occurrence: $0.occurrence) }
                .sorted { ($0.order.revision, $0.order.time, $0.id) > ($1.order.revision, $1.order.time, $1.id) }
            // What was missed by all says nothing about anybody. Most of those of a cron are not recorded at all.
            let passesOver = named == nil && schedule.repeats
            let over = ordered.filter {
                isOver($0.id, $0.occurrence) && !(passesOver && $0.occurrence.hadNobody)
                    && !$0.occurrence.isReplaced(among: all.lazy.map(\.occurrence), of: schedule)
            }
            let last = over.first
            let open = all.filter { !isOver($0.id, $0.occurrence) && $0.occurrence.hasBegun }
                .filter { named == nil || $0.id == named }.map(\.id)
            // What a person has tried again is the last one all the same, and what comes of it is not known yet.
            let again = ordered.prefix { $0.id != last?.id }
                .filter { !isOver($0.id, $0.occurrence) && $0.occurrence.isTriedAgain }.map(\.id).reversed()
            let found = Followed(
                audience: audience, followUp: followUp, id: last?.id,
                finished: over.first { $0.occurrence.finished != nil }?.id, isNeeded: isNeeded,
                isUndecided: !again.isEmpty || last == nil && (named != nil || !open.isEmpty),
                isSettled: again.isEmpty && open.isEmpty)
            followed.append(found)
            guard isNeeded else { continue }
            if let last, last.occurrence.finished == nil {
                let mark = last.occurrence.unseen ?? marks[campaign]?.at ?? .distantPast
                done[last.id] = Done(occurrence: last.occurrence, campaign: campaign, mark: mark)
            }
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
        if let named, let recorded, recorded.finished != nil || recorded.isDone, !open.contains(named) {
            return "\(unknown): another occurrence began in the place of \(named), which tried nobody"
        }
        if let last = open.last { return "\(unknown): \(last) is not finished" }
        return "audience '\(name)' is empty: no occurrence of campaign '\(campaign)' is finished"
    }

    /// The occurrences that audiences go by, or may go by again, and those audiences.
    package var audiences: [OccurrenceID: String] {
        let all = followed.flatMap { next in
            [next.id, next.finished].compactMap(\.self).map { ($0, next.audience.name.value) }
        }
        return Dictionary(all) { first, _ in first }
    }

    /// Those of the occurrences to go by whose campaign's list has somebody whose clock is ahead: it was short when a run
    /// looked last, or somebody joined since.
    package func ahead(in desired: Desired) -> Set<OccurrenceID> {
        if done.isEmpty { return [] }
        let names = Set(done.values.map(\.campaign))
        let sends = desired.sends.filter { names.contains($0.campaign.name.value) }
        return Set(
            done.filter { _, done in
                sends.contains {
                    $0.campaign.name.value == done.campaign
                        && $0.isAhead(of: done.occurrence, since: done.mark, besides: dead)
                }
            }.keys)
    }

    /// Whether it matters to an audience who of those that FCM refused is dead.
    package var goesByDead: Bool { followed.contains { $0.isNeeded && $0.followUp.outcomes.contains(.rejected) } }

    /// Who passes, by audience.
    package func limits(from store: (any StateStore)?) async throws -> [String: OutcomeLimit] {
        var limits: [String: OutcomeLimit] = [:]
        for followed in followed {
            let name = followed.audience.name.value
            let (isUndecided, isSettled) = (followed.isUndecided, followed.isSettled)
            limits[name] = OutcomeLimit([], isUndecided: isUndecided, isSettled: isSettled)
            guard let id = followed.id, followed.isNeeded, let occurrence = try await store?.occurrence(id) else {
                continue
            }
            guard let ledger = occurrence.ledger else {
                if isUndecided { continue }
                throw PrunedFollowUp(audience: name, occurrence: id, followed.followUp)
            }
            var limit = occurrence.limit(of: ledger.ended(), to: followed.followUp.outcomes, dead)
            (limit.isUndecided, limit.isSettled) = (isUndecided, isSettled)
            limits[name] = limit
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
    /// The recorded occurrences of each campaign under the name that it has now, sorted by id, and how far each is.
    fileprivate static func records(
        of workspace: Workspace, in state: RecordedState
    ) -> (occurrences: [String: [(id: OccurrenceID, occurrence: RecordedOccurrence)]], marks: [String: Watermark]) {
        var desired = Desired()
        desired.sends = workspace.campaigns.map { DesiredSend(campaign: $0, members: []) }
        // Names do not depend on the time.
        var planner = Planner(
            Input(desired: desired, state: state, settings: workspace.settings, listsSkipped: true),
            Date(timeIntervalSince1970: 0))
        planner.carryNames()
        return (planner.occurrences, planner.state.watermarks)
    }
}

extension DesiredSend {
    /// Whether the clock of somebody who is no part of an occurrence in local time had not come to it at a time.
    fileprivate func isAhead(of occurrence: RecordedOccurrence, since mark: Date, besides dead: RecipientSet) -> Bool {
        // Nobody joins what is of another revision.
        guard let local = occurrence.local, let field = campaign.schedule.local?.field,
            occurrence.revision == campaign.revision
        else { return false }
        let last = campaign.schedule.mayWaitADay ? local.nextDay : local
        let known = (occurrence.ledger?.entries.all ?? []).subtracting(occurrence.released)
            .union(occurrence.classes.all)
        let others = members.subtracting(guests).subtracting(known).subtracting(dead)
        return zones(of: others, by: field, else: campaign.schedule.zone).contains { zone, people in
            !people.isEmpty && campaign.schedule.reaching(last, in: zone).instant > mark
        }
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
    /// Whether a person has people of it tried again.
    fileprivate var isTriedAgain: Bool { isReopened || ledger?[.again].isEmpty == false }

    /// Whether a clock that was fast sent it to all before its time.
    fileprivate func isEarly(at now: Date) -> Bool {
        guard let due, due > now else { return false }
        return finished.map { $0 > now } ?? (isReopened || isDone)
    }

    /// What tells which of two occurrences is the later one.
    fileprivate func order(in schedule: Schedule) -> (revision: Int, time: Date) {
        (schedule.repeats ? 0 : revision, due(in: schedule.zone) ?? begun ?? finished ?? .distantPast)
    }

    /// Whether it ended and nothing came of anybody.
    fileprivate var hadNobody: Bool { finished != nil && LedgerEntry.allCases.allSatisfy { counts[$0] == 0 } }

    /// Whether it tried nobody and another one began in its place. The other one says what came of people.
    fileprivate func isReplaced(among others: some Sequence<RecordedOccurrence>, of schedule: Schedule) -> Bool {
        triedNobody && others.contains { $0.hasPlace(of: self, in: schedule) && !$0.triedNobody }
    }

    /// Whether both are of one time, also if only one of them is in local time. What is due once has one time in each
    /// revision, and a raised one takes the place of an earlier one.
    private func hasPlace(of other: RecordedOccurrence, in schedule: Schedule) -> Bool {
        if !schedule.repeats, revision >= other.revision { return true }
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
        case .heldOut: classes.members(where: \.isHoldout).union(skipped(ledger) { $0 == .heldOut })
        case .skipped: part.subtracting(ledger.entries.union(of: LedgerEntry.allCases.filter(\.isTried)))
        case .never: []
        }
    }

    private func skipped(_ ledger: Ledger, _ isWanted: (SkipReason) -> Bool) -> RecipientSet {
        ledger.codes.states.filter { SkipReason(rawValue: $0).map(isWanted) ?? false }
            .reduce(into: RecipientSet()) { $0.formUnion(ledger.codes[$1]) }
    }
}
