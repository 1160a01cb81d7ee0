import FCM
import HeraldTestSupport

@testable import HeraldCore

/// What must be true after a run that nothing disturbed and no guard cut.
extension Life {
    /// - Parameter begin: when the run read the files.
    func judge(_ run: LifeRun, at begin: Date) throws {
        let told = LifeTold(run.now, known.state)
        for campaign in files.campaigns {
            let line = lines[campaign.line] ?? Line()
            for key in expected(of: campaign, line, at: begin) {
                try judge(key, of: campaign, told, at: begin)
            }
            try judgeClocks(of: campaign, at: begin) { key in
                told.names(key, of: campaign, line.names) || told.leavesOut(key, of: campaign, line.names)
            } waits: { key in
                told.waits(key, of: campaign, line.names)
            }
            try judgePromises(to: campaign.line, told)
            lines[campaign.line]?.mark = max(begin, line.mark ?? begin)
        }
        let declared = Set(files.campaigns.map(\.line))
        for line in lines.keys.sorted() where !declared.contains(line) {
            try judgePromises(to: line, told)
            if let mark = lines[line]?.mark { lines[line]?.mark = max(begin, mark) }
            lines[line]?.owed = []
        }
        try judgeJoinedLate(run.now)
        keepSubscribers()
    }

    /// The firings of a campaign that are due or overdue, and not over.
    private func expected(of campaign: LifeFiles.Campaign, _ line: Line, at now: Date) -> [Key] {
        // Those are judged by each person's own clock.
        if campaign.isInLocalTime { return [] }
        let keys: [Key]
        switch campaign.due {
        case .once: keys = [Key(line: campaign.line, revision: campaign.revision)]
        case .at(let date): keys = date <= now ? [Key(line: campaign.line, revision: campaign.revision)] : []
        case .daily:
            var firings = line.owed.filter { campaign.due.firings(after: $0 - 1, through: $0) == [$0] && $0 <= now }
            // What fired between the last run and an edit was not on file then.
            let mark = max(line.mark ?? now, line.edited ?? .distantPast)
            firings.formUnion(campaign.due.firings(after: mark, through: now))
            lines[campaign.line]?.owed = campaign.isEnabled ? firings : []
            keys = firings.sorted().map { Key(line: campaign.line, due: $0) }
        }
        return campaign.isEnabled ? keys.filter { !line.over.contains($0) } : []
    }

    private func judge(_ key: Key, of campaign: LifeFiles.Campaign, _ told: LifeTold, at now: Date) throws {
        let names = lines[campaign.line]?.names ?? []
        let isTold = told.names(key, of: campaign, names)
        let due = key.due ?? campaign.at
        let isLate = due.map { now > lastEnd(of: campaign, after: $0) } ?? false
        // Who of its audience is in it depends on what came of another.
        if campaign.follows != nil { return }
        let wanted = whom(key, campaign)
        let got = Set((delivered[key] ?? [:]).keys).union(excused[key] ?? [])
        let left = (wanted ?? []).intersection(reachable).subtracting(got)
        let isOver = wanted == nil ? asked.contains(key) || isUnreachable(campaign) : left.isEmpty
        if isOver {
            // An audience without anybody has not begun.
            if wanted == nil ? asked.contains(key) : !got.isEmpty { end(key) }
            if isLate, !opensInStages(key, campaign) { end(key) }
            return
        }
        if told.leavesOut(key, of: campaign, names) { return end(key) }
        // What expires while it is sent, or before its turn, is told by the next run.
        if let expiry = campaign.expiresAfter.flatMap({ (due ?? begun[key]?.at)?.adding($0) }) {
            if now >= expiry, isTold { return end(key) }
            if now < expiry, now.adding(.seconds(120)) > expiry { return }
        }
        let waiting: [RecipientKey?] = wanted == nil ? [nil] : left.map(Optional.some)
        let isShut = told.waits(key, of: campaign, names) && isClosed(campaign, for: waiting, at: now)
        if isTold || isShut {
            if isLate && !opensInStages(key, campaign) || isSuperseded(key, campaign, at: now) { end(key) }
            return
        }
        let who = wanted == nil ? "anybody" : left.map { number(of: $0) }.sorted().joined(separator: ", ")
        throw LifeProblem(
            promise: isLate ? "misses without a word" : "loses somebody",
            words: "\(words(key)) ('\(campaign.name)') was not sent to \(who), and nothing says so")
    }

