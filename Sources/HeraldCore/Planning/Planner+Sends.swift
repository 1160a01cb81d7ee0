internal import FCM

/// Which occurrences are due, and what the plan says about the others.
extension Planner {
    mutating func planSends(selected campaigns: Set<String>) {
        let isSelected = { (name: String) in campaigns.isEmpty || campaigns.contains(name) }
        var due: [(send: Plan.Send, campaign: Campaign)] = []
        for wanted in desired.sends where isSelected(wanted.campaign.name.value) {
            if wanted.zonesDefaulted > 0, wanted.campaign.enabled {
                overview.zonesDefaulted[wanted.campaign.name.value] = wanted.zonesDefaulted
            }
            let (missed, superseded) = (plan.missed.count, plan.superseded.count)
            let (joinedLate, over) = (plan.joinedLate.count, plan.over.count)
            for send in sends(wanted) { due.append((send, wanted.campaign)) }
            let name = wanted.campaign.name.value
            overview.begun[name] = begun(wanted.campaign)
            for place in missed..<plan.missed.count { plan.missed[place].mark = state.watermarks[name]?.at }
            let late = plan.missed[missed...] + plan.superseded[superseded...]
            checkEnded(late, of: wanted)
            let ended = late + plan.joinedLate[joinedLate...]
            // What comes due while it is disabled is dealt with, whoever holds it.
            let mark = wanted.campaign.enabled ? state.watermarks[name] : nil
            var look = plan.looks[name] ?? Plan.Look(mark: mark, occurrences: [])
            look.occurrences.formUnion(ended.map(\.occurrence) + plan.over[over...])
            plan.looks[name] = look
        }
        // What the state has is not opened again: it would forget whom it is for.
        for place in plan.missed.indices where state.occurrences[plan.missed[place].occurrence] != nil {
            plan.missed[place].unrecorded = nil
        }
        holdAbandoned(isSelected)
        if campaigns.isEmpty { passVanished() }
        noteUnseen(isSelected)
        // Among those of one priority, new sends come before unfinished ones: a long send must not delay others that are
        // due.
        let order = { [now] (send: Plan.Send) in
            (-send.delivery.frequency.priority, send.isResumed ? 1 : 0, send.due ?? now, send.occurrence)
        }
        due.sort { order($0.send) < order($1.send) }
        // All are judged before any takes a place under a cap: a refused one leaves out its whole campaign.
        for (send, campaign) in due { checkSend(send, of: campaign) }
        let uncounted = campaignsUncounted(in: due)
        var book = capBook()
        keepStarts()
        for (planned, _) in due {
            var send = planned
            applyCaps(to: &send, book)
            keepOutcomes(of: &send)
            noteMissed(of: &send)
            if changesNothing(send) {
                noteKept(send)
                continue
            }
            let isReopened = state.occurrences[send.occurrence]?.isReopened == true
            let reason =
                send.isResumed
                ? isReopened ? "some of its recipients are to be tried again" : "an earlier run did not finish it"
                : send.due != nil
                    ? "it is due"
                    : send.revision > 1
                        ? "revision \(send.revision) was not sent yet" : "it has no schedule and was never sent"
            sends.append(step(.send(send), reason: reason))
            if !uncounted.contains(send.campaign) { fill(&book, with: send) }
        }
        limitUpcoming()
        foresee(after: book)
        keepWaits()
    }

    /// Whoever was tried before and is not tried again, for whatever reason, keeps what came of it. Whom FCM refused
    /// for now ends as rejected.
    private func keepOutcomes(of send: inout Plan.Send) {
        guard !send.skipped.isEmpty, let ledger = state.occurrences[send.occurrence]?.ledger else { return }
        send.keepingOutcome = ledger.uncertain.union(ledger[.again]).intersection(send.skipped.all)
        let refused = ledger[.deferred].intersection(send.skipped.all)
        (send.refused, send.refusedIfStopped) = (
            refused.subtracting(send.undecided), refused.intersection(send.undecided)
        )
        send.skipped.move(send.refused, to: nil)
    }

