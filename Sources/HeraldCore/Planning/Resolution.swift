/// What a person decides about an occurrence that herald does not continue by itself.
package enum Resolution: Hashable, Sendable {
    /// Recipients with an unknown outcome count as accepted.
    case accept
    /// Recipients with an unknown outcome get the message again.
    case resend
    /// The occurrence is over, even if some recipients are left.
    case abandon
    /// The occurrence continues with the message and the time that the file has now.
    case goOn
    /// Recipients rejected with this code are tried again.
    case retry(code: String)
}

/// Why a decision cannot be carried out.
package enum ResolutionProblem: Error, Hashable, Sendable {
    case noOccurrence
    case nobodyUncertain
    case alreadyFinished
    /// No file declares the campaign at the occurrence's revision.
    case noCampaign(name: String, revision: Int)
    case nobodyRejected(code: String, known: [String])
    /// The registrations of all of them are dead or erased, or the target does not have them any more.
    case nobodyReachable(Int)
    /// The campaign has another message, target or time now.
    case changed
    /// The occurrence was sent to a whole target, and the campaign now sends to each recipient, or the reverse.
    case reachedOtherwise
    /// The occurrence began with personal messages, and the campaign sends everybody the same now.
    case noMorePersonal
    /// The campaign took the name over, and its message was sent in that occurrence when it had another name.
    case sentBefore(OccurrenceID)
    /// It would go on at the time that another occurrence of its campaign has.
    case timeTaken(OccurrenceID)
    case disabled
    /// It waits for a person to let it go on.
    case halted
    /// The name of the campaign, or `nil` if everything is paused.
    case paused(String?)
    case tooLate(Lateness)
}

extension Ledger {
    /// Whom a decision has tried again.
    package func members(triedAgainBy resolution: Resolution) -> RecipientSet {
        switch resolution {
        case .resend: uncertain
        case .retry(let code): rejected(with: code)
        case .accept, .abandon, .goOn: []
        }
    }

    fileprivate func rejected(with code: String) -> RecipientSet { codes[code].intersection(self[.rejected]) }
}

extension Campaign {
    /// Whether it goes on with what was sent under that name.
    package func continues(_ name: String) -> Bool {
        self.name.value == name || previousNames.contains { $0.value == name }
    }
}

extension RecordedOccurrence {
    /// With the content, target and time that the campaign has now.
    func amended(by campaign: Campaign) -> RecordedOccurrence {
        let zone = campaign.schedule.zone
        switch campaign.schedule.times {
        case .once: return RecordedOccurrence(campaign, due: nil)
        case .at(let date): return RecordedOccurrence(campaign, due: date)
        case .cron: return RecordedOccurrence(campaign, due: due(in: zone))
        case .local(let schedule):
            if case .at(let time, _) = schedule.times { return RecordedOccurrence(campaign, local: time) }
            return localTime(in: zone).map { RecordedOccurrence(campaign, local: $0) }
                ?? RecordedOccurrence(campaign, due: due)
        }
    }

    /// Whether it is for everybody who is listed once it goes on with what the file says now: whoever another target
    /// has is part of it.
    ///
    /// - Parameter formerNames: the names that audiences had before.
    func isForOthers(in campaign: Campaign, _ formerNames: [String: [String]]) -> Bool {
        var targets = [campaign.target.value]
        if case .audience(let name) = campaign.target.value {
            targets += (formerNames[name] ?? []).map { .audience($0) }
        }
        return !targets.map(\.recordedText).contains(target) || amended(by: campaign).local != local
    }

    /// Whom it is for, each with their text, as far as that is known once the campaign's message has changed.
    fileprivate func partakers(in campaign: Campaign) -> Partition<MessageClass> {
        guard let messages = campaign.content.personal, contentDigest != campaign.contentDigest else { return classes }
        return messages.forgettingLanguages(of: classes, besides: ledger?[.accepted] ?? [])
    }
}

extension RecordedOccurrence {
    /// When the last of them is too late for `expires_after`, where each has a wave. `nil` if some may get it at any time.
    fileprivate func expiry(for members: RecipientSet, _ campaign: Campaign) -> Date? {
        guard members.subtracting(waves.all).isEmpty else { return nil }
        let last = waves.states.filter { !waves[$0].intersection(members).isEmpty }.max()
        return last.flatMap { campaign.delivery.expiry(from: $0) }
    }

    /// Somebody is to get it again, so that not everybody has it. What is reopened says so itself.
    fileprivate func undone(_ id: OccurrenceID) -> [StateChange] {
        isDone && finished == nil ? [.done(id, false)] : []
    }
}

