internal import FCM

/// Occurrences that have begun: what is left of them, and who holds them.
extension Planner {
    /// - Parameter sorting: whose clock has reached it, for one in local time.
    mutating func planBegun(
        _ wanted: DesiredSend, _ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ sorting: WaveSorting? = nil
    ) -> [Plan.Send] {
        let campaign = wanted.campaign
        let isCron = campaign.schedule.repeats
        let isChanged = occurrence.isChanged(in: campaign)
        let warning =
            "campaign '\(campaign.name.value)' was changed after \(id) was sent; to send it again, set revision: \(nextRevision(of: campaign))"
        if !isChanged, !isCron { noteOutsiders(wanted, id, occurrence) }
        // A finished occurrence needs nothing more, even if the lists have changed.
        guard occurrence.finished == nil, let ledger = occurrence.ledger else {
            if isChanged, !isCron { overview.warnings.append(warning) }
            return []
        }
        if campaign.delivery.onUnknown == .hold, occurrence.counts.uncertain > 0 { holdUnknown(id, occurrence) }
        var remaining = send(
            wanted, id, due: occurrence.due, ledger: ledger, isResumed: true, occurrence.classes, sorting)
        noteOwed(remaining)
        remaining.begun = occurrence.begun
        remaining.liftsHalt = occurrence.halt == .dead && forgetsFreely(id)
        let waited = waits.recorded[id]
        let usual = campaign.limits(of: occurrence, waited: waited, in: windowZones(of: wanted))
        let limits = limits(of: id, occurrence, wanted)
        // Whom a person has tried again is in time for longer than others of the step.
        remaining.deadline = (usual.late(at: now) == nil ? usual : limits).deadline
        let lateness = limits.lateness(at: now).map(\.words)
        // Those who left the list get it if they come back in time.
        let left = remaining.leftOut.gone.subtracting(wanted.members(for: occurrence.classes))
        let repeats = lateness == nil ? ledger[.again] : []
        let waves = left.isEmpty ? nil : sorting
        let inTime =
            waves.map { left.subtracting($0.late(of: campaign, waited: waited, besides: repeats, at: now)) }
            ?? left
        if lateness == nil {
            let reason = "they are not on its list now, or are excluded; they get it if they are back in time"
            explain(id, to: inTime, reason, until: nil)
        }
        let mayBeAhead = mayBeAhead(occurrence, campaign, sorting)
        // Whoever's part is not decided yet is still to be accounted for, even if it is too late for them.
        let isUndecided = sorting?.undecided.isEmpty == false
        remaining.staysOpen =
            isUndecided || lateness == nil && (!inTime.isEmpty || sorting?.waves.ahead.isEmpty == false)
        remaining.mayGrow = sorting != nil && mayBeAhead
        let isOwing = sorting == nil || remaining.staysOpen || mayBeAhead || !remaining.members.isEmpty
        let nobody = listsSkipped || !isOwing ? nil : nobodyLeft(wanted, remaining, of: occurrence)
        // Once a person lets it go on to another target, outcomes choose its people anew.
        let isUndecidedWho =
            occurrence.classes.isEmpty
            ? !wanted.undecidedByOthers.isEmpty
            : isSuppressionUndecided(for: wanted) && !(remaining.members.isEmpty && left.isEmpty)
        let waits =
            isUndecidedWho && lateness == nil && !campaign.target.value.isOneRequest(campaign.delivery)
        // Whoever is waited for is still to be tried, whatever a step accounts for meanwhile. So is whoever has a bad row,
        // which may be corrected.
        if waits || nobody != nil && lateness == nil { remaining.staysOpen = true }
        // A wave of nothing but bad rows is refused, or accounted for.
        let isOfBad = !remaining.joiningBad.isEmpty && !isChanged && campaign.enabled && occurrence.halt == nil
        let hasNobody =
            remaining.members.isEmpty && remaining.discovered.isEmpty && remaining.skipped.isEmpty && !listsSkipped
            && nobody == nil && !waits && !isOfBad
        let holdsOut = !remaining.newlyHeldOut.isEmpty
        let mayEnd = !remaining.staysOpen && !mayBeAhead && !(isChanged && holdsOut)
        if hasNobody, mayEnd, occurrence.halt != .failedOver, occurrence.halt != .stage {
            // Who left it for good, or is held out, is still to be accounted for.
            if !left.isEmpty || holdsOut, !isChanged { return [remaining] }
            end(id, occurrence, campaign, losesField: isChanged && sorting == nil && !occurrence.isDone)
            if isChanged, !isCron { overview.warnings.append(warning) }
            return []
        }
        if occurrence.halt == .failedOver { return holdHalted(.failedOver, occurrence, remaining, wanted) }
        let isDecided = wanted.undecidedByOthers.isEmpty
        // While nobody knows who is in it, it stays as done as it is.
        let isThrough = sorting.map { $0.waves.ahead.isEmpty || !isDecided && occurrence.isDone } ?? occurrence.isDone
        let isDone = hasNobody && left.isEmpty && !holdsOut && !isUndecided && isThrough
        if sorting != nil, isDecided { noteDone(id, occurrence, isDone) }
        if isDone, occurrence.halt == nil, occurrence.local != nil {
            if isChanged, !isCron { overview.warnings.append(warning) }
            return []
        }
        if isChanged {
            let obstacle = obstacle(to: id, of: wanted)
            // A snapshot does not say what the target was.
            let isForOthers =
                sizes == nil && !occurrence.isReopened
                && occurrence.isForOthers(in: campaign, desired.audiencePreviousNames)
            let rest = isForOthers && sorting == nil ? restForOthers(wanted, id, occurrence, ledger) : remaining
            let whom = destination(of: rest, ledger, isForOthers: isForOthers)
            let besides = occurrence.halt.map { "besides, \(cause(of: $0, occurrence, campaign)); " } ?? ""
            let accepts = besides.isEmpty ? "" : "accepts that and "
            let prospect =
                obstacle.map { "it cannot go on with what the file says now: \($0)" }
                ?? "--continue \(accepts)sends what the file says now \(whom)"
                + repeating(rejectedOf: occurrence, wanted)
            hold(
                id,
                "it is half done and its message, target or time changed since; \(besides)\(prospect)"
                    + waveDeadline(of: remaining, wanted, occurrence),
                .held, obstacle == nil ? .goOn : .abandon, remaining: rest.members.count,
                stageTable(of: rest, wanted, occurrence))
        } else if let twin = occurrence.laterTwin(of: id, among: occurrences[campaign.name.value] ?? []) {
            hold(
                id,
                "it is half done, and \(twin), which began later, is of the same campaign now: some would get it twice",
                .held, .abandon, remaining: remaining.members.count, stageTable(of: remaining, wanted, occurrence))
        } else if !campaign.enabled {
            hold(
                id, "it is half done and the campaign is disabled", .held, .abandon,
                remaining: remaining.members.count,
                stageTable(of: remaining, wanted, occurrence))
        } else if let lateness, sorting == nil {
            let due = occurrence.due ?? occurrence.begun ?? now
            plan.missed.append(.init(occurrence: id, due: due, reason: "it is half done and \(lateness)"))
            let left = ledger[.intended]
            guard !left.isEmpty else { return [] }
            // What a crash left still has to be accounted for. It is too late to send it to anybody again.
            var account = remaining.withoutRequests(leftByCrash: left)
            account.delivery.onUnknown = .hold
            return [account]
        } else if let halt = occurrence.halt, !remaining.liftsHalt {
            return holdHalted(halt, occurrence, remaining, wanted)
        } else if sorting == nil, let due = occurrence.due, now < due {
            // A person let it go on at a later time, or a fast clock began it.
            if !isCron { overview.upcoming += upcoming(wanted, after: now, through: due) }
        } else if waits {
            noteUndecided(wanted, id, remaining.members, isHalfDone: true)
            if !remaining.discovered.isEmpty {
                return [remaining.withoutRequests(leftByCrash: remaining.discovered)]
            }
        } else if nobody != nil, remaining.discovered.isEmpty, wanted.isListUndecided {
            // Its list is empty because it was not fetched, or because others decide who is in it.
            noteUndecided(wanted, id, [], isHalfDone: true)
        } else if let nobody, remaining.discovered.isEmpty {
            overview.warnings.append(
                "\(id) is half done and \(nobody.reason); it goes on when \(nobody.end), or ends with 'herald state resolve \(id) --abandon'"
            )
        } else if hasNobody {
            if left.isEmpty { return holdsOut ? [remaining] : [] }
            let end =
                deadline(of: left, besides: repeats, campaign, limits.end, sorting)
                .map { ", until \($0.rfc3339) at the latest" } ?? ""
            overview.warnings.append(
                "\(id) is half done, and \(count(left.count, "recipient")) of it left the list (\(remaining.target.words)); it goes on when they are back\(end), or ends with 'herald state resolve \(id) --abandon'"
            )
        } else {
            return startable(remaining, of: wanted, occurrence)
        }
        return []
    }