    func end(_ key: Key) {
        lines[key.line]?.over.insert(key)
        lines[key.line]?.promised[key] = nil
        if let due = key.due { lines[key.line]?.owed.remove(due) }
    }

    /// A later firing took its place. A run says so once.
    private func isSuperseded(_ key: Key, _ campaign: LifeFiles.Campaign, at now: Date) -> Bool {
        guard let due = key.due, campaign.catchUp != .all else { return false }
        return !campaign.due.firings(after: due, through: now).isEmpty
    }

    /// Whether the target has no member that could be reached.
    private func isUnreachable(_ campaign: LifeFiles.Campaign) -> Bool {
        guard case .group(let name) = campaign.target else { return false }
        let members = files.groups.first { $0.name == name }.map { files.members(of: $0) } ?? []
        return members.isDisjoint(with: reachable)
    }

    /// Whoever a person was promised a second message to gets it with the next run.
    private func judgePromises(to line: Int, _ told: LifeTold) throws {
        guard let promised = lines[line]?.promised, !promised.isEmpty else { return }
        lines[line]?.promised = [:]
        guard let campaign = files.campaigns.first(where: { $0.line == line }), campaign.isEnabled else { return }
        if campaign.follows != nil { return }
        // A new revision goes to everybody anyway.
        for (key, installations) in promised
        where campaign.isDaily ? key.due != nil : key.revision == campaign.revision {
            if told.names(key, of: campaign, lines[line]?.names ?? []) { continue }
            let left = installations.filter { (allowed[key]?[$0] ?? 0) > 0 && !(excused[key] ?? []).contains($0) }
                .filter {
                    reachable.contains($0) && (whom(key, campaign)?.contains($0) ?? true)
                }
                .filter { (delivered[key]?[$0] ?? 0) < 1 }
            let isShut =
                told.waits(key, of: campaign, lines[line]?.names ?? [])
                && isClosed(campaign, for: left.map(Optional.some), at: now)
            if !isShut, let one = left.map({ number(of: $0) }).min() {
                throw LifeProblem(
                    promise: "promises to resend and does not",
                    words: "\(words(key)) was not sent again to \(one)")
            }
        }
    }

    /// What a guard refused about lists and members stays refused until somebody changes a file, a list or the state, or
    /// overrides it.
    func checkRefusals(_ proposal: Proposal, _ call: Call) throws {
        let kinds: Set<Guard> = [.audienceCollapse, .audienceGrowth, .maxUnsubscribePercent]
        let now = Set(
            proposal.plan.refusals.filter { kinds.contains($0.kind) }
                .map { LifeRefusal(kind: $0.kind, name: $0.name, subject: $0.subject) })
        if let one = refused.subtracting(now).map({ "\($0.kind.rawValue) \($0.name)" }).min() {
            throw LifeProblem(promise: "what was refused stays refused", words: one)
        }
        refused = call == .apply(overrides: true) ? [] : now
    }

    /// Without a person's override, few leave a topic at once, and only what a guard names is left out.
    func checkGuarded(_ plan: Plan) throws {
        for step in plan.steps {
            if step.refusal == nil { try checkLeavers(of: step) }
            guard let words = step.refusal, let subject = step.work.subject,
                !plan.unapproved.contains(where: { $0.sentence == words })
            else { continue }
            let lists = files.lists(of: subject)
            // The guard's sentence names the topic or group, also as it was called before, or a list that decides who
            // is in it.
            let renamed = files.topics.filter { subject == .topic($0.name) }
            let subjects = [subject] + renamed.flatMap(\.previousNames).map { Plan.Subject.topic($0) }
            let isNamed = plan.refusals.contains { refusal in
                let isOfList = refusal.kind == .audienceCollapse || refusal.kind == .audienceGrowth
                if isOfList { return lists.contains(refusal.name) }
                return subjects.contains { refusal.message.contains("\($0)") }
            }
            if !isNamed {
                throw LifeProblem(promise: "leaves out what no guard is about", words: "\(step.id)")
            }
        }
    }

