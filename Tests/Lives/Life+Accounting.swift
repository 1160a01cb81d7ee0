import FCM
import HeraldTestSupport

@testable import HeraldCore

/// What a run did, seen from FCM, and what it may never do.
extension Life {
    /// Notes every request of the run with what came of it.
    func account(_ run: LifeRun) throws {
        let (content, state) = (run.now, fcm.now)
        let arrivals = Dictionary(state.arrivals.map { ($0.call, $0) }) { one, _ in one }
        try checkBlocked(content)
        openedBefore = openings.mapValues(\.recorded.count)
        (firstStarts, sendOffsets) = ([:], [:])
        var begun: OccurrenceID?
        var (marks, notes) = (content.begun[...], content.notes[...])
        for (number, request) in state.calls.enumerated() {
            while let mark = marks.first, mark.call <= number {
                begun = mark.occurrence
                marks = marks.dropFirst()
            }
            while let note = notes.first, note.call <= number {
                try noteStages(note, of: content)
                notes = notes.dropFirst()
            }
            let mishap = content.mishaps[number]
            // Told dead once, a registration stays so for herald, even if its app comes back with it.
            buried.formUnion(request.registrations.intersection(state.dead))
            switch request {
            case .send(let body):
                try accountSend(body, begun, arrivals[number], mishap, content.starts[number], run)
            case .subscribe(let registration, let topic):
                try checkJoin(registration, topic)
                noteSubscription(of: registration, to: topic, mishap, run)
            case .unsubscribe(let registration, let topic):
                try checkLeave(registration, topic, content)
                noteLeave(of: registration, from: topic, mishap)
            case .batch(let operation, let topic, let registrations):
                for registration in registrations {
                    if operation == .add { try checkJoin(registration, topic) }
                    if operation == .add, mishap?.isRefusal == true {
                        // Nothing was done, so it stays whose it was.
                        continue
                    } else if operation == .add {
                        // The Instance ID service does not tell whose a subscription was.
                        let isIn = fcm.now.topics[topic]?.contains(registration) == true
                        owners[topic, default: [:]][registration] = isIn ? true : nil
                    } else {
                        try checkLeave(registration, topic, content)
                        noteLeave(of: registration, from: topic, mishap)
                    }
                }
            case .group, .read: break
            }
        }
        for note in notes { try noteStages(note, of: content) }
        noteUnderWay(content)
        noteWaits(content)
        noteTakenAlong()
        noteBack()
        noteUnbegun()
        endWhatIsDone(content)
        try checkMissed(content)
        try checkReport(content)
        try checkRates(content)
    }

    /// Firings that reached everybody they could. Who is listed later is no part of them.
    private func endWhatIsDone(_ content: LifeRun.Content) {
        for begun in Set(content.begun.map(\.occurrence) + content.plans.flatMap(\.plan.over)) {
            for campaign in files.campaigns where lines[campaign.line]?.names.contains(begun.campaign) == true {
                let key = key(of: campaign, begun)
                if asked.contains(key) { endIfDone(key, of: campaign) }
            }
        }
    }

    /// Ends a firing that has begun, if everybody it can reach has it or is accounted for.
    func endIfDone(_ key: Key, of campaign: LifeFiles.Campaign) {
        // The clocks of others may come to it later.
        if campaign.isInLocalTime || campaign.follows != nil { return }
        let known = Set((delivered[key] ?? [:]).keys).union(excused[key] ?? [])
        if whom(key, campaign)?.intersection(reachable).isSubset(of: known) ?? true { end(key) }
    }

    /// herald knows from FCM's answer that the registration is not in the topic. Without it, whom herald adopted and then
    /// tried to unsubscribe is herald's.
    private func noteLeave(of registration: Registration, from topic: TopicName, _ mishap: LifeMishap?) {
        if mishap == nil || owners[topic]?[registration] == false { owners[topic]?[registration] = nil }
        if mishap == nil {
            unheard[topic]?.remove(registration)
            noteMove(of: registration, from: topic)
        }
        // Who is suppressed leaves all the same, also with a run that is not judged.
        for one in files.topics where one.name == topic || one.previousNames.contains(topic) {
            guard runFiles.suppressed(of: one.line).contains(registration.recipientKey) else { continue }
            kept[one.line]?.remove(registration)
        }
    }