    /// The occurrence of a campaign that is due once, if it is for certain people. In local time whoever's clock comes to
    /// it later joins it.
    func begun(_ campaign: Campaign) -> OccurrenceID? {
        if campaign.schedule.repeats || campaign.schedule.local != nil { return nil }
        if campaign.target.value.isOneRequest(campaign.delivery) { return nil }
        return occurrences[campaign.name.value]?.last {
            $0.occurrence.revision == campaign.revision && $0.occurrence.hasBegun
        }?.id
    }

    /// Whether a higher revision of a campaign that is due once was sent, and this one never began. A lower one is a
    /// slip, or was taken back: people have what came after it.
    mutating func passesOver(_ campaign: Campaign) -> Bool {
        if campaign.schedule.repeats { return false }
        let later = (occurrences[campaign.name.value] ?? []).map(\.occurrence).filter { $0.hasPassed(campaign) }
        guard let sent = later.map(\.revision).max(), !hasBegun(campaign) else { return false }
        if campaign.enabled {
            overview.warnings.append(
                "campaign '\(campaign.name.value)' is at revision \(campaign.revision), and revision \(sent) was sent already, so nothing is sent; to send it again, set revision: \(nextRevision(of: campaign))"
            )
        }
        return true
    }

    /// Warns of registrations that stand in the file only since the occurrence began: they are no part of it. Members of an
    /// audience come and go without an edit. Of a finished occurrence only the number is known whom it was for.
    private mutating func noteOutsiders(
        _ wanted: DesiredSend, _ id: OccurrenceID, _ occurrence: RecordedOccurrence
    ) {
        let campaign = wanted.campaign
        guard case .registrations = campaign.target.value, sizes == nil, !listsSkipped else { return }
        let members = wanted.members.subtracting(wanted.guests).subtracting(unreachable)
        let outsiders: Int
        if occurrence.finished == nil, let ledger = occurrence.ledger {
            let part = occurrence.classes.all
            outsiders = part.isEmpty ? 0 : members.subtracting(part).subtracting(ledger.entries.all).count
        } else {
            // No count has who is held out.
            outsiders = members.intersection(wanted.reached).count - occurrence.counts.all
        }
        guard outsiders > 0 else { return }
        overview.warnings.append(
            "campaign '\(campaign.name.value)' names \(count(outsiders, "recipient")) who had no part in it when \(id) began, and get nothing; to send it again to everybody, set revision: \(nextRevision(of: campaign))"
        )
    }