    /// From ten leavers on. With fewer members the guard lets everybody go.
    private func checkLeavers(of step: Plan.Step) throws {
        guard case .unsubscribe(let name, let leaving) = step.work, let topic = known.snapshot.topics[name] else {
            return
        }
        let people = known.installations(of: leaving)
        let all = known.installations(of: topic.managed.union(topic.subscribing).union(topic.adopted))
        let declared = files.topics.first { $0.name == step.successor ?? name }
        let lost = people.subtracting(declared.map { files.members(of: $0) } ?? [])
        // herald counts no more members than these: it leaves out those it knows to be dead.
        let limit = settings.guards.maxUnsubscribePercent * all.count
        if people.count >= 10, declared?.prune ?? true, lost.count * 100 > limit {
            throw LifeProblem(
                promise: "many leave without a person", words: "\(lost.count) of \(all.count) from \(name)")
        }
    }

    // MARK: Memberships

    /// What herald subscribed to a topic that is not pruned stays.
    private func keepSubscribers() {
        for topic in files.topics {
            // Of a registration that FCM gave in another's place herald knows nothing until a list has it.
            let recorded = known.snapshot.topics[topic.name]?.subscribers ?? []
            let ours = Set((owners[topic.name] ?? [:]).filter(\.value).keys)
                .intersection(fcm.now.topics[topic.name] ?? [])
                .intersection(known.registrations(of: recorded).values)
            // What an app subscribed itself is its own business, also when the topic gets another name.
            let theirs = (owners[topic.name] ?? [:]).filter { !$0.value }.keys
            kept[topic.line] = topic.prune ? [] : ours.union(kept[topic.line] ?? []).subtracting(theirs)
            // Who is suppressed leaves all the same.
            let suppressed = files.suppressed(of: topic.line)
            kept[topic.line] = kept[topic.line]?.filter { !suppressed.contains($0.recipientKey) }
        }
    }

    /// After a run that did everything, the next plan at the same time has nothing to do.
    func checkSettled(after call: Call, _ run: LifeRun, at begin: Date) async throws {
        let plan = try await plan(at: begin).proposal.plan
        let (groups, content) = (fcm.now.groups, run.now)
        let done = content.report?.steps.map(\.id.rawValue) ?? []
        let occurrences = content.report?.steps.compactMap(\.occurrence).map { OccurrenceID(rawValue: $0) } ?? []
        let left = plan.steps.first { step in
            // Only a run waits for the next stage of what it sends.
            if case .send(let send) = step.work, send.isResumed, send.staging?.isNews == true, call != .run {
                return false
            }
            // The next run sends what goes by outcomes that this one has changed.
            if case .send(let send) = step.work,
                files.campaigns.contains(where: { $0.name == send.campaign && $0.follows != nil })
            {
                return false
            }
            // Whom a later firing has reached by now is left out of one that waits for its next stage, once that has begun.
            if case .send(let send) = step.work, send.begun != nil, send.members.isEmpty, send.discovered.isEmpty,
                !(send.skipped.isEmpty && send.refused.isEmpty),
                send.skipped.states.allSatisfy({ $0 == .superseded }),
                // After a rename their ids have the name before.
                occurrences.contains(where: { content.campaign(of: $0) == send.campaign })
            {
                return false
            }
            // Whom FCM calls dead, with nothing to show whether to believe it, leaves once more.
            if case .unsubscribe = step.work,
                content.report?.steps.contains(where: { $0.id == step.id && $0.doubted > 0 }) == true
            {
                return false
            }
            // A saved plan is of its own time. Meanwhile a window may have closed, also while topics settled.
            if case .send = step.work, let sent = content.report?.steps.first(where: { $0.id == step.id }),
                sent.pending > 0
            {
                if case .applySaved = call { return false }
                if sent.note?.hasPrefix("the window closed") == true { return false }
            }
            // What 'apply' sends later fills the caps of some who waited. The next call skips them.
            if case .send(let send) = step.work, call != .run, send.members.isEmpty, send.discovered.isEmpty,
                send.skipped.states.allSatisfy({ if case .capped = $0 { true } else { false } }),
                content.report?.steps.contains(where: { $0.id == step.id && $0.pending > 0 }) == true
            {
                return false
            }
            // When a group loses its last living member, FCM forgets the group. herald notices that while it removes
            // members, and makes the group anew.
            guard case .group(let change) = step.work, change.action == .create, groups[change.group] == nil else {
                return true
            }
            return !done.contains { $0.hasPrefix("group_remove:\(change.group)") }
        }
        if let step = left {
            throw LifeProblem(promise: "a second plan is not empty", words: "\(step.id): \(step.reason)")
        }
    }