    private func noteSubscription(
        of registration: Registration, to topic: TopicName, _ mishap: LifeMishap?, _ run: LifeRun
    ) {
        // Without FCM's answer herald cannot tell its own subscription from the app's. The answer may have died with
        // the run.
        let isUnanswered = mishap.map { !$0.isRefusal && $0 != .notSent && $0 != .quota } ?? run.isDead
        if isUnanswered, owners[topic]?[registration] == false {
            // Nobody can say any more whose it is.
            owners[topic]?[registration] = nil
            return
        }
        // What FCM refuses for good is in no topic, and herald does not look for it there.
        if mishap?.isRefusal == true, owners[topic]?[registration] != false {
            owners[topic]?[registration] = nil
            fcm.change { _ = $0.topics[topic]?.remove(registration) }
            for one in files.topics where one.name == topic { kept[one.line]?.remove(registration) }
        }
        // What the app subscribed stays the app's.
        if fcm.now.topics[topic]?.contains(registration) == true, owners[topic]?[registration] == nil {
            owners[topic, default: [:]][registration] = true
        }
    }

    private func accountSend(
        _ body: [UInt8], _ begun: OccurrenceID?, _ arrival: ModelFCM.Arrival?, _ mishap: LifeMishap?,
        _ start: (offset: Duration, date: Date), _ run: LifeRun
    ) throws {
        let date = start.date
        let message = (try? JSONValue(parsing: body))?["message"]
        let spoken = message?["notification"]?["title"]?.string?.split(separator: " ").map(String.init) ?? []
        let title = spoken.prefix(3).joined(separator: " ")
        let parts = spoken.prefix(3).compactMap { Int($0) }
        guard parts.count == 3, let campaign = files.campaigns.first(where: { $0.line == parts[0] }),
            campaign.title == title && campaign.isEnabled || run.now.mayStillSend(title, at: start.offset)
        else { throw LifeProblem(promise: "sends what no file asks for", words: "'\(title)' was sent") }
        sendOffsets[campaign.line, default: []].append(start.offset)
        let key = key(of: campaign, begun)
        let target = (message?["token"]?.string ?? message?["fid"]?.string).flatMap { Registration($0) }
        try checkTime(of: key, to: target, campaign, title, at: date)
        try checkLateness(of: key, begun, to: target, at: date, run.now)
        try checkGivenUp(key, begun, campaign, to: target)
        try checkHeldBack(campaign, begun, run.now)
        try checkApproved(campaign)
        asked.insert(key)
        noteBeginning(of: key, campaign, at: date)
        var reached = Set((arrival?.devices ?? []).map(\.recipientKey))
        let isForOne = target?.rawValue.hasPrefix("cTEST") ?? false
        if arrival != nil, let target, isForOne { reached = [target.recipientKey] }
        if isForOne, let target {
            try checkStart(of: key, to: target, campaign, spoken, at: date, mishap)
            try checkStage(of: key, to: target.recipientKey, campaign, begun)
            try checkFollowing(campaign, target.recipientKey)
        }
        if !isForOne { try checkWindow(of: key, to: nil, campaign, at: date) }
        if isForOne, !campaign.isInLocalTime, let members = self.begun[key]?.members,
            let one = reached.subtracting(members).first, !isForgiven
        {
            throw LifeProblem(
                promise: "sends to nobody who joined later", words: "'\(title)' came to \(number(of: one))")
        }
        var isExtra = false
        for installation in reached.sorted(by: { $0.rawValue < $1.rawValue }) {
            let count = (delivered[key]?[installation] ?? 0) + 1
            delivered[key, default: [:]][installation] = count
            isExtra = isExtra || count > 1
            let allowance = allowed[key]?[installation] ?? 0
            if count > 1 + allowance, !isForgiven {
                throw LifeProblem(
                    promise: "sends twice",
                    words: "'\(title)' of \(words(key)) came \(count) times to \(number(of: installation))")
            }
        }
        if isExtra { extras += 1 }
        if let target, isForOne, fcm.now.dead.contains(target), !reachable.contains(target.recipientKey) {
            // No list names another registration, so the report says that it is dead.
            excused[key, default: []].insert(target.recipientKey)
        }
        guard let mishap else { return }
        let concerned = target.map { [$0.recipientKey] } ?? Array(reached)
        // After a 500 herald does not repeat what went to many at once.
        let isHeld = campaign.onError == .hold && mishap != .quota
        let asksAgain =
            mishap.asksAgain && !isHeld && (isForOne || ![.internalError, .internalErrorAfter].contains(mishap))
        let isRepeatable = asksAgain || campaign.onUnknown == .resend && !mishap.isRefusal
        for installation in concerned {
            if isRepeatable { allowed[key, default: [:]][installation, default: 0] += reached.isEmpty ? 0 : 1 }
            if !asksAgain, isRepeatable { resent += 1 }
            if !asksAgain, mishap != .notSent { excused[key, default: []].insert(installation) }
        }
    }

