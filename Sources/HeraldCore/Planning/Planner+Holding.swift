internal import FCM

/// What waits for a person.
extension Planner {
    /// Occurrences that no file asks for any more wait for a person's decision if they are half done, or if some may have
    /// got them.
    mutating func holdAbandoned(_ isSelected: (String) -> Bool) {
        let revisions = Dictionary(desired.sends.map { ($0.campaign.name.value, $0.campaign.revision) }) { one, _ in one
        }
        let open = state.occurrences.filter { _, occurrence in
            occurrence.finished == nil ? occurrence.hasBegun : occurrence.counts.uncertain > 0
        }
        for (id, occurrence) in open.sorted(by: { $0.key < $1.key }) where isSelected(occurrence.campaign) {
            let revision = revisions[occurrence.campaign]
            if occurrence.finished != nil {
                if revision != occurrence.revision { holdUnknown(id, occurrence) }
            } else if let revision {
                if revision != occurrence.revision {
                    hold(id, "it is half done and the campaign is at revision \(revision)", .abandon)
                }
            } else {
                hold(id, "it is half done and no file declares campaign '\(occurrence.campaign)' any more", .abandon)
            }
        }
    }

    /// Holds what may not go on before a person decides.
    mutating func holdHalted(
        _ halt: RecordedOccurrence.Halt, _ occurrence: RecordedOccurrence, _ send: Plan.Send, _ wanted: DesiredSend
    ) -> [Plan.Send] {
        let id = send.occurrence
        let counts = occurrence.counts
        let reason =
            switch halt {
            case .failedOver:
                "the database failed over, and the state may lack who got it: --continue would send to them again"
            case .rejected:
                "it stopped because \(counts[.rejected].grouped) of \(counts.tried.grouped) were rejected; mend the cause first, then --continue sends to the others"
            case .dead:
                "it stopped because more registrations looked dead than guard max_forget_percent allows (\(settings.guards.maxForgetPercent) %); if they are, 'herald apply --override max_forget_percent=\(StepID.send(id))' forgets them and goes on"
            case .stage: haltedStage(occurrence, wanted.campaign)
            }
        hold(
            id, reason, halt == .failedOver ? .end : .goOn, remaining: send.members.count,
            stageTable(of: send, wanted, occurrence))
        // To go on alone would stop at the same guard again.
        if halt == .dead {
            plan.held[plan.held.count - 1].command = "herald apply --override max_forget_percent=\(StepID.send(id))"
        }
        return unrecorded(of: send)
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
                send.occurrence, "the campaign is paused", .resume(paused), remaining: send.members.count,
                stageTable(of: send, wanted, occurrence))
            return unrecorded(of: send)
        }
        let sends =
            listsSkipped
            ? unlessStagesWait(send, of: wanted.campaign, occurrence).flatMap { admitting($0, of: wanted, occurrence) }
            : send.target.isOneRequest(send.delivery)
                ? admitting(send, of: wanted, occurrence)
                : send.delivery.stages.map { staged(send, $0, of: wanted, occurrence) }
                    ?? admitting(send, of: wanted, occurrence)
        return sends.isEmpty ? unrecorded(of: send) : sends
    }

    /// What a crash left is accounted for, also where nothing is sent.
    private func unrecorded(of send: Plan.Send) -> [Plan.Send] {
        send.discovered.isEmpty ? [] : [send.withoutRequests(leftByCrash: send.discovered)]
    }

    mutating func noteUnknowns(
        _ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ campaign: Campaign
    ) {
        let uncertain = occurrence.counts.uncertain
        guard uncertain > 0, campaign.delivery.onUnknown == .hold || occurrence.finished != nil else { return }
        holdUnknown(id, occurrence)
    }

    private mutating func holdUnknown(_ id: OccurrenceID, _ occurrence: RecordedOccurrence) {
        let people = count(occurrence.counts.uncertain, "recipient")
        hold(id, "\(people) may or may not have got it, and herald does not send it again by itself", .decide)
        plan.held[plan.held.count - 1].since = occurrence.finished
    }

    /// What a person can do about something that is held.
    enum Remedy {
        case decide, goOn, abandon
        /// `nil` where everything is paused.
        case resume(String?)
        /// To go on could send twice, so the end comes first.
        case end
    }

    mutating func hold(
        _ id: OccurrenceID, _ reason: String, _ remedy: Remedy, remaining: Int = 0, _ stages: Plan.StageTable? = nil
    ) {
        let (kind, command, others): (Plan.Held.Kind, String, String) =
            switch remedy {
            case .decide: (.unknown, "state resolve \(id) --accept", ", --resend or --abandon")
            case .goOn: (.halted, "state resolve \(id) --continue", " or --abandon")
            case .end: (.halted, "state resolve \(id) --abandon", " or --continue")
            case .abandon: (.held, "state resolve \(id) --abandon", "")
            case .resume(let campaign): (.paused, campaign.map { "resume \($0)" } ?? "resume", "")
            }
        plan.held.append(
            .init(
                occurrence: id, reason: reason, resolve: "herald \(command)\(others)", remaining: remaining, kind: kind,
                command: "herald \(command)", stages: stages))
    }
}