    /// Notes that no run came in time for some of it. Those who may have it stay as they are.
    private func noteMissed(of send: inout Plan.Send) {
        let recorded = state.occurrences[send.occurrence]
        // The likeness of a snapshot has nobody of the lists in what has begun, so all of them look late.
        if sizes != nil, recorded != nil { return }
        let ledger = recorded?.ledger ?? Ledger()
        let late = send.skipped[.missed].subtracting(ledger.uncertain)
        // What is too late for everybody is told as a whole.
        guard !late.isEmpty, !plan.missed.contains(where: { $0.occurrence == send.occurrence }) else { return }
        send.missed = Plan.Missed(
            occurrence: send.occurrence, due: send.waves?.local.firstInstant ?? send.due ?? now,
            reason: "it is too late for \(count(late.count, "recipient"))", mark: state.watermarks[send.campaign]?.at,
            isPartial: true)
        send.hasMissedBefore = !ledger.codes[SkipReason.missed.rawValue].isEmpty
    }

    /// Whether a send that stays open only leaves those as they are who may have it and are not sent it again. The
    /// state does not say so, and every plan would decide it anew.
    private func changesNothing(_ send: Plan.Send) -> Bool {
        guard send.isResumed, let occurrence = state.occurrences[send.occurrence], let ledger = occurrence.ledger,
            send.staysOpen || send.mayGrow && occurrence.isDone
        else { return false }
        let isNews =
            send.liftsHalt || send.staging?.isNews == true || send.assignment != nil
            || send.waves?.unrecorded.isEmpty == false
        let hasNobody =
            send.members.isEmpty && send.discovered.isEmpty && send.refused.isEmpty && send.undecided.isEmpty
        let isKept =
            send.skipped.all == send.keepingOutcome && send.keepingOutcome.intersection(ledger[.again]).isEmpty
        return !isNews && hasNobody && isKept && !send.skipped.isEmpty
    }

    /// What a step noted of them stays noted: otherwise the next plan would have that step again.
    private mutating func noteKept(_ send: Plan.Send) {
        if !send.staysOpen { plan.notes.removeAll { $0 == .done(send.occurrence, false) } }
        overview.warnings.append(
            "\(send.occurrence) is half done and not sent again to \(count(send.keepingOutcome.count, "recipient")) who may have it; it ends with 'herald state resolve \(send.occurrence) --abandon'"
        )
    }

    /// The campaign's sends to make now. All else about it is noted in the plan.
    private mutating func sends(_ wanted: DesiredSend) -> [Plan.Send] {
        let campaign = wanted.campaign
        if passesOver(campaign) { return [] }
        let entries = occurrences[campaign.name.value] ?? []
        let ofRevision = entries.filter { $0.occurrence.revision == campaign.revision }
        if let local = campaign.schedule.local { return localSends(wanted, local, ofRevision) }
        if campaign.schedule.isCron { return cronSends(wanted) }
        noteFastClock(campaign, entries)
        let due = campaign.schedule.at
        let id = freeID(of: campaign, due: due)
        // Each revision has one occurrence. The one that has begun counts, even if its time was changed since.
        let begun = ofRevision.filter(\.occurrence.hasBegun)
        if !begun.isEmpty {
            // What tried nobody before its time was edited is over. What a fast clock opened may wait for its time.
            if begun.contains(where: { $0.occurrence.local == nil && $0.occurrence.due == due }) {
                plan.over += entries.filter {
                    $0.occurrence.isUnbegun && $0.occurrence.due ?? now <= now
                        && $0.occurrence.revision <= campaign.revision
                }.map(\.id)
            }
            let open = begun.filter { $0.occurrence.finished == nil }
            let last = begun.last { !$0.occurrence.triedNobody } ?? begun.last
            return (open.isEmpty ? [last].compactMap(\.self) : open)
                .flatMap { planBegun(wanted, $0.id, $0.occurrence) }
        }
        guard campaign.enabled, !campaign.hasEnded(in: ofRevision.map(\.occurrence)) else { return [] }
        if let due {
            if now < due {
                overview.upcoming += upcoming(wanted, after: now, through: due)
                return []
            }
            if let lateness = lateness(of: wanted, id, due: due) {
                let missed = RecordedOccurrence(campaign, due: due)
                plan.missed.append(.init(occurrence: id, due: due, reason: "it is \(lateness)", unrecorded: missed))
                return []
            }
        }
        let earlier = entries.map(\.occurrence).filter(\.isUnbegun)
        // Without a time, a message gets old from when it first began. What was due at another time before is not late
        // by that.
        if due == nil, let begun = earlier.begun(with: campaign)?.begun,
            let lateness = campaign.limits(due: nil, begun: begun).lateness(at: now)
        {
            let missed = RecordedOccurrence(campaign, due: nil)
            plan.missed.append(
                .init(occurrence: id, due: begun, reason: "it is \(lateness.words)", unrecorded: missed))
            return []
        }
        return begin(wanted, id, due: due, after: earlier)
    }

