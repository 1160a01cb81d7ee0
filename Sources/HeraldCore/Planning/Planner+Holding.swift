internal import FCM

/// What waits for a person.
extension Planner {
    /// What has ended waits for a person's decision if some may have got it, whatever its campaign is now. So does what is
    /// half done and no file asks for any more.
    mutating func holdAbandoned(_ isSelected: (String) -> Bool) {
        let revisions = Dictionary(desired.sends.map { ($0.campaign.name.value, $0.campaign.revision) }) { one, _ in one
        }
        let open = state.occurrences.filter { _, occurrence in
            occurrence.finished == nil ? occurrence.hasBegun : occurrence.counts.uncertain > 0
        }
        for (id, occurrence) in open.sorted(by: { $0.key < $1.key }) where isSelected(occurrence.campaign) {
            let revision = revisions[occurrence.campaign]
            if occurrence.finished == nil, occurrence.isDone, revision != occurrence.revision,
                let local = occurrence.local
            {
                // Only somebody whom its list lacked could still get it.
                if occurrence.counts.uncertain > 0 { holdUnknown(id, occurrence) }
                if now >= local.nextDay.lastInstant { plan.over.append(id) }
            } else if occurrence.finished != nil {
                holdUnknown(id, occurrence)
            } else if let revision {
                if revision != occurrence.revision {
                    hold(id, "it is half done and the campaign is at revision \(revision)", .held, .abandon)
                }
            } else {
                hold(
                    id, "it is half done and no file declares campaign '\(occurrence.campaign)' any more", .held,
                    .abandon)
            }
        }
    }

    /// Holds what may not go on before a person decides.
    mutating func holdHalted(
        _ halt: RecordedOccurrence.Halt, _ occurrence: RecordedOccurrence, _ send: Plan.Send, _ wanted: DesiredSend
    ) -> [Plan.Send] {
        let id = send.occurrence
        // Only what failed over may have changed besides.
        let obstacle = halt == .failedOver ? obstacle(to: id, of: wanted) : nil
        let cause = self.cause(of: halt, occurrence, wanted.campaign)
        let reason =
            switch halt {
            case .failedOver:
                cause
                    + (obstacle.map { "; it cannot go on with what the file says now: \($0)" }
                        ?? ": --continue would send to them again")
            case .rejected:
                "it stopped because \(cause); mend the cause first, then --continue sends to the others"
                    + repeating(rejectedOf: occurrence, wanted)
            case .dead:
                "it stopped because \(cause); if they are, '\(forgetting(id))' forgets them and goes on"
            case .stage: "\(cause); \(Self.goingOn(after: occurrence.stages.last?.share))"
            }
        let remedy: Remedy =
            switch halt {
            case .failedOver: obstacle == nil ? .end : .abandon
            case .dead: .forget
            case .rejected, .stage: .goOn
            }
        hold(
            id, reason + waveDeadline(of: send, wanted, occurrence), .halted, remedy, remaining: send.members.count,
            stageTable(of: send, wanted, occurrence))
        return unrecorded(of: send)
    }

    /// What halted an occurrence.
    func cause(of halt: RecordedOccurrence.Halt, _ occurrence: RecordedOccurrence, _ campaign: Campaign) -> String {
        let counts = occurrence.counts
        return switch halt {
        case .failedOver: "the database failed over, and the state may lack who got it"
        case .rejected: "\(counts[.rejected].grouped) of \(counts.tried.grouped) were rejected"
        case .dead:
            "more registrations looked dead than guard max_forget_percent allows (\(settings.guards.maxForgetPercent) %)"
        case .stage: haltedStage(occurrence, campaign)
        }
    }

    /// Why a person cannot have an occurrence go on with what its campaign's file says now. `nil` if they can.
    func obstacle(to id: OccurrenceID, of wanted: DesiredSend) -> String? {
        let knowsClocks = !listsSkipped && state.clocksMatter(to: id, .goOn, wanted.campaign)
        do throws(ResolutionProblem) {
            _ = try state.changes(
                resolving: id, by: .goOn, campaign: wanted.campaign, wanted: knowsClocks ? wanted : nil,
                desired.audiencePreviousNames, at: now)
            return nil
        } catch {
            switch error {
            case .reachedOtherwise: return "it began with another kind of target, and who has it would get it again"
            case .noMorePersonal:
                return "it began with personal messages, and the campaign sends everybody the same now"
            case .sentBefore(let earlier):
                return "its campaign was sent already as \(earlier), and some would get it again"
            case .timeTaken(let other): return "\(other) has the same time, and some would get it twice"
            case .tooLate(let lateness): return "it is \(lateness.words)"
            case .noOccurrence, .nobodyUncertain, .alreadyFinished, .noCampaign, .nobodyRejected, .nobodyReachable,
                .changed, .disabled, .halted, .paused:
                return nil
            }
        }
    }