    func words(_ key: Key) -> String { "line \(key.line) #\(key.revision) \(key.due?.rfc3339 ?? "")" }

    func number(of installation: RecipientKey) -> String { "device \(Int(installation.rawValue.suffix(17)) ?? -1)" }

    // MARK: Promises about a single run

    /// Nobody is unsubscribed whom the plan did not show, and only from what herald subscribed.
    private func checkLeave(_ registration: Registration, _ topic: TopicName, _ content: LifeRun.Content) throws {
        let isPlanned = content.plans[0].plan.steps.contains { step in
            if case .unsubscribe(topic, _) = step.work { step.refusal == nil } else { false }
        }
        if !isPlanned { throw LifeProblem(promise: "unsubscribes unplanned", words: "from \(topic)") }
        if owners[topic]?[registration] == false, !isAdopted(registration, in: topic), !isForgiven {
            throw LifeProblem(
                promise: "unsubscribes what the app made",
                words: "\(number(of: registration.recipientKey)) from \(topic)")
        }
    }

    private func checkReport(_ content: LifeRun.Content) throws {
        guard let report = content.report else { return }
        for step in report.steps {
            let parts = [step.accepted, step.rejected, step.unknown, step.skipped, step.held, step.pending]
            if parts.contains(where: { $0 < 0 }) || parts.reduce(0, +) != step.planned {
                throw LifeProblem(promise: "planned is not the sum", words: "\(step.id): \(step.planned) \(parts)")
            }
            if !content.isDead { possibleDuplicates += step.possibleDuplicates }
        }
        guard !content.isDead else { return }
        let accepted = fcm.now.arrivals.count { content.mishaps[$0.call] == nil }
        let told = report.steps.reduce(0) { $0 + ($1.occurrence == nil ? 0 : $1.accepted) }
        if accepted != told {
            throw LifeProblem(promise: "reports what FCM accepted", words: "\(told) instead of \(accepted)")
        }
        if extras > possibleDuplicates + resent, !isForgiven, !hasDied {
            throw LifeProblem(
                promise: "counts possible duplicates",
                words: "\(extras) came twice, \(possibleDuplicates) were counted, \(resent) asked for")
        }
    }

    private func checkRates(_ content: LifeRun.Content) throws {
        for campaign in runFiles.campaigns {
            try check(sendOffsets[campaign.line] ?? [], against: campaign.rate, of: campaign.name)
        }
        guard case .limited(let rate) = settings.fcm.rate, case .limited(let other) = settings.fcm.subscriptionRate
        else { return }
        try check(content.starts.map(\.offset), against: rate + other, of: "all")
    }