extension RecordedState {
    /// Who gets nothing of an open occurrence if it ends now: whom it is for, as far as the state knows, and who may still
    /// be tried.
    package func unserved(by id: OccurrenceID) -> RecipientSet {
        guard let occurrence = occurrences[id], occurrence.finished == nil, let ledger = occurrence.ledger else {
            return []
        }
        return occurrence.classes.members(where: { !$0.isHoldout }).union(ledger[.deferred]).union(ledger[.again])
            .subtracting(ledger.settled).subtracting(ledger.resent).subtracting(.target).subtracting(dead)
    }

    /// Who may have got an open occurrence and was to be sent it again, which nobody does if it ends now.
    package func unrepeated(by id: OccurrenceID) -> RecipientSet {
        guard let occurrence = occurrences[id], occurrence.finished == nil else { return [] }
        return (occurrence.ledger?.resent ?? []).subtracting(.target).subtracting(dead)
    }

    /// When the last clock of the world comes to an open occurrence in local time. `nil` if none is ahead of it, or if
    /// everybody on the list has it.
    ///
    /// - Parameter campaign: the campaign as the files have it now.
    package func lastClock(of id: OccurrenceID, _ campaign: Campaign?, at now: Date) -> Date? {
        guard let occurrence = occurrences[id], !occurrence.isOver, let local = occurrence.local else { return nil }
        let last = campaign?.schedule.lastInstant(of: local) ?? local.lastInstant
        return last > now ? last : nil
    }

    /// The changes that carry out the decision. The occurrence must have its ledger, which a snapshot does not have for
    /// finished occurrences.
    ///
    /// - Parameters:
    ///   - campaign: the campaign as the files have it now.
    ///   - wanted: what its lists say (`clocksMatter`). Without them, whom it is for may be anywhere.
    ///   - formerNames: the names that audiences had before. The same list under another name is the same target.
    ///   - erased: who was erased of those whom the decision has tried again, or is not in the target any more.
    package func changes(
        resolving id: OccurrenceID, by resolution: Resolution, campaign: Campaign?, wanted: DesiredSend? = nil,
        _ formerNames: [String: [String]] = [:], besides erased: RecipientSet = [], at now: Date
    ) throws(ResolutionProblem) -> [StateChange] {
        guard let recorded = occurrences[id] else { throw .noOccurrence }
        let occurrence = campaign.map(recorded.holdingErrors) ?? recorded
        let ledger = occurrence.ledger ?? Ledger()
        let uncertain = ledger.uncertain
        switch resolution {
        case .accept:
            let uncertain = uncertain.union(ledger.resent)
            guard !uncertain.isEmpty else { throw .nobodyUncertain }
            return [.outcome(id, uncertain, .accepted)]
        case .resend:
            guard !uncertain.isEmpty else { throw .nobodyUncertain }
            return try tryingAgain(uncertain, besides: erased, of: id, occurrence, campaign, at: now)
        case .abandon:
            let uncertain = uncertain.union(ledger.resent)
            if uncertain.isEmpty, occurrence.finished != nil { throw .alreadyFinished }
            let settling = uncertain.isEmpty ? [] : [StateChange.outcome(id, uncertain, .abandoned)]
            return settling + (occurrence.finished == nil ? [.finish(id, at: now)] : [])
        case .goOn: return try goingOn(id, occurrence, campaign, wanted, formerNames, at: now)
        case .retry(let code):
            let rejected = ledger.rejected(with: code)
            guard !rejected.isEmpty else {
                throw .nobodyRejected(code: code, known: occurrence.counts.rejections.keys.sorted())
            }
            return try tryingAgain(rejected, besides: erased, of: id, occurrence, campaign, at: now)
        }
    }

    /// Whoever cannot be tried keeps their outcome: otherwise nothing would say any more what became of them.
    private func tryingAgain(
        _ members: RecipientSet, besides erased: RecipientSet, of id: OccurrenceID, _ occurrence: RecordedOccurrence,
        _ campaign: Campaign?, at now: Date
    ) throws(ResolutionProblem) -> [StateChange] {
        let living = members.subtracting(dead).subtracting(erased)
        guard !living.isEmpty else { throw .nobodyReachable(members.count) }
        if let twin = laterTwin(of: id) { throw .timeTaken(twin) }
        try checkSending(occurrence, to: living, campaign, at: now)
        return reopening(id, for: living) + [.outcome(id, living, .again)] + occurrence.undone(id)
            + [tryingAgain([id])]
    }

