internal import FCM

/// Sends whose window is closed for some of their recipients, or for all.
extension Planner {
    /// The send without those who may not start now. Empty if that is everybody.
    ///
    /// - Parameters:
    ///   - occurrence: as the state has it; `nil` for one that begins now.
    ///   - stage: when its stage could open, if it has stages.
    mutating func admitting(
        _ send: Plan.Send, of wanted: DesiredSend, _ occurrence: RecordedOccurrence?, since stage: StageOpening? = nil
    ) -> [Plan.Send] {
        let window = send.delivery.window
        guard !send.members.isEmpty else {
            return listsSkipped ? window.map { unlessClosed(send, of: wanted.campaign, $0) } ?? [send] : [send]
        }
        let admission = Admission(
            send, of: wanted, occurrence, since: stage, waited: waits.recorded[send.occurrence],
            isForecast: sizes != nil, seenTo: seenTo(send, occurrence), at: now)
        var send = send
        if window?.whenClosed == .skip {
            for members in admission.waiting.values { send.skipped.move(members, to: .outsideWindow) }
        } else if let window, let first = admission.waiting.keys.min() {
            let isBeginning = !admission.admitted.isEmpty
            wait(send, of: wanted.campaign, admission.waiting, until: first, window, isBeginning: isBeginning)
            noteWait(send, admission)
            send.staysOpen = true
        }
        send.skipped.move(admission.late, to: .missed)
        send.admit(admission)
        // Who is in a wave is noted, also where nobody of it may start yet.
        let notesWaves = send.waves.map { !$0.fresh.isEmpty } ?? false
        return send.members.isEmpty && send.discovered.isEmpty && send.skipped.isEmpty && !notesWaves ? [] : [send]
    }

    /// Until when runs have sent to whoever of an occurrence in local time might start, where only a snapshot is known: to
    /// say that it is too late for them, or that no run comes, would be wrong. Stages have figures of their own.
    private func seenTo(_ send: Plan.Send, _ occurrence: RecordedOccurrence?) -> Date? {
        guard sizes != nil, send.waves != nil, send.staging == nil, let occurrence else { return nil }
        return occurrence.unseen ?? state.watermarks[send.campaign]?.at
    }

    /// Whoever may start several occurrences of a campaign, because they waited for one, gets the latest. What nobody
    /// approved does not go, so it takes the place of nothing. Whom a person has tried again gets what that person decided
    /// about, too.
    func supersede(_ sends: inout [Plan.Send]) {
        guard sends.contains(where: waitsForEach) else { return }
        var served = RecipientSet()
        let latestFirst = sends.indices.sorted { sends[$0].order > sends[$1].order }
        for index in latestFirst where sends[index].members != .target {
            let both = sends[index].members.intersection(served)
            let again = both.subtracting(repeated(state.occurrences[sends[index].occurrence], of: both))
            if !isEstimated(sends[index]), !isUnapproved(sends[index]) {
                served.formUnion(sends[index].members.subtracting(stoppedByTries(of: sends, sends[index])))
            }
            guard !again.isEmpty, waitsForEach(sends[index]) else { continue }
            sends[index].skipped.move(again, to: .superseded)
            sends[index].limit(to: sends[index].members.subtracting(again))
        }
    }

    /// The send without those whom a later occurrence of the campaign has reached: `catch_up` decides for them, unless
    /// a person did. Of what is due once, one of an earlier revision is older news, whatever its time is.
    ///
    /// - Parameter occurrence: as the state has it; `nil` for one that begins now.
    func withoutNewer(
        _ send: Plan.Send, of campaign: Campaign, _ occurrence: RecordedOccurrence?
    ) -> Plan.Send {
        guard campaign.schedule.catchUp != .all, waitsForEach(send) else { return send }
        let own = occurrence ?? RecordedOccurrence(send)
        let newer = (occurrences[send.campaign] ?? []).map(\.occurrence).filter {
            $0.hasTried && (campaign.schedule.repeats || $0.revision >= own.revision)
                && $0.isLater(than: own, in: campaign.schedule.zone)
                // What a fast clock sent before its time takes the place of nothing.
                && $0.begun ?? now <= latest + Self.clockTolerance
                && (occurrence != nil || $0.finished == nil && $0.due ?? now <= now)
        }
        guard !newer.isEmpty else { return send }
        // Of a finished one only counts are known. It was for everybody.
        let reached =
            newer.contains { $0.finished != nil }
            ? send.members
            : newer.reduce(into: RecipientSet()) {
                $0.formUnion(($1.ledger?.settled ?? []).subtracting($1.released))
            }
        let both = send.members.intersection(reached)
        let again = both.subtracting(repeated(occurrence, of: both))
        guard !again.isEmpty else { return send }
        var send = send
        send.skipped.move(again, to: .superseded)
        send.limit(to: send.members.subtracting(again))
        return send
    }

    /// Those of the members whom a person has tried again. As far as a snapshot shows, any of them may be.
    func repeated(_ occurrence: RecordedOccurrence?, of members: RecipientSet) -> RecipientSet {
        let again = occurrence?.ledger?[.again] ?? []
        return sizes == nil ? again.intersection(members) : RecipientSet(members.prefix(again.count))
    }

    /// The zones by which the windows of a campaign's living recipients open, none if nobody knows them.
    func windowZones(of wanted: DesiredSend) -> [Zone] { wanted.windowZones(besides: unreachable) }