    private func check(_ starts: [Duration], against rate: Int?, of name: String) throws {
        guard let rate else { return }
        for (first, last) in zip(starts, starts.dropFirst(rate)) where last - first < .seconds(1) {
            throw LifeProblem(
                promise: "exceeds the rates", words: "\(rate + 1) starts of \(name) within a second")
        }
    }

    // MARK: Between runs

    /// Intents without an outcome are unknown from now on: nobody may be sent to again.
    func noteWhatDied(_ content: LifeRun.Content) {
        for id in openings.keys { openings[id]?.die(at: now) }
        noteIntents(of: content)
        for (name, topic) in known.snapshot.topics {
            for registration in known.registrations(of: topic.subscribing).values {
                unheard[name, default: []].insert(registration)
                if owners[name]?[registration] == false { owners[name]?[registration] = nil }
            }
        }
        for occurrence in known.snapshot.occurrences.values {
            guard let campaign = campaign(recordedAs: occurrence.campaign) else { continue }
            // What it wrote before its end is in the state, with the name that the file had.
            lines[campaign.line]?.seenName = occurrence.campaign
            let uncertain = occurrence.ledger?.uncertain ?? []
            guard !uncertain.isEmpty else { continue }
            let key = key(of: campaign, recorded: occurrence)
            noteBeginning(of: key, campaign, at: now)
            let some =
                uncertain.contains(0)
                ? Set((delivered[key] ?? [:]).keys) : known.installations(of: uncertain)
            excused[key, default: []].formUnion(some)
            if campaign.onUnknown == .resend { allowResending(campaign.line) }
            if uncertain.contains(0) { asked.insert(key) }
        }
    }

    /// Whoever may have got a message of the campaign gets it once more.
    func allowResending(_ line: Int) {
        for (key, some) in excused where key.line == line {
            for installation in some where (delivered[key]?[installation] ?? 0) > (allowed[key]?[installation] ?? 0) {
                allowed[key, default: [:]][installation, default: 0] += 1
                resent += 1
            }
        }
    }

    /// A run that ended has taken in the names of all files.
    ///
    /// - Parameter scope: the lines of the campaigns whose work it did. `nil` for all.
    func noteSeen(_ scope: Set<Int>?) {
        for campaign in files.campaigns { lines[campaign.line]?.seenName = campaign.name }
        let targets = Set(files.campaigns.filter { scope?.contains($0.line) ?? true }.flatMap(\.target.topics))
        for topic in files.topics where scope == nil || targets.contains(topic.line) {
            topicNames[topic.line] = topic.name
        }
        if scope == nil { freshlyDeleted = [] }
        // What fires while a campaign is disabled or not declared is nobody's, and what an edit took out of the schedule
        // does not come back with the next edit.
        let declared = Dictionary(files.campaigns.map { ($0.line, $0) }) { first, _ in first }
        for line in scope ?? Set(lines.keys) {
            guard let campaign = declared[line], campaign.isEnabled else {
                lines[line]?.pass(until: now)
                continue
            }
            let owed = lines[line]?.owed ?? []
            lines[line]?.owed = owed.filter { campaign.due.firings(after: $0 - 1, through: $0) == [$0] }
        }
    }
}

extension LifeFiles.Campaign {
    var at: Date? { if case .at(let date) = due { date } else { nil } }
}

extension Request {
    /// Those that it names.
    fileprivate var registrations: Set<Registration> {
        switch self {
        case .send(let body):
            let message = (try? JSONValue(parsing: body))?["message"]
            return Set([message?["token"]?.string ?? message?["fid"]?.string ?? ""].compactMap { Registration($0) })
        case .subscribe(let registration, _), .unsubscribe(let registration, _): return [registration]
        case .batch(_, _, let registrations): return Set(registrations)
        case .group(.create(_, let registrations)), .group(.add(_, _, let registrations)): return Set(registrations)
        case .group, .read: return []
        }
    }
}