    /// Whom the rest of a send goes to. Some may have got it already: a person has them sent it again, or the file does.
    func destination(of send: Plan.Send, _ ledger: Ledger, isForOthers: Bool) -> String {
        let again = send.members.intersection(ledger.resent.union(ledger.uncertain))
        if again == .target { return "to \(send.target.words) again: everybody there may have got it" }
        let repeats = again.isEmpty ? "" : ", and again to \(count(again.count, "recipient")) who may have got it"
        let others = "to all of its target who have nothing yet, also to those who had no part in it before"
        return (isForOthers ? others : "to those who have nothing yet") + repeats
    }

    /// What is left of an occurrence once a person lets it go on with another target.
    mutating func restForOthers(
        _ wanted: DesiredSend, _ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ ledger: Ledger
    ) -> Plan.Send {
        var ledger = ledger
        let heldOut = occurrence.classes.members(where: \.isHoldout)
        ledger.skip(heldOut.subtracting(ledger.entries.all), .heldOut)
        return send(wanted, id, due: occurrence.due, ledger: ledger, isResumed: true, Partition(), nil)
    }

    /// How those get it who were rejected, and are not among those with whom it goes on. Whom the target does not have any
    /// more gets it in no way.
    func repeating(rejectedOf occurrence: RecordedOccurrence, _ wanted: DesiredSend) -> String {
        let ledger = occurrence.ledger ?? Ledger()
        var rejected = ledger[.rejected].subtracting(.target).subtracting(state.dead)
        // A snapshot does not say who they are.
        if !listsSkipped, sizes == nil { rejected = rejected.intersection(wanted.members(for: occurrence.classes)) }
        let codes = ledger.codes.states.filter { !ledger.codes[$0].intersection(rejected).isEmpty }.sorted()
        guard !codes.isEmpty else { return "" }
        let ways = codes.map { "--retry \($0)" }.joined(separator: ", ")
        let verb = codes.count == 1 ? "tries" : "try"
        return "; afterwards \(ways) \(verb) the \(rejected.count.grouped) rejected again"
    }

    /// Whether a person says that the occurrence's registrations are dead.
    func forgetsFreely(_ id: OccurrenceID) -> Bool {
        overrides.allow(.maxForgetPercent, for: StepID.send(id).rawValue)
    }

    /// The part of a send that may start now. A paused campaign sends nothing, and nobody gets anything outside of their
    /// window.
    ///
    /// - Parameter occurrence: as the state has it; `nil` for one that begins now.
    mutating func startable(
        _ send: Plan.Send, of wanted: DesiredSend, _ occurrence: RecordedOccurrence? = nil
    ) -> [Plan.Send] {
        if state.pauses.include(send.campaign) {
            let paused = state.pauses.everything ? nil : send.campaign
            hold(
                send.occurrence, "the campaign is paused", .paused, .resume(paused), remaining: send.members.count,
                stageTable(of: send, wanted, occurrence))
            return unrecorded(of: send)
        }
        let sends: [Plan.Send]
        if listsSkipped {
            sends = unlessStagesWait(send, of: wanted.campaign, occurrence).flatMap {
                admitting($0, of: wanted, occurrence)
            }
        } else if send.target.isOneRequest(send.delivery) {
            sends = admitting(send, of: wanted, occurrence)
        } else {
            let send = withoutNewer(send, of: wanted.campaign, occurrence)
            sends =
                send.delivery.stages.map { staged(send, $0, of: wanted, occurrence) }
                ?? unstaged(send, of: wanted, occurrence)
        }
        return sends.isEmpty ? unrecorded(of: send) : sends
    }

    /// What a crash left is accounted for, also where nothing is sent.
    private func unrecorded(of send: Plan.Send) -> [Plan.Send] {
        send.discovered.isEmpty ? [] : [send.withoutRequests(leftByCrash: send.discovered)]
    }

    mutating func holdUnknown(_ id: OccurrenceID, _ occurrence: RecordedOccurrence) {
        let people =
            occurrence.wholeTarget.map { "everybody of \($0)" } ?? count(occurrence.counts.uncertain, "recipient")
        hold(
            id, "\(people) may or may not have got it, and herald does not send it again by itself",
            .unknown, .decide)
    }

    /// Until when a decision comes in time for the wave of an occurrence in local time that is lost first. Empty for other
    /// occurrences, and where no wave is left.
    func waveDeadline(of send: Plan.Send, _ wanted: DesiredSend, _ occurrence: RecordedOccurrence) -> String {
        let campaign = wanted.campaign
        let patience = campaign.schedule.patience(settings)
        let stage = campaign.stageOpening(of: occurrence)
        let ends = wavesLeft(of: send, wanted, occurrence).flatMap { wave -> [(instant: Date, end: Date)] in
            let unnoted = wave.isKnown ? nil : patience.map(wave.instant.adding)
            // Of people whose clocks come to it together, the windows may go by other clocks.
            return windowZones(of: wave.members, wanted).map { zones in
                let limits = campaign.limits(
                    due: wave.instant, since: stage, suspended: occurrence.suspended,
                    waited: waits.recorded[send.occurrence], in: zones)
                let end = [limits.deadline, limits.expiry, unnoted].compactMap(\.self).min()
                return (wave.instant, end ?? .distantFuture)
            }
        }
        let ahead = ends.filter { $0.end > now }
        guard let next = ahead.min(by: { ($0.end, $0.instant) < ($1.end, $1.instant) }) else {
            return ends.map(\.end).max().map { "; it is too late for every wave since \($0.rfc3339)" } ?? ""
        }
        // Nobody is late while a stage waits for a person.
        if next.end == .distantFuture { return "" }
        return "; decide by \(next.end.rfc3339), or the wave of \(next.instant.rfc3339) is missed"
    }

