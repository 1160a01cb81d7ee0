package import FCM

/// One change of the state. A store applies several at once, durably, or none.
package enum StateChange: Hashable, Sendable {
    /// Keeps registrations under numbers that the store gave (`StateStore.intern`). A newer registration replaces an
    /// older one, and none of them is dead any more.
    case register([RecipientID: Registration])
    /// These recipients get another registration. Each that is in a topic or group gets a *former* number, from
    /// `RecordedState.nextFormer` on and in ascending order. Its memberships, and the registration that they were made
    /// with, move to that number.
    case supersede(RecipientSet)
    /// The registrations of these former numbers are used again. Their memberships go back to their recipients, and those
    /// that were forgotten count again.
    case readopt(RecipientSet)
    case spendPlan(String)
    /// Puts recipients into one relation to a topic and out of all others. `nil` puts them into none.
    case members(TopicName, RecipientSet, Membership?, at: Date)
    /// What becomes known of a topic's members without a request. It is no change that sends wait for.
    case reclassify(TopicName, RecipientSet, Reclassification)
    /// Whether plans leave a topic alone until a file declares it.
    case awaitFile(TopicName, Bool)
    /// FCM was asked which topics these registrations follow.
    case observed(RecipientSet, at: Date)
    /// The key that a group is reached by. `nil` while the group is being created.
    case groupKey(GroupName, NotificationKey?)
    /// Puts recipients into one relation to a group and out of the other. `nil` puts them into none.
    case groupMembers(GroupName, RecipientSet, GroupMembership?)
    /// Opens an occurrence. One of the same campaign that is open and has no outcomes gets this content instead, and
    /// what was assigned is gone. A store refuses any other id that is taken (`StateError.occurrenceTaken`).
    case open(OccurrenceID, RecordedOccurrence)
    /// Says whom the occurrence is for, each with the text that they get. Nobody else is part of it. It replaces what was
    /// said before; nobody at all means that it is not known, and then nobody is in a wave.
    case assign(OccurrenceID, Partition<MessageClass>)
    /// Puts recipients of an occurrence in local time into the waves in which their clocks reached it, and out of others.
    case waves(OccurrenceID, Partition<Date>)
    /// Replaces what is known of an occurrence's stages.
    case stages(OccurrenceID, [RecordedStage])
    /// Gives an occurrence the content and the due time of its campaign's file. Its outcomes stay.
    case amend(OccurrenceID, contentDigest: String, target: String, due: Date?, local: LocalTime? = nil)
    /// Moves recipients to one entry and out of all others. `nil` means: not tried.
    case outcome(OccurrenceID, RecipientSet, LedgerEntry?)
    /// Moves recipients to the rejected ones, with the error code.
    case reject(OccurrenceID, RecipientSet, code: String)
    /// Moves recipients to the skipped ones, with the reason.
    case skip(OccurrenceID, RecipientSet, SkipReason)
    /// Gives recipients who were to be tried again the outcome that they had. Others stay as they are.
    case restore(OccurrenceID, RecipientSet)
    /// Messages of an occurrence are about to start, and count for caps. Earlier starts of the same people in it do not
    /// count any more.
    case started(OccurrenceID, RecipientSet, MessageStart)
    /// What was noted as started did not reach these people.
    case unstarted(OccurrenceID, RecipientSet)
    /// Starts that counted until then, or earlier, are too old for every cap. From then on all are known: a longer cap may
    /// come later.
    case forgetStarts(until: Date)
    /// Since when every message is noted that counts. `nil` if nothing is noted.
    case counting(since: Date?)
    /// Ends an occurrence, and whatever halted it. Everybody whom it is for has an outcome then (`settling`).
    case finish(OccurrenceID, at: Date)
    /// Turns the ledgers of finished occurrences into counts.
    case prune(Set<OccurrenceID>)
    /// Takes the end back, because some recipients are to be tried again. Nobody else joins it any more.
    case reopen(OccurrenceID)
    /// FCM does not know the current registrations of these recipients any more. No plan uses them. What herald made for
    /// them in topics and groups is *forgotten*: it counts again if they live after all. Former numbers are not dead.
    case forget(RecipientSet, at: Date)
    /// The current registrations of these recipients live after all. What was forgotten of them may still be at FCM, and
    /// is herald's.
    case revive(RecipientSet)
    case audienceSizes([String: Int])
    case watermark(String, Watermark)
    /// Gives a campaign the history of its earlier name. The ids of its occurrences stay.
    case rename(campaign: String, to: String)
    /// `nil` means every campaign.
    case pause(String?)
    case resume(String?)
    case topicAPI(TopicAPI, at: Date)
    /// How many messages the project may send in a minute, as FCM says.
    case sendQuota(Int, at: Date)
    case test(RecordedTest)
    /// The files of that commit were applied. It becomes the last one.
    case applied(AppliedCommit)
    /// Everything that is approved from now on, by `kind:name`. What is not in it is not approved any more.
    case approve([String: RecordedApproval])
    case note(StateNote, String)
    /// Why an open occurrence waits for a person. `nil` lets it go on.
    case halt(OccurrenceID, RecordedOccurrence.Halt?)
    /// The window of an open occurrence closed while a run was sending it.
    case suspend(OccurrenceID, at: Date)
    /// Since when runs do not look at an open occurrence in local time. `nil` if they do again.
    case unseen(OccurrenceID, since: Date?)
    /// Whether everybody on the list has an open occurrence in local time.
    case done(OccurrenceID, Bool)
    /// FCM does not know a registration that is not its recipient's current one.
    case died(Tombstone)
    /// Numbers the deaths that have no number yet, for those who are told of them.
    case numberDeaths(run: String)
    /// Those that a run numbered were told, with these numbers.
    case toldDeaths(run: String, ClosedRange<Int64>)
    /// Lifts all deaths that were recorded by a herald that noted only whose installation was dead.
    case reviveMigrated
    /// Removes recipients with all their registrations and memberships. Their numbers keep their places in ledgers and
    /// are never given out again.
    case erase(RecipientSet)
    case drop(Resource)
    /// Raises the serial above this one, which a report has.
    case outgrow(Int64)
    /// Says that a run or a command was here. With a number, the state counts as newer than the stamps up to there.
    case stamp(String, outgrowing: Int64? = nil)

    /// What can be dropped from a state without touching FCM.
    package enum Resource: Hashable, Sendable {
        case topic(TopicName)
        case group(GroupName)
        /// The campaign with all its occurrences.
        case campaign(String)
        case occurrence(OccurrenceID)
    }
}

