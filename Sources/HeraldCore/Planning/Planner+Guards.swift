internal import FCM

/// The guards that are checked while a plan is made.
extension Planner {
    /// With sizes instead of members, `judgeBySizes` does this.
    mutating func checkLeaves(of subject: Plan.Subject, leaving: Int, of members: Int, isDeleted: Bool) {
        if sizes == nil { judgeLeaves(of: subject, leaving: leaving, of: members, isDeleted: isDeleted) }
    }

    mutating func judgeLeaves(of subject: Plan.Subject, leaving: Int, of members: Int, isDeleted: Bool) {
        let limit = settings.guards.maxUnsubscribePercent
        // Who was let in by an older herald since a refusal makes the leavers no fewer.
        let members = min(members, plan.refusedMembers["\(subject)"] ?? members)
        guard isDeleted ? members >= 10 && limit < 100 : isTooMany(leaving, of: members) else { return }
        // Rounded up, so that a blocked percentage is always shown above the limit.
        let percent = isDeleted ? 100 : min(100, (leaving * 100 + members - 1) / members)
        refuse(
            .maxUnsubscribePercent, subject.name, limit: limit, actual: percent,
            "\(atLeast)\(leaving.grouped) would leave \(subject), \(percent) % of the \(members.grouped) herald put there; the limit is \(limit) %",
            about: subject)
    }

    /// Whether no list may lose so many of a topic's or a group's people without a question.
    func isTooMany(_ lost: Int, of members: Int) -> Bool {
        members >= 10 && lost * 100 > settings.guards.maxUnsubscribePercent * members
    }

    mutating func checkSend(_ send: Plan.Send, of campaign: Campaign) {
        checkRecipients(of: send, campaign)
        checkRows(of: send, campaign)
        if state.identity.endpoint == .fcm, !state.occurrences.values.contains(where: \.hasTried) {
            refuse(
                .freshRecord, send.campaign, limit: 0, actual: send.recipients,
                "the state has no sends, so herald cannot know whether '\(send.campaign)' was sent before",
                ofSeveral: "the state has no sends, so herald cannot know whether these were sent before")
        }
        checkTwins(of: send, campaign)
    }

    /// What is missed or superseded is judged like what is sent. A guard that refuses it keeps it, and only once none does
    /// is it too late.
    mutating func checkEnded(_ ended: ArraySlice<Plan.Missed>, of wanted: DesiredSend) {
        // In local time that is judged where the waves are known.
        guard wanted.campaign.schedule.local == nil else { return }
        var unbegun: Plan.Missed?
        for missed in ended {
            if let recorded = state.occurrences[missed.occurrence], recorded.hasBegun {
                checkEnded(wanted, missed.occurrence, due: missed.due, begun: recorded)
            } else {
                unbegun = missed
            }
        }
        // What is found of one that nobody was tried of is true of all of them.
        if let unbegun { checkEnded(wanted, unbegun.occurrence, due: unbegun.due) }
    }

    /// - Parameters:
    ///   - begun: as the state has it. `nil` if nobody was tried yet.
    ///   - sorting: whose clock has reached it, for one in local time.
    mutating func checkEnded(
        _ wanted: DesiredSend, _ id: OccurrenceID, due: Date, begun: RecordedOccurrence? = nil,
        sorting: WaveSorting? = nil
    ) {
        guard wanted.undecided.isEmpty else { return }
        let late = send(
            wanted, id, due: due, ledger: begun?.ledger ?? Ledger(), isResumed: begun != nil,
            begun?.classes ?? Partition(), sorting)
        if !hasNobody(late, of: wanted) { checkSend(late, of: wanted.campaign) }
    }

    /// Whether an occurrence that tried nobody has nobody to send to, and nothing that is to be noted or refused.
    func hasNobody(_ send: Plan.Send, of wanted: DesiredSend) -> Bool {
        // Where every row is bad, the guard must say so.
        let isRefused = refusesBadRows(wanted.campaign) && !send.leftOut.asked.isEmpty
        // A wave of people who are all held out is noted like any other.
        let notesWaves = send.waves?.fresh.isEmpty == false && send.leftOut.bad.isEmpty
        // Seeds alone are nobody to send to: an empty list says nothing about those whom it should have.
        let hasNobody = send.members.subtracting(wanted.guests).isEmpty
        return hasNobody && send.skipped.isEmpty && !listsSkipped && !isRefused && !notesWaves
    }

    private mutating func checkRecipients(of send: Plan.Send, _ campaign: Campaign) {
        // Without lists, a forecast says once that it cannot judge this.
        if listsSkipped, sizes != nil { return }
        // What only accounts for what a crash left sends nothing.
        if send.members.isEmpty, send.skipped.isEmpty, send.waves?.fresh.isEmpty ?? true { return }
        // Who it is for may be known from the state alone.
        let isKnown = send.isCounted || send.target.isOneRequest(send.delivery)
        let reach = (isKnown ? send.whole.lowerBound : 0)...send.whole.upperBound
        let limit = max(settings.guards.maxRecipients, campaign.acknowledged.maxRecipients ?? 0)
        if reach.lowerBound > limit {
            refuse(
                .maxRecipients, send.campaign, limit: limit, actual: reach.lowerBound,
                "campaign '\(send.campaign)' would reach \(atLeast)\(reach.lowerBound.grouped) recipients; "
                    + "the limit is \(limit.grouped)"
            )
        } else if reach.upperBound > limit {
            leaveUnjudged(.maxRecipients, "campaign '\(send.campaign)'")
        }
    }

    /// Whether bad rows hold the campaign until a person decides.
    func refusesBadRows(_ campaign: Campaign) -> Bool { campaign.personal?.badRows == .error }