    /// The send of an occurrence that has tried nobody yet. Empty if there is nobody to send to.
    ///
    /// - Parameters:
    ///   - earlier: unbegun occurrences in whose place it is.
    ///   - sorting: whose clock has reached it, for a campaign in local time.
    mutating func begin(
        _ wanted: DesiredSend, _ id: OccurrenceID, due: Date?, after earlier: [RecordedOccurrence],
        _ sorting: WaveSorting? = nil
    ) -> [Plan.Send] {
        if !wanted.undecided.isEmpty {
            let reached = sorting?.waves.reached.all
            noteUndecided(wanted, id, reached ?? wanted.members)
            return []
        }
        // What FCM refused to take for now, it may have delivered all the same.
        var ledger = Ledger()
        for occurrence in earlier { ledger.move(occurrence.ledger?[.deferred] ?? [], to: .deferred) }
        // Who takes part stays as it was recorded, also where nobody has an outcome yet or any more. In local time only
        // those are recorded whose clock had come to it: they are not all whom it is for at another kind of time.
        let recorded = earlier.last {
            $0.hasTexts && $0.isSame(as: wanted.campaign) && $0.local == sorting?.waves.local
        }
        var send = send(
            wanted, id, due: due, ledger: ledger, isResumed: false, recorded?.classes ?? Partition(), sorting)
        noteOwed(send)
        send.begun = earlier.begun(with: wanted.campaign)?.begun
        guard hasNobody(send, of: wanted) else { return startable(send, of: wanted) }
        let end = send.lastBeginning.map { ", until \($0.rfc3339) at the latest" } ?? ""
        overview.warnings.append(
            "campaign '\(send.campaign)' is due and has nobody to send to (\(send.target.words)); it begins when there is somebody\(end)"
        )
        return []
    }

    /// Why a send of the campaign that was due then may neither begin nor resume. `nil` if it may.
    func lateness(of wanted: DesiredSend, _ id: OccurrenceID, due: Date) -> String? {
        wanted.campaign.lateness(due: due, waited: waits.recorded[id], at: now, in: windowZones(of: wanted))?.words
    }

    /// - Parameters:
    ///   - ledger: the outcomes of the occurrence so far.
    ///   - isResumed: whether the occurrence has begun.
    ///   - classes: whom it is for, as recorded; empty if that is not known.
    ///   - sorting: whose clock has reached it, for one in local time.
    mutating func send(
        _ wanted: DesiredSend, _ id: OccurrenceID, due: Date?, ledger: Ledger, isResumed: Bool,
        _ classes: Partition<MessageClass>, _ sorting: WaveSorting?
    ) -> Plan.Send {
        let campaign = wanted.campaign
        var members = wanted.members(for: classes).subtracting(unreachable)
        if let sorting { members = members.intersection(sorting.waves.reached.all) }
        let joining = sorting?.waves.fresh ?? []
        // A group without living members has no key that reaches anyone.
        let isOneRequest = campaign.target.value.isOneRequest(campaign.delivery)
        if case .group(let name) = campaign.target.value, isOneRequest, !listsSkipped, liveMembers(of: name).isEmpty {
            members = []
        }
        let released = ledger.released(from: classes)
        let tried = ledger.settled.subtracting(released)
        var repeated = campaign.delivery.onUnknown == .resend ? ledger.uncertain.intersection(members) : []
        var parts: Partaking?
        if listsSkipped || isOneRequest {
            // Nobody is known, or the target is all there is.
        } else if let messages = campaign.content.personal {
            parts = Partaking(
                members, of: messages, wanted, begun: classes, joining: joining, isResumed: isResumed, tried: tried,
                repeated: repeated)
        } else {
            parts = Partaking(members, begun: classes.all, joining: joining, tried: tried.subtracting(repeated))
        }
        if let parts {
            members = parts.members
            repeated = repeated.intersection(members)
        }
        let remaining = members.subtracting(tried).union(repeated)
        var send = Plan.Send(
            campaign: campaign.name.value, occurrence: id, revision: campaign.revision, due: due,
            target: campaign.target.value, contentDigest: campaign.contentDigest, content: campaign.content,
            deadline: campaign.limits(due: due, waited: waits.recorded[id], in: windowZones(of: wanted)).deadline,
            delivery: campaign.delivery,
            members: remaining,
            discovered: ledger[.intended].subtracting(repeated),
            deferred: deferred(ledger[.deferred], in: remaining),
            recipients: remaining.isEmpty || !wanted.isKnown ? 0 : reached(by: campaign, remaining).upperBound,
            isCounted: isCounted(campaign.target.value) && wanted.isKnown, isResumed: isResumed)
        send.refusedAndHeld = refusedAndHeld[id] ?? []
        (send.repeated, send.again) = (repeated, ledger.again)
        if let parts {
            send.classes = parts.classes
            (send.assignment, send.leftOut) = (parts.assignment, parts.leftOut)
            send.returning = released.intersection(parts.assignment?.all ?? [])
            send.leftOut.tellApart(wanted.members(for: classes), dead: unreachable, ahead: sorting?.waves.ahead.all)
        }
        if let sorting { send.take(sorting, until: campaign.schedule.lastInstant(of: sorting.waves.local), at: now) }
        send.leftOut.asked = asked(about: send, of: wanted, sorting)
        send.whole = whole(send, of: wanted, left: remaining, ledger)
        return send
    }