    /// The reachable installations that lists name by one registration only, and whose app never came back with one it
    /// had before: of the others herald cannot know what FCM has forgotten.
    private var certain: Set<RecipientKey> {
        let listed = Dictionary(grouping: files.listed, by: \.recipientKey)
        return reachable.filter { listed[$0]?.count == 1 && !returned.contains($0) }
    }

    /// After some quiet runs, FCM has what the files say.
    func checkMemberships() throws {
        let (state, listedKeys) = (fcm.now, Set(files.listed.map(\.recipientKey)))
        for topic in files.topics {
            let wanted = files.members(of: topic)
            let following = (state.topics[topic.name] ?? []).subtracting(state.dead).subtracting(forgotten)
            let missing = wanted.intersection(certain).subtracting(following.map(\.recipientKey))
                .subtracting(gone(from: topic))
            if let one = missing.map({ number(of: $0) }).min() {
                throw LifeProblem(promise: "memberships equal the files", words: "\(one) is not in \(topic.name)")
            }
            let ours = following.filter { owners[topic.name]?[$0] == true }
            let suppressed = files.suppressed(of: topic.line)
            let tooMany = ours.filter { registration in
                let key = registration.recipientKey
                return topic.prune ? !wanted.contains(key) : suppressed.contains(key)
            }
            if let one = tooMany.map({ number(of: $0.recipientKey) }).min() {
                throw LifeProblem(promise: "memberships equal the files", words: "\(one) is still in \(topic.name)")
            }
            // Whoever is listed by another registration joins a new name of the topic with that one, be it dead or not.
            let stayers = alive(kept[topic.line] ?? []).subtracting(forgotten).filter {
                files.listed.contains($0) || !listedKeys.contains($0.recipientKey)
            }
            let lost = Set(stayers.map(\.recipientKey))
                .subtracting(following.map(\.recipientKey)).subtracting(returned).subtracting(gone(from: topic))
            if !topic.prune, let one = lost.map({ number(of: $0) }).min() {
                throw LifeProblem(promise: "keeps who is not pruned", words: "\(one) is no longer in \(topic.name)")
            }
        }
        let declared = Set(files.topics.map(\.name))
        for (name, followers) in owners where !declared.contains(name) {
            let ours = alive(Set(followers.filter(\.value).keys)).subtracting(forgotten)
                .intersection(state.topics[name] ?? [])
            if let one = ours.map({ number(of: $0.recipientKey) }).min() {
                throw LifeProblem(promise: "memberships equal the files", words: "\(one) is still in \(name)")
            }
        }
        for group in files.groups {
            let wanted = files.members(of: group).intersection(certain)
            // A forgotten registration stays in its group, although its owner may have another.
            let alive = alive(state.groups[group.name] ?? []).subtracting(forgotten)
                .filter { !stranded.contains($0) || wanted.contains($0.recipientKey) }
            let members = Set(alive.map(\.recipientKey)).intersection(certain)
            if members != wanted {
                throw LifeProblem(
                    promise: "memberships equal the files",
                    words: "group \(group.name) has \(members.count) members instead of \(wanted.count)")
            }
        }
    }
}