    private typealias WaveLeft = (instant: Date, members: RecipientSet, isKnown: Bool)

    /// The waves in which somebody is left, as they are once a person lets the occurrence go on. A wave is there twice
    /// where the occurrence knows only some of its people.
    private func wavesLeft(
        of send: Plan.Send, _ wanted: DesiredSend, _ occurrence: RecordedOccurrence
    ) -> [WaveLeft] {
        if let waves = send.waves {
            // Whom the hold has made miss it is not noted yet.
            let left = send.members.union(send.skipped[.missed])
            let reached = waves.reached.states.map { ($0, waves.reached[$0].intersection(left)) }
            let ahead = waves.ahead.states.map { ($0, waves.ahead[$0]) }
            return (reached + ahead).flatMap { instant, members -> [WaveLeft] in
                let known = occurrence.known(of: members, in: wanted.campaign, desired.audiencePreviousNames)
                let parts = [(known, true), (members.subtracting(known), false)]
                return parts.filter { !$0.0.isEmpty }.map { (instant, $0.0, $0.1) }
            }
        }
        let (schedule, later) = (wanted.campaign.schedule, occurrence.amended(by: wanted.campaign))
        if let field = schedule.local?.field, let local = later.local {
            return wanted.zones(of: send.members, by: field, else: schedule.zone)
                .map { (schedule.reaching(local, in: $0.key).instant, $0.value, true) }
        }
        return occurrence.local == nil ? [] : [later.due].compactMap(\.self).map { ($0, send.members, true) }
    }

    /// The zones by which the windows of these people open, each on its own. All zones together where nobody is known.
    private func windowZones(of members: RecipientSet, _ wanted: DesiredSend) -> [[Zone]] {
        let zones = listsSkipped ? [:] : wanted.windowZones(of: members)
        return zones.isEmpty ? [windowZones(of: wanted)] : zones.keys.map { [$0] }
    }

    /// The command that says that the registrations of an occurrence are dead.
    private func forgetting(_ id: OccurrenceID) -> String {
        "herald apply --override max_forget_percent=\(StepID.send(id))"
    }

    /// What a person can do about something that is held.
    enum Remedy {
        case decide, goOn, abandon
        /// To go on alone would stop at the same guard again.
        case forget
        /// `nil` where everything is paused.
        case resume(String?)
        /// To go on could send twice, so the end comes first.
        case end
    }

    mutating func hold(
        _ id: OccurrenceID, _ reason: String, _ kind: Plan.Held.Kind, _ remedy: Remedy, remaining: Int = 0,
        _ stages: Plan.StageTable? = nil
    ) {
        let (command, others): (String, String) =
            switch remedy {
            case .decide: ("state resolve \(id) --accept", ", --resend or --abandon")
            case .goOn, .forget: ("state resolve \(id) --continue", " or --abandon")
            case .end: ("state resolve \(id) --abandon", " or --continue")
            case .abandon: ("state resolve \(id) --abandon", "")
            case .resume(let campaign): (campaign.map { "resume \($0)" } ?? "resume", "")
            }
        var held = Plan.Held(
            occurrence: id, reason: reason, resolve: "herald \(command)\(others)", remaining: remaining, kind: kind,
            hasEnded: state.occurrences[id]?.finished != nil || plan.over.contains(id),
            command: "herald \(command)", stages: stages)
        if case .forget = remedy { (held.command, held.override) = (forgetting(id), .maxForgetPercent) }
        plan.held.append(held)
    }
}

extension RecordedOccurrence {
    /// Whom one request reached, in words. `nil` if each recipient has a request.
    fileprivate var wholeTarget: String? {
        let kind = target.prefix { $0 != ":" }
        let isWhole =
            switch kind {
            case "topic", "condition": true
            case "group": counts.all == 1 && classes.all.subtracting(.target).isEmpty
            default: false
            }
        return isWhole ? "\(kind) \(target.dropFirst(kind.count + 1))" : nil
    }

    /// Those of the members whom it is for, whatever their wave, once a person lets it go on.
    fileprivate func known(
        of members: RecipientSet, in campaign: Campaign, _ formerNames: [String: [String]]
    ) -> RecipientSet {
        let isForAll = classes.isEmpty || isForOthers(in: campaign, formerNames)
        return isForAll ? members : members.intersection(classes.all.union(waves.all))
    }
}
