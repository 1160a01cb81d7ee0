internal import FCM

/// How a step begins or resumes, and what it leaves for the steps after it.
extension Executor {
    /// - Parameter instant: when an earlier step of the queue becomes ready.
    mutating func begin(at place: Int, until instant: Date?) async {
        var entry = queue.remove(at: place)
        await decideCaps(of: &entry)
        keepStaying(of: &entry)
        let (step, index) = (entry.step, entry.index)
        let leaveAt = [instant, nextBeginning].compactMap(\.self).min()
        if options.mode.isDryRun, step.work.action != .send {
            report.steps[index].skipped = step.work.planned
            return
        }
        if case .adopt(let adoption) = step.work {
            let now: Reclassification = adoption.action == .adopt ? .adopted : .returned
            return await record(.reclassify(adoption.topic, adoption.members, now), of: step, at: index)
        }
        if let reason = context.whyEnded(step.work) {
            if case .group(let change) = step.work, change.action == .delete {
                // Google has deleted it with all others.
                report.steps[index].note = reason
                return await record(.drop(.group(change.group)), of: step, at: index)
            }
            leaveUnbegun(step, at: index)
            report.steps[index].stop(.ended(reason))
            queue.noteEnd(of: step, report.steps[index])
            return
        }
        if case .group(let change) = step.work { return await carryOut(change, of: step, at: index, until: leaveAt) }
        var key: NotificationKey?
        if case .send(let send) = step.work {
            noteMissingJoins(send, at: index)
            if case .group(let name) = send.target, send.delivery.members == .key, !send.members.isEmpty {
                let wasMade = context.recorded.groups[name]?.key != nil
                key = await refreshedKey(of: name, for: report.steps[index])
                guard key != nil else { return giveUp(step, for: wasMade ? .noGroup(name) : .noKey(name), at: index) }
            }
        }
        guard let work = try? work(of: step, key: key) else {
            leaveUnbegun(step, at: index)
            report.steps[index].stop(.unwritableMessage)
            return
        }
        if entry.state == nil, case .send(let send) = step.work {
            await makeWay(for: send)
            guard context.fatal == nil else { return queue.putBack(entry, at: place) }
        }
        var state = entry.state ?? newState(of: step, work, at: index)
        entry.state = nil
        state.resume(work)
        state.leave = .init(at: leaveAt, whenIdle: !queue.isEmpty)
        let isOver = await carryOut(&state, of: step, at: index)
        noteAwaitingCaps(state, at: index)
        if !state.givenUp.isEmpty { givenUp[index, default: []].formUnion(state.givenUp) }
        note(isInterrupted: state.trouble.isInterrupted)
        if case .send(let send) = step.work { await noteTexts(of: send, at: index) }
        if case .subscribe(let name, _) = step.work { await noteChange(of: name, state) }
        if case .unsubscribe(let name, _) = step.work { await noteChange(of: name, state) }
        if case .send(let send) = step.work { noteEnd(of: send, state, isOver: isOver) }
        if isOver {
            queue.noteEnd(of: step, report.steps[index])
        } else {
            entry.state = state
            queue.putBack(entry, at: place)
        }
        await commitWatermarks()
    }

    private func work(of step: Plan.Step, key: NotificationKey?) throws -> StepWork {
        var before = Partition<Membership>()
        switch step.work {
        case .subscribe(let name, _), .unsubscribe(let name, _):
            before = context.recorded.topics[name]?.recipients ?? Partition()
        case .adopt, .group, .send: break
        }
        return try StepWork(
            step.work, api: context.topicAPI, key: key,
            askedBefore: before[.subscribing].subtracting(reregistered).union(context.returned(to: before)),
            before: before, adopts: step.adopts, isDryRun: options.mode.isDryRun, begun: report.started,
            now: surroundings.now())
    }

    private mutating func newState(of step: Plan.Step, _ work: StepWork, at index: Int) -> StepState {
        var members: RecipientSet = []
        switch step.work {
        case .subscribe(_, let all): members = all
        case .unsubscribe(_, let all):
            members = all.subtracting(reregistered)
            report.steps[index].accepted += all.count - members.count
        case .adopt, .group: break
        case .send(let send):
            members = send.members
            if case .dryRun(let sample) = options.mode {
                // Whom the plan leaves out is counted already.
                report.steps[index].skipped +=
                    send.discovered.count + send.refused.count + max(0, members.count - sample)
                members = RecipientSet(members.prefix(sample))
                if let later = send.staging?.ahead, !later.isEmpty {
                    let names = later.states.sorted().map(\.words).joined(separator: ", ")
                    report.steps[index].note =
                        "\(count(later.all.count, "recipient")) of later stages (\(names)) not checked"
                }
            }
        }
        return StepState(
            work, members: members, probesAPI: step.work.action != .send && context.topicAPI == .auto,
            report: report.steps[index])
    }