    /// The bad rows that a person decides about. A row that turns bad after its recipient took part is left out without
    /// a question. So is one for whose wave it is too late, once others have got it.
    func asked(about send: Plan.Send, of wanted: DesiredSend, _ sorting: WaveSorting?) -> RecipientSet {
        var joining = send.isResumed ? [] : send.leftOut.bad
        // Once a person lets it go on with another target, who takes part is decided anew.
        if send.isResumed, sizes == nil, let begun = state.occurrences[send.occurrence], begun.classes.isEmpty {
            joining = send.leftOut.bad.subtracting(begun.released)
        }
        guard let sorting else { return joining }
        let fresh = send.isResumed ? sorting.waves.fresh.union(joining) : sorting.waves.fresh
        guard !listsSkipped, !send.members.isEmpty || !fresh.isEmpty, let bad = wanted.census?.bad, !bad.isEmpty else {
            return []
        }
        let waited = waits.recorded[send.occurrence]
        let passed = send.isResumed ? sorting.tooLate(bad, of: wanted, waited: waited, at: now) : []
        return bad.intersection(fresh).subtracting(passed)
            .union(wanted.undecidedByOthers.isEmpty ? bad.intersection(sorting.waves.ahead.all) : [])
    }

    private mutating func checkRows(of send: Plan.Send, _ campaign: Campaign) {
        guard refusesBadRows(campaign) else { return }
        guard !send.leftOut.asked.isEmpty else {
            // A snapshot does not say who is in a wave already, or takes part.
            if sizes != nil, send.waves != nil || send.isResumed, !send.leftOut.bad.isEmpty {
                leaveUnjudged(.personalRows, "campaign '\(send.campaign)'")
            }
            return
        }
        let bad = send.leftOut.asked.count
        refuse(
            .personalRows, send.campaign, limit: 0, actual: bad,
            "\(count(bad, "row")) of campaign '\(send.campaign)' \(bad == 1 ? "makes" : "make") no message")
    }

    /// A snapshot shows only the least number that a guard can be sure of.
    private var atLeast: String { sizes == nil ? "" : "at least " }

    mutating func checkAudiences() {
        let gone = state.audienceSizes.filter { desired.audienceSizes[$0.key] == nil }
        let renamed = Set(desired.audiencePreviousNames.values.joined())
        let lost = gone.filter { !renamed.contains($0.key) }.max { ($0.value, $1.key) < ($1.value, $0.key) }
        let remembered = state.goneAudiences.merging(gone) { $1 }
        let isGone = { [desired, plan] (name: String) in
            // One that comes back, or has a new name, and is not judged keeps what is known of it.
            let names = [name] + desired.audiencePreviousNames.filter { $0.value.contains(name) }.map(\.key)
            return !names.contains { desired.audienceSizes[$0] != nil && plan.judges(audience: $0) }
        }
        noteGone(remembered.filter { isGone($0.key) })
        for (name, size) in desired.audienceSizes.sorted(by: { $0.key < $1.key }) where plan.judges(audience: name) {
            let previous = (desired.audiencePreviousNames[name] ?? []).compactMap { remembered[$0] }.max()
            let earlier = previous ?? remembered[name]
            if state.audienceSizes[name] == nil, earlier != nil || lost != nil { plan.inheriting.insert(name) }
            guard let before = state.audienceSizes[name] ?? earlier else {
                if let lost { checkNew(name, size, inPlaceOf: lost.key, lost.value) }
                continue
            }
            let refusals = plan.refusals.count
            defer { if plan.refusals.count > refusals { plan.refusedSizes[name] = before } }
            if before >= 100, size * 10 < before {
                refuse(
                    .audienceCollapse, name, limit: (before + 9) / 10, actual: size,
                    "audience '\(name)' shrank from \(before.grouped) to \(size.grouped) recipients")
            } else if size >= 100, before > 0, size > before * 10 {
                refuse(
                    .audienceGrowth, name, limit: before * 10, actual: size,
                    "audience '\(name)' grew from \(before.grouped) to \(size.grouped) recipients")
            }
        }
    }

    /// A rename without `previous_names` must not hide that a list was emptied, nor that one of people to leave out
    /// collapsed.
    private mutating func checkNew(_ name: String, _ size: Int, inPlaceOf lost: String, _ before: Int) {
        guard before >= 100, size == 0 || size * 10 < before && desired.leavingOut.contains(name) else { return }
        plan.refusedSizes[name] = before
        let (what, became) = size == 0 ? ("empty", "was emptied") : ("has \(count(size, "recipient"))", "shrank")
        refuse(
            .audienceCollapse, name, limit: (before + 9) / 10, actual: size,
            "audience '\(name)' is new and \(what), and '\(lost)', which had \(count(before, "recipient")), is gone: "
                + "if it was renamed, its list \(became) too")
    }

    /// Nobody compares small ones. Of many, the largest are remembered.
    private mutating func noteGone(_ sizes: [String: Int]) {
        let large = sizes.filter { $0.value >= 100 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let kept = Dictionary(uniqueKeysWithValues: large.prefix(1000).map { ($0.key, $0.value) })
        if kept != state.goneAudiences { plan.goneSizes = kept }
    }

    mutating func refuse(
        _ kind: Guard, _ name: String, limit: Int, actual: Int, _ message: String, ofSeveral common: String? = nil,
        about subject: Plan.Subject? = nil
    ) {
        let refusal = GuardRefusal(
            kind: kind, name: name, limit: limit, actual: actual, message: message, common: common, subject: subject)
        // Occurrences of one campaign may be refused in the same words.
        if !plan.refusals.contains(refusal) { plan.refusals.append(refusal) }
    }
}