    /// Who of `remaining` may get the message a second time, because FCM refused it for now and may have delivered it all
    /// the same. What was one request reached nobody knows whom, and the same holds where it is one request now.
    private func deferred(_ recipients: RecipientSet, in remaining: RecipientSet) -> RecipientSet {
        let isOfOtherKind =
            !recipients.isEmpty
            && recipients.intersection(.target).isEmpty != remaining.intersection(.target).isEmpty
        return isOfOtherKind ? remaining : recipients.intersection(remaining)
    }
}

extension [RecordedOccurrence] {
    /// The first of these that began with the campaign's message.
    fileprivate func begun(with campaign: Campaign) -> RecordedOccurrence? {
        filter { $0.begun != nil && $0.isSame(as: campaign) }
            .min { $0.begun ?? .distantFuture < $1.begun ?? .distantFuture }
    }
}

extension Campaign {
    /// Whether one of these is over at the time that it has now, where it is due once. Compared by time, because a rename
    /// leaves ids as they are.
    func hasEnded(in occurrences: [RecordedOccurrence]) -> Bool {
        occurrences.contains { $0.revision == revision && $0.finished != nil && $0.hasTime(of: schedule) }
    }
}

extension RecordedOccurrence {
    init(_ campaign: Campaign, due: Date?) {
        self.init(
            campaign: campaign.name.value, revision: campaign.revision, due: due,
            contentDigest: campaign.contentDigest, target: campaign.target.value.recordedText)
    }

    /// Whether the campaign has another message, target or time now.
    func isChanged(in campaign: Campaign) -> Bool {
        contentDigest != campaign.contentDigest || !fits(campaign.schedule)
    }

    /// Whether it is of the kind of time that the schedule has. One that repeats may have other times by now.
    private func fits(_ schedule: Schedule) -> Bool {
        switch schedule.times {
        case .once, .at: local == nil && hasTime(of: schedule)
        case .cron: local == nil && due != nil
        case .local(let times): times.isCron ? local != nil : hasTime(of: schedule)
        }
    }

    /// Whether it was sent, and the campaign is at a lower revision now.
    func hasPassed(_ campaign: Campaign) -> Bool { revision > campaign.revision && hasTried }

    /// Whether it has the campaign's message, under its revision.
    fileprivate func isSame(as campaign: Campaign) -> Bool {
        revision == campaign.revision && contentDigest == campaign.contentDigest
    }

    /// Whether it is due at the time of a schedule that does not repeat.
    func hasTime(of schedule: Schedule) -> Bool {
        if case .at(let time, _)? = schedule.local?.times { local == time } else { due == schedule.at }
    }
}

extension Plan.Send {
    /// Takes out whom nothing is sent of it, and notes whose clock has reached it.
    ///
    /// - Parameter end: when no clock is ahead of it any more. Until then it stays open, because the list may be short for
    /// now.
    fileprivate mutating func take(_ sorting: WaveSorting, until end: Date, at now: Date) {
        let never = sorting.skipped.all.intersection(members)
        for reason in sorting.skipped.states { skipped.move(sorting.skipped[reason].intersection(members), to: reason) }
        if !never.isEmpty { limit(to: members.subtracting(never)) }
        var waves = sorting.waves
        if !isResumed { waves.unrecorded = waves.reached }
        let first = waves.reached.states.filter { !waves.reached[$0].intersection(members.union(waves.fresh)).isEmpty }
        due = first.min() ?? waves.local.firstInstant
        self.waves = waves
        (staysOpen, mayGrow) = (!waves.ahead.isEmpty, now < end)
    }
}