    /// Returns whether the step is over. Otherwise it has yielded. The report is updated in both cases.
    private mutating func carryOut(
        _ state: inout some DecidingStep<StepReport>, of step: Plan.Step, at index: Int
    ) async -> Bool {
        var campaign: String?
        var missed: Plan.Missed?
        if case .send(let send) = step.work {
            campaign = send.campaign
            missed = self.report.missedOccurrences.first { $0.occurrence == send.occurrence }
        }
        let (report, surroundings) = (report, surroundings)
        var behind = queue
        let shell = StepShell(surroundings, runBegin: runBegin, campaign: campaign, missed: missed)
        surroundings.begin(step.id)
        let isOver = await shell.run(
            &state, &context,
            meanwhile: { now, context in
                for (id, news) in behind.follow(now, &context) { surroundings.tell(news, of: id) }
            },
            observe: { step in
                var report = report
                report.steps[index] = step
                await surroundings.observe(report)
            })
        queue = behind
        self.report.steps[index] = state.report
        if isOver { await surroundings.end(state.report) }
        return isOver
    }

    mutating func note(isInterrupted: Bool) {
        if context.isUnreachable { report.isUnreachable = true }
        if context.wasBlocked { report.wasBlocked = true }
        if isInterrupted { report.result = .interrupted }
    }

    /// Adds the account of each text of a personal campaign.
    private mutating func noteTexts(of send: Plan.Send, at index: Int) async {
        guard let messages = send.content.personal, !options.mode.isDryRun else { return }
        let send = parts[index] ?? send
        // Without the state there are no figures, rather than wrong ones.
        guard let occurrence = try? await surroundings.store.occurrence(send.occurrence) else { return }
        report.steps[index].noteTexts(
            of: send, messages, occurrence.ledger ?? Ledger(), begun: occurrence.classes)
    }

    /// Only the state changes, so no send waits for it.
    private mutating func record(_ change: StateChange, of step: Plan.Step, at index: Int) async {
        surroundings.begin(step.id)
        await commit([change])
        if let fatal = context.fatal {
            report.steps[index].stop(.fatal(fatal))
        } else {
            context.recorded.apply([change])
            report.steps[index].accepted = step.work.planned
        }
        queue.noteEnd(of: step, report.steps[index])
    }

    // MARK: Topics

    /// Only some of a step leave a topic's earlier name where not everybody has joined the new one.
    private mutating func keepStaying(of entry: inout RunQueue.Entry) {
        guard entry.state == nil, case .unsubscribe(let name, let leaving) = entry.step.work,
            let (members, reason) = queue.staying(of: entry.step)
        else { return }
        entry.step.work = .unsubscribe(name, leaving.subtracting(members))
        report.steps[entry.index].held += members.count
        report.steps[entry.index].note = reason
    }

    /// Recipients that got another registration in this run. Their subscriptions died with the one before.
    private var reregistered: RecipientSet { RecipientSet(context.reregistered.keys.sorted()) }

    private mutating func noteChange(of topic: TopicName, _ state: StepState) async {
        let now = surroundings.moment(since: runBegin)
        context.recorded.topics[topic, default: RecordedTopic()].changed = now.date
        queue.noteChange(of: topic, at: now.elapsed)
        // The first answer shows which API the project has. The report says it once, and the state remembers it.
        guard options.fcm.topicAPI == .auto else { return }
        if state.trouble.isUnavailable {
            context.topicAPI = .iid
            report.notes.append(
                "this project has no topic subscription API; memberships go to the Instance ID service in batches")
        } else if context.topicAPI == .auto, !state.calls.isProbing {
            context.topicAPI = .registrations
        } else {
            return
        }
        await commit([.topicAPI(context.topicAPI, at: now.date)])
    }

    private mutating func noteMissingJoins(_ send: Plan.Send, at index: Int) {
        let names = queue.missingJoins(of: send)
        guard !names.isEmpty else { return }
        report.steps[index].note = "not everybody who was to join \(names.joined(separator: ", ")) has joined"
    }

    // MARK: Groups

    private mutating func carryOut(
        _ change: Plan.GroupChange, of step: Plan.Step, at index: Int, until leaveAt: Date?
    ) async {
        var state = GroupState(
            change, context.recorded.groups[change.group], leaveAt: leaveAt, report: report.steps[index])
        _ = await carryOut(&state, of: step, at: index)
        note(isInterrupted: state.isInterrupted)
        queue.noteEnd(of: step, report.steps[index])
        await commitWatermarks()
    }

    /// The key that FCM gives for the name now, or the recorded key if FCM does not answer. `nil` when there is no such
    /// group.
    private mutating func refreshedKey(of name: GroupName, for report: StepReport) async -> NotificationKey? {
        // Without a recorded key herald does not ask: FCM would also give the key of a group that others made.
        guard let known = context.recorded.groups[name]?.key else { return nil }
        var refresh = GroupKeyRefresh(of: name, known: known, report: report)
        _ = await StepShell(surroundings, runBegin: runBegin).run(&refresh, &context)
        return refresh.key
    }

    private mutating func giveUp(_ step: Plan.Step, for reason: StopReason, at index: Int) {
        leaveUnbegun(step, at: index)
        if options.mode.isDryRun {
            report.steps[index].skipped = step.work.planned
            report.steps[index].note = "not checked: \(reason.words)"
        } else {
            report.steps[index].stop(reason)
        }
    }
}