extension RecordedState {
    /// Applies the changes. Every store does the same. An occurrence whose ledger was not read keeps its outcomes.
    package mutating func apply(_ changes: [StateChange]) {
        for change in changes { apply(change) }
        noteEffects(of: changes)
    }

    mutating func noteEffects(of changes: [StateChange]) {
        if changes.contains(where: \.isEffect) { serial &+= 1 }
    }

    mutating func apply(_ change: StateChange) {
        switch change {
        case .register(let registrations):
            nextRecipient = max(nextRecipient, (registrations.keys.max() ?? 0) + 1)
            let living = RecipientSet(registrations.keys.sorted())
            dead.subtract(living)
            migratedDead.subtract(living)
        case .supersede(let members):
            supersede(members)
        case .readopt(let formers):
            readopt(formers)
        case .spendPlan(let id):
            spentPlans.insert(id)
        case .members(let name, let members, let membership, let instant):
            topics[name, default: RecordedTopic()].recipients.move(members, to: membership)
            topics[name]?.changed = instant
        case .reclassify(let name, let members, let reclassification):
            let concerned = reclassification.concerned(members, in: topics[name]?.recipients ?? Partition())
            topics[name, default: RecordedTopic()].recipients.move(concerned, to: reclassification.result)
        case .awaitFile(let name, let awaits):
            if awaits || topics[name] != nil { topics[name, default: RecordedTopic()].awaitsFile = awaits }
        case .observed(let members, let instant): observe(members, at: instant)
        case .open(let id, let occurrence):
            guard isFree(id, for: occurrence.campaign) else { return }
            var opened = occurrence
            (opened.finished, opened.outcomes) = (nil, occurrences[id]?.outcomes ?? .ledger(Ledger()))
            (opened.classes, opened.waves, opened.stages) = (Partition(), Partition(), [])
            occurrences[id] = opened
        case .assign(let id, let classes):
            guard occurrences[id]?.ledger != nil else { return }
            occurrences[id]?.classes = classes
            if classes.isEmpty { occurrences[id]?.waves = Partition() }
        case .waves(let id, let waves):
            guard occurrences[id]?.ledger != nil else { return }
            for instant in waves.states { occurrences[id]?.waves.move(waves[instant], to: instant) }
        case .stages(let id, let stages): occurrences[id]?.stages = stages
        case .amend(let id, let contentDigest, let target, let due, let local):
            occurrences[id]?.contentDigest = contentDigest
            occurrences[id]?.target = target
            occurrences[id]?.due = due
            occurrences[id]?.local = local
        case .outcome(let id, let members, let entry):
            changeLedger(of: id) { $0.move(members, to: entry) }
        case .reject(let id, let members, let code):
            changeLedger(of: id) { $0.reject(members, code: code) }
        case .skip(let id, let members, let reason):
            changeLedger(of: id) { $0.skip(members, reason) }
        case .started(let id, let members, let start):
            starts[id, default: Partition()].move(members, to: start)
            if starts[id]?.isEmpty == true { starts[id] = nil }
        case .unstarted(let id, let members): moveStarts(of: id, members)
        case .forgetStarts(let instant):
            for (id, partition) in starts {
                let kept = partition.without { $0.until <= instant }
                starts[id] = kept.isEmpty ? nil : kept
            }
            countingSince = countingSince.map { max($0, instant) }
        case .counting(let since): countingSince = since
        case .restore(let id, let members):
            changeLedger(of: id) { $0.restore(members) }
        case .finish(let id, let instant):
            if let occurrence = occurrences[id] {
                for change in occurrence.settling(as: id) { apply(change) }
            }
            occurrences[id]?.finished = instant
            occurrences[id]?.isReopened = false
            occurrences[id]?.halt = nil
        case .prune(let ids):
            for id in ids where occurrences[id]?.finished != nil { occurrences[id]?.forgetLedger() }
        case .reopen(let id):
            // Without its ledger, every recipient would get the message again.
            guard occurrences[id]?.ledger != nil else { return }
            occurrences[id]?.finished = nil
            occurrences[id]?.isReopened = true
            occurrences[id]?.isDone = false
        case .forget(let members, _):
            dead.formUnion(members.subtracting(RecipientSet(formers.keys.sorted())))
            migratedDead.subtract(members)
            forgetMemberships(of: members)
        case .revive(let members):
            reviveMemberships(of: members)
        case .groupKey(let name, let key):
            groups[name, default: RecordedGroup()].key = key
        case .groupMembers(let name, let members, let membership):
            groups[name, default: RecordedGroup()].recipients.move(members, to: membership)
        case .audienceSizes(let sizes):
            audienceSizes = sizes
        case .watermark(let campaign, let watermark):
            watermarks[campaign] = watermark
        case .rename(let old, let new):
            for id in occurrences.keys where occurrences[id]?.campaign == old { occurrences[id]?.campaign = new }
            // Without a next time, a mark is of a campaign that vanished: its time is that of the last run, and says
            // nothing about what is due of one that lives.
            if let mark = watermarks.removeValue(forKey: old),
                watermarks[new].map({ $0.next == nil || mark.next != nil && $0.at <= mark.at }) ?? true
            {
                watermarks[new] = mark
            }
            if pauses.campaigns.remove(old) != nil { pauses.campaigns.insert(new) }
            formerNames[new, default: []].formUnion(formerNames.removeValue(forKey: old) ?? [])
            formerNames[new, default: []].insert(old)
            for index in tests.indices where tests[index].campaign == old { tests[index].campaign = new }
        case .pause(let campaign?):
            pauses.campaigns.insert(campaign)
        case .pause(nil):
            pauses.everything = true
        case .resume(let campaign?):
            pauses.campaigns.remove(campaign)
        case .resume(nil):
            pauses = Pauses()
        case .topicAPI(let api, let now):
            topicAPI = FoundTopicAPI(api, at: now)
        case .sendQuota(let perMinute, let now):
            sendQuota = SendQuota(perMinute: perMinute, at: now)
        case .test(let test):
            tests.append(test)
        case .applied(let commit):
            commits.removeAll { $0.id == commit.id }
            commits.append(commit)
        case .approve(let approvals):
            self.approvals = approvals
        case .note(let note, let text): notes[note] = text
        case .halt(let id, let halt):
            if occurrences[id]?.finished == nil { occurrences[id]?.halt = halt }
        case .suspend(let id, let instant): occurrences[id]?.suspended = instant
        case .unseen(let id, let since): occurrences[id]?.unseen = since
        case .done(let id, let isDone): occurrences[id]?.isDone = isDone
        case .died, .numberDeaths, .toldDeaths: break
        case .reviveMigrated:
            dead.subtract(migratedDead)
            migratedDead = []
        case .erase(let members):
            dead.subtract(members)
            migratedDead.subtract(members)
            let erased = formers.filter { members.contains($0.value) }.keys
            for former in erased { formers[former] = nil }
            leaveAll(members.union(RecipientSet(erased.sorted())))
            for id in starts.keys { moveStarts(of: id, members) }
            observed.move(members.union(RecipientSet(erased.sorted())), to: nil)
        case .drop(let resource):
            drop(resource)
        case .outgrow(let reported):
            serial = max(serial, reported)
        case .stamp(let id, let number):
            stamps.add(id, outgrowing: number)
        }
    }