    /// When an occurrence that has begun is too late for everybody whom it is for.
    func limits(of id: OccurrenceID, _ occurrence: RecordedOccurrence, _ wanted: DesiredSend) -> TimeLimits {
        wanted.limits(of: occurrence, waited: waits.recorded[id], besides: unreachable)
    }

    /// Whether not all its people may start, or might have started, at the same time.
    private func waitsForEach(_ send: Plan.Send) -> Bool {
        let occurrence = state.occurrences[send.occurrence]
        // Those whom stages or a window kept waiting that its file had.
        let hasKept =
            waits.recorded[send.occurrence] != nil
            || occurrence.map { !$0.stages.isEmpty || $0.suspended != nil } ?? false
        return send.delivery.window != nil || send.waves != nil || send.delivery.stages != nil || hasKept
    }

    /// Nobody is known, so that only a window that is the same for all can be judged.
    private mutating func unlessClosed(
        _ send: Plan.Send, of campaign: Campaign, _ window: SendWindow
    ) -> [Plan.Send] {
        let standing = window.hours.standing(at: now, in: window.zone)
        guard window.field == nil, window.whenClosed == .wait, !standing.isOpen, let until = standing.until else {
            return [send]
        }
        wait(send, of: campaign, [until: []], until: until, window, isBeginning: false)
        return []
    }

    /// Notes that people wait for their window.
    ///
    /// - Parameter isBeginning: whether others of the send start now. Without a due time its message gets old from then.
    mutating func wait(
        _ send: Plan.Send, of campaign: Campaign, _ waiting: [Date: RecipientSet], until first: Date,
        _ window: SendWindow, isBeginning: Bool
    ) {
        let reason = "the window is closed (\((campaign.windowOfTarget ?? window).words))"
        explain(send.occurrence, to: Partition(disjoint: waiting), reason)
        let all = waiting.values.reduce(0) { $0 + $1.count }
        let isWhole = send.members == .target
        plan.waiting.append(
            .init(
                send, in: campaign.schedule.zone, for: reason, until: first,
                recipients: isWhole ? send.recipients : all))
        let hasBegun = isBeginning || (send.due ?? send.begun) != nil
        guard hasBegun, let expiry = send.limits(begun: now).expiry else { return }
        let lost = waiting.filter { $0.key >= expiry }.values.reduce(0) { $0 + $1.count }
        guard lost > 0 else { return }
        let whom = isWhole ? "its window opens" : "the windows of \(count(lost, "recipient")) open"
        overview.warnings.append(
            "\(send.occurrence) expires at \(expiry.rfc3339), before \(whom): it is not sent to them")
    }
}

extension Plan.Send {
    /// Orders the occurrences of a campaign: in local time by that, else by when they are due.
    fileprivate var order: Date { waves?.local.firstInstant ?? due ?? .distantPast }

    /// Keeps only those who may start.
    fileprivate mutating func admit(_ admission: Admission) {
        (closings, startable) = (admission.closings, admission.since)
        firstDeadline = admission.firstDeadline
        if waves != nil { deadline = admission.deadline }
        if members != admission.admitted { limit(to: admission.admitted) }
    }

    /// - Parameter rest: those of its members who are sent it.
    mutating func limit(to rest: RecipientSet) {
        members = rest
        (deferred, repeated) = (deferred.intersection(rest), repeated.intersection(rest))
        seeds = seeds.intersection(rest)
        classes = classes.intersection(rest)
        recipients = rest.count
    }
}

extension DesiredSend {
    /// The zones by which the windows of its recipients open, and of those who may be recipients. None where nobody is
    /// listed who lives: an empty list says nothing about those whom it should have.
    func windowZones(besides dead: RecipientSet) -> [Zone] {
        guard let window = campaign.delivery.window, let field = window.field else { return [] }
        // Whoever is named is a member, or may be one. Each plan asks many times, so it counts before it compares.
        let all = listed?.union(members) ?? members
        guard all.count > guests.count + dead.count || !all.subtracting(guests).subtracting(dead).isEmpty else {
            return []
        }
        let named = zones[field.value] ?? [:]
        let isDefaulted = named.values.reduce(0) { $0 + $1.count } < all.count
        return Array(Set(named.keys).union(isDefaulted ? [window.zone] : []))
    }

    /// Members by the zones of their windows. Empty without a window.
    func windowZones(of members: RecipientSet) -> [Zone: RecipientSet] {
        guard let window = campaign.delivery.window, !members.isEmpty else { return [:] }
        return zones(of: members, by: window.field?.value, else: window.zone)
    }

    /// When an occurrence that has begun is too late for everybody whom it is for.
    ///
    /// - Parameter waited: when nobody of it could start (`WindowWaits`).
    func limits(of occurrence: RecordedOccurrence, waited: Date?, besides dead: RecipientSet) -> TimeLimits {
        let zones = windowZones(besides: dead)
        let isForOthers = !zones.isEmpty && !knowsZones(of: occurrence)
        return campaign.limits(of: occurrence, waited: waited, in: isForOthers ? [] : zones)
    }

    /// Whether its lists say which clocks those have whom an occurrence is for. They do not for those who left them, and
    /// whoever has some tried again sees no lists.
    fileprivate func knowsZones(of occurrence: RecordedOccurrence) -> Bool {
        guard let ledger = occurrence.ledger else { return true }
        let people = occurrence.classes.members(where: { !$0.isHoldout })
        let gone = people.subtracting(ledger.settled).subtracting(members(for: occurrence.classes))
        return gone.isEmpty && ledger[.again].isEmpty
    }
}