    /// The lowest revision that sends a campaign to everybody again.
    private func nextRevision(of campaign: Campaign) -> Int {
        (occurrences[campaign.name.value] ?? []).map(\.occurrence.revision).reduce(campaign.revision, max) + 1
    }

    /// - Parameter losesField: whether its schedule is in local time no more.
    private mutating func end(
        _ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ campaign: Campaign, losesField: Bool
    ) {
        plan.over.append(id)
        // Nobody is left to resend to, whoever asked for that: from now on a person decides.
        var ended = occurrence
        if var ledger = occurrence.ledger, !ledger.resent.isEmpty {
            ledger.restore(ledger[.again])
            ended.outcomes = .ledger(ledger)
            plan.held.removeAll { $0.occurrence == id }
        }
        let isHeld = plan.held.contains { $0.occurrence == id }
        if !isHeld, ended.counts.uncertain > 0 { holdUnknown(id, ended) }
        if losesField, occurrence.local != nil {
            overview.warnings.append(
                "\(id) ends: whoever's clock had not reached it before its schedule changed gets nothing")
        }
    }

    /// Until when those who left the list can come back to it. No list says which clock they have.
    ///
    /// - Parameters:
    ///   - repeats: those who have as long as the occurrence, because a person has them tried again.
    ///   - end: when the occurrence is too late for everybody.
    private func deadline(
        of left: RecipientSet, besides repeats: RecipientSet, _ campaign: Campaign, _ end: Date?,
        _ sorting: WaveSorting?
    ) -> Date? {
        guard let reached = sorting?.waves.reached, left.intersection(repeats).isEmpty else { return end }
        let waves = reached.states.filter { !reached[$0].intersection(left).isEmpty }
        return waves.compactMap { campaign.limits(due: $0, in: []).end }.max() ?? end
    }

    /// Why there is nobody to go on with, and what ends that. A list that is empty or whose rows are all bad says nothing
    /// about those who were not tried. `nil` if there is somebody, or if nobody is left to be tried.
    private func nobodyLeft(
        _ wanted: DesiredSend, _ remaining: Plan.Send, of occurrence: RecordedOccurrence
    ) -> (reason: String, end: String)? {
        let isOwing = occurrence.classes.isEmpty || occurrence.local != nil || !remaining.leftOut.missing.isEmpty
        if isOwing, wanted.targeted(for: occurrence.classes).isEmpty {
            return ("has nobody to send to (\(remaining.target.words))", "there is somebody")
        }
        guard remaining.members.isEmpty, remaining.joiningBad.isEmpty, !remaining.leftOut.bad.isEmpty else {
            return nil
        }
        return ("every row that is left is bad (\(remaining.target.words))", "the list is corrected")
    }
}