    private mutating func leaveAll(_ members: RecipientSet) {
        for name in topics.keys { topics[name]?.recipients.move(members, to: nil) }
        for name in groups.keys { groups[name]?.recipients.move(members, to: nil) }
    }

    private mutating func moveStarts(of id: OccurrenceID, _ members: RecipientSet) {
        starts[id]?.move(members, to: nil)
        if starts[id]?.isEmpty == true { starts[id] = nil }
    }

    private mutating func changeLedger(of id: OccurrenceID, _ change: (inout Ledger) -> Void) {
        guard var ledger = occurrences[id]?.ledger else { return }
        // Leaves only one reference to the ledger, so that its sets are changed in place.
        occurrences[id]?.outcomes = .ledger(Ledger())
        change(&ledger)
        occurrences[id]?.outcomes = .ledger(ledger)
    }

    private mutating func drop(_ resource: StateChange.Resource) {
        switch resource {
        case .topic(let name): topics[name] = nil
        case .group(let name): groups[name] = nil
        case .campaign(let name):
            for id in occurrences.keys where occurrences[id]?.campaign == name { dropOccurrence(id) }
            watermarks[name] = nil
            pauses.campaigns.remove(name)
            formerNames[name] = nil
        case .occurrence(let id): dropOccurrence(id)
        }
    }
}

extension StateChange {
    /// Whether a plan that was saved before this change becomes stale. Giving out numbers changes nothing at FCM, and
    /// what a pause or a watermark changes is in the plan itself.
    package var isEffect: Bool {
        switch self {
        case .register, .spendPlan, .audienceSizes, .watermark, .pause, .resume, .topicAPI, .sendQuota, .test, .prune,
            .applied, .approve, .stamp, .forgetStarts, .counting, .note, .numberDeaths, .toldDeaths, .observed,
            .unseen, .done:
            false
        case .members, .reclassify, .awaitFile, .groupKey, .groupMembers, .open, .assign, .waves, .stages, .amend,
            .outcome, .reject, .skip, .restore, .started, .unstarted, .finish, .reopen, .forget, .revive, .rename,
            .supersede,
            .readopt, .died, .reviveMigrated, .erase, .drop, .outgrow, .halt, .suspend:
            true
        }
    }
}