    /// Whether only lists tell until when an occurrence may go on: its window opens by each one's clock, and all have
    /// one due time.
    ///
    /// - Parameter campaign: the campaign as the files have it now.
    package func clocksMatter(to id: OccurrenceID, _ resolution: Resolution, _ campaign: Campaign?) -> Bool {
        resolution == .goOn && campaign?.delivery.window?.field != nil && campaign?.schedule.local == nil
            && occurrences[id]?.finished == nil
    }

    /// The occurrence goes on with what the campaign's file says now.
    private func goingOn(
        _ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ campaign: Campaign?, _ wanted: DesiredSend?,
        _ formerNames: [String: [String]], at now: Date
    ) throws(ResolutionProblem) -> [StateChange] {
        if occurrence.finished != nil { throw .alreadyFinished }
        let campaign = try declared(campaign, for: occurrence)
        let isWhole = campaign.target.value.isOneRequest(campaign.delivery)
        // Those who have it, or may have it, would get it again with the rest of the target.
        let settled =
            occurrence.ledger.map { $0.settled.union($0.resent).subtracting(occurrence.released) } ?? []
        if !settled.isEmpty, settled.intersection(.target).isEmpty == isWhole { throw .reachedOtherwise }
        // Nothing would say any more who is a holdout.
        if !settled.isEmpty, occurrence.hasTexts, campaign.content.personal == nil { throw .noMorePersonal }
        if let earlier = sending(of: campaign, named: occurrence.campaign) { throw .sentBefore(earlier) }
        let amended = occurrence.amended(by: campaign)
        let twin = occurrence.isChanged(in: campaign) ? other(than: id, at: amended) : laterTwin(of: id)
        if let twin { throw .timeTaken(twin) }
        let stages = opensNextStage(of: occurrence, campaign) ? excusing(occurrence, at: now) : nil
        var later = occurrence
        (later.contentDigest, later.target) = (amended.contentDigest, amended.target)
        (later.due, later.local, later.halt) = (amended.due, amended.local, nil)
        if let stages { later.stages = stages }
        let isForOthers = occurrence.isForOthers(in: campaign, formerNames)
        // Nobody joins what had ended: its waves are found anew, for the same people.
        let isClosed = occurrence.isReopened && occurrence.classes.all.intersection(.target).isEmpty
        if isForOthers, !isClosed { later.classes = Partition() }
        let limits =
            wanted?.limits(of: later, waited: waited[id], besides: dead)
            ?? campaign.limits(of: later, waited: waited[id])
        if let lateness = limits.lateness(at: now) { throw .tooLate(lateness) }
        var changes: [StateChange] = [
            .amend(id, contentDigest: later.contentDigest, target: later.target, due: later.due, local: later.local)
        ]
        if occurrence.halt != nil { changes.append(.halt(id, nil)) }
        // The state may not know that they were tried before.
        if occurrence.halt == .failedOver { changes.append(tryingAgain([id])) }
        if let stages {
            // What a crash left is accepted with the rest. What one leaves from now on is news.
            let left = occurrence.ledger?[.intended] ?? []
            if !left.isEmpty { changes.append(.outcome(id, left, .unknown)) }
            changes.append(.stages(id, stages))
        }
        let partakers = occurrence.partakers(in: campaign)
        guard isForOthers else { return changes + (partakers == occurrence.classes ? [] : [.assign(id, partakers)]) }
        if isClosed { return changes + [.assign(id, Partition()), .assign(id, partakers)] }
        // The next step takes those back whom the campaign goes to now. Nobody else is forgotten, and who is held out
        // stays so, whatever variant they would have now.
        let known = occurrence.ledger?.entries.all ?? []
        let heldOut = occurrence.classes.members(where: \.isHoldout).subtracting(known)
        let skipped: [(SkipReason, RecipientSet)] =
            later.hasBegun ? [(.notTried, occurrence.untried.subtracting(.target)), (.heldOut, heldOut)] : []
        let skips = skipped.filter { !$0.1.isEmpty }.map { StateChange.skip(id, $0.1, $0.0) }
        // At the same time, whoever has it stays in their wave.
        let waves = later.local == occurrence.local ? occurrence.waves.intersection(known) : Partition()
        let placing: [StateChange] = waves.isEmpty ? [] : [.waves(id, waves), continuing(id, at: now)]
        return changes + skips + [.assign(id, Partition())] + placing
    }

    /// The occurrence that has the time of a campaign that is due once, where an earlier schedule had several.
    private func other(than id: OccurrenceID, at amended: RecordedOccurrence) -> OccurrenceID? {
        occurrences.filter { other, occurrence in
            // A rename of the files may not be in the state yet.
            other != id && occurrence.campaign == occurrences[id]?.campaign && occurrence.revision == amended.revision
                && (occurrence.due, occurrence.local) == (amended.due, amended.local) && !occurrence.triedNobody
        }.keys.min()
    }

    /// The stages of an occurrence once a person has accepted what came of the last one. `nil` if there are none.
    ///
    /// - Parameter members: who is tried again.
    private func excusing(
        _ occurrence: RecordedOccurrence, besides members: RecipientSet = [], at now: Date
    ) -> [RecordedStage]? {
        guard var last = occurrence.stages.last, let ledger = occurrence.ledger else { return nil }
        let figures = StageFigures(ledger, besides: members, dead: dead) - last.before
        (last.accepted, last.excused, last.figures) = (now, figures, figures)
        return occurrence.stages.dropLast() + [last]
    }

    /// Takes an occurrence's end back, if it has ended. Who was not tried before that end is skipped for good, and whom
    /// an older herald left deferred is rejected.
    ///
    /// - Parameter members: who is to be tried again.
    func reopening(_ id: OccurrenceID, for members: RecipientSet) -> [StateChange] {
        guard var occurrence = occurrences[id], occurrence.finished != nil, let ledger = occurrence.ledger else {
            return []
        }
        let ended = ledger.ended(besides: members)
        occurrence.outcomes = .ledger(ended)
        let refused = ledger[.deferred].intersection(ended[.rejected])
        let known = ended.settled.union(members)
        let untried = occurrence.classes.members(where: { !$0.isHoldout }).subtracting(known)
        var changes: [StateChange] = [.reopen(id)]
        if occurrence.classes.isEmpty { changes.append(.assign(id, Partition(disjoint: [MessageClass(): known]))) }
        if !refused.isEmpty { changes.append(.reject(id, refused, code: Ledger.refusal)) }
        if !untried.isEmpty { changes.append(.skip(id, untried, .notTried)) }
        if let stages = stages(reopening: occurrence, for: members) { changes.append(.stages(id, stages)) }
        return changes
    }

    /// What came of an occurrence before its end is accepted.
    private func stages(reopening occurrence: RecordedOccurrence, for members: RecipientSet) -> [RecordedStage]? {
        occurrence.finished.flatMap { excusing(occurrence, besides: members, at: $0) }
    }

    private func declared(
        _ campaign: Campaign?, for occurrence: RecordedOccurrence
    ) throws(ResolutionProblem) -> Campaign {
        guard let campaign, campaign.revision == occurrence.revision else {
            throw .noCampaign(name: occurrence.campaign, revision: occurrence.revision)
        }
        return campaign
    }

    /// The occurrence in which the campaign was sent under a former name, if its history has not moved yet. Then another
    /// campaign began what the state has under the name that it took over.
    private func sending(of campaign: Campaign, named name: String) -> OccurrenceID? {
        let former = Set(campaign.previousNames.map(\.value)).subtracting(formerNames[name] ?? []).subtracting([name])
        return occurrences.filter { _, occurrence in
            former.contains(occurrence.campaign) && occurrence.revision == campaign.revision && occurrence.hasTried
        }.keys.min()
    }

    /// Whoever is to get it again would be forgotten if the next run did not send it.
    ///
    /// - Parameter members: who is to get it again.
    private func checkSending(
        _ occurrence: RecordedOccurrence, to members: RecipientSet, _ campaign: Campaign?, at now: Date
    ) throws(ResolutionProblem) {
        let campaign = try declared(campaign, for: occurrence)
        if occurrence.isChanged(in: campaign) { throw .changed }
        if !campaign.enabled { throw .disabled }
        if occurrence.halt != nil { throw .halted }
        if pauses.campaigns.contains(occurrence.campaign) { throw .paused(occurrence.campaign) }
        if pauses.everything { throw .paused(nil) }
        if let lateness = campaign.lateness(of: occurrence, at: now) { throw .tooLate(lateness) }
        // With what came of its stages accepted, nothing waits for a person any more.
        var later = occurrence
        if let stages = stages(reopening: occurrence, for: members) { later.stages = stages }
        if let lateness = campaign.lateness(of: later, at: now) { throw .tooLate(lateness) }
        if let expiry = occurrence.expiry(for: members, campaign), expiry <= now {
            throw .tooLate(.expired(at: expiry))
        }
    }
}
