import FCM
import HeraldTestSupport

@testable import HeraldCore

/// What runs do not send, whatever else they do.
extension Life {
    // MARK: What is too late

    /// No run begins or resumes what is too late. A run that is under way goes on: nobody was late when it was planned,
    /// and it was not too late for everybody when its first message started.
    func checkLateness(
        of key: Key, _ id: OccurrenceID?, to target: Registration?, at date: Date, _ content: LifeRun.Content
    ) throws {
        guard let id, let campaign = runFiles.campaigns.first(where: { $0.line == key.line }),
            let planned = content.plans.first(where: { $0.plan.sends(id) })?.plan.at
        else { return }
        let first = firstStarts[key] ?? date
        firstStarts[key] = first
        let person = campaign.isForEach ? target?.recipientKey : nil
        let ends = [(planned, person), (first, nil)].map { ($0, lastEnd(of: key, id, campaign, for: $1, at: date)) }
        for case (let begin, let end?) in ends where begin > end {
            throw LifeProblem(
                promise: "sends what is too late",
                words: "\(id) at \(date.rfc3339) to \(person.map(number(of:)) ?? "many"), later than \(end.rfc3339)")
        }
    }

    /// Until when a run may begin or resume a firing, at the latest. `nil` if it is never late, or if nobody knows.
    ///
    /// - Parameters:
    ///   - person: `nil` for the last of all.
    ///   - date: when they are sent it, so that their clock has come to it.
    private func lastEnd(
        of key: Key, _ id: OccurrenceID, _ campaign: LifeFiles.Campaign, for person: RecipientKey?, at date: Date
    ) -> Date? {
        guard let time = key.due ?? campaign.at else { return nil }
        // Whom a person has tried again is in time as long as anybody, and seeds go by no clock of their own.
        let others = (triedAgain[key] ?? []).union(runFiles.seeds(of: campaign))
        let one = person.flatMap { others.contains($0) ? nil : $0 }
        // Those have until the last clock of the world has come to it.
        let again = triedAgain[key] ?? []
        let hasAgain = person.map(again.contains) ?? !again.isEmpty
        let due =
            campaign.isInLocalTime
            ? lastInstant(of: time, campaign, for: one, by: hasAgain ? .distantFuture : date) : time
        let opening = openings[id] ?? LifeOpening()
        return opening.lastStart(
            due: due, openedBefore: openedBefore[id] ?? 0, campaign.staged, isAgain: hasAgain
        )
        .map { lastEnd(of: key, campaign, for: one, after: $0) }
    }

    /// When a clock came last to a local time. Whoever has moved may be in the wave of any zone that they had.
    ///
    /// - Parameter person: `nil` for the last clock of the world.
    private func lastInstant(
        of time: Date, _ campaign: LifeFiles.Campaign, for person: RecipientKey?, by date: Date
    ) -> Date {
        let own = person.flatMap { clocks[campaign.line]?.zones[$0] }
        let firsts = clocks[campaign.line].map { $0.left.values.map(\.first) + [$0.sight.first] } ?? []
        let instants = (own ?? Set(LifeFiles.zoneNames + [nil])).flatMap { zone in
            let instant = Self.instant(of: time, in: zone)
            let waits = campaign.mayWaitADay && firsts.contains { instant <= $0 }
            return waits ? [instant, Self.instant(of: time + 86_400, in: zone)] : [instant]
        }
        return instants.filter { $0 <= date }.max() ?? time
    }

    /// Until when whoever could start then is not late. Only the time counts in which their window is open. If one
    /// closes while a run sends, the send is under way again from then on, by whatever window its file has. Where the
    /// window of now was open when somebody waited for it, or they would have been late by then, theirs was another one.
    /// Whether the run noted that is not asked.
    private func lastEnd(
        of key: Key, _ campaign: LifeFiles.Campaign, for person: RecipientKey?, after start: Date
    ) -> Date {
        let start = ([start] + (closings[key] ?? [])).max() ?? start
        let waits = waits[key] ?? []
        guard let window = window(of: campaign) else {
            return (waits + [start]).max()?.adding(campaign.maxLateness) ?? start
        }
        let all = Set(LifeFiles.zoneNames.map(window.zone) + [.utc])
        let zones = person.map { [window.zone(runFiles.zones[$0])] } ?? all
        let span = campaign.maxLateness + (person == nil ? window.clockChange : .zero)
        return zones.map { zone in
            let end = window.hours.end(ofOpen: span, from: start, in: zone)
            let other = waits.filter { window.hours.isOpen(at: $0, in: zone) || end < $0 }
            return window.hours.end(ofOpen: span, from: (other + [start]).max() ?? start, in: zone)
        }.max() ?? start
    }

    /// Somebody waited for a window when the run looked.
    func noteWaits(_ content: LifeRun.Content) {
        for plan in content.plans.map(\.plan) {
            for waiting in plan.waiting {
                // Another campaign may have had the name before.
                guard let campaign = runFiles.campaigns.first(where: { $0.name == waiting.campaign }) else { continue }
                waits[key(of: campaign, waiting.occurrence), default: []].append(plan.at)
            }
        }
    }

    /// What the run has sent some of was under way until its end, and somebody's window may have closed meanwhile.
    func noteUnderWay(_ content: LifeRun.Content) {
        guard let begin = content.plans.first?.plan.at else { return }
        let span = min(begin, now)...max(begin, now)
        for key in firstStarts.keys {
            guard let campaign = runFiles.campaigns.first(where: { $0.line == key.line }),
                let window = window(of: campaign)
            else { continue }
            let zones = Set(LifeFiles.zoneNames.map(window.zone) + [.utc])
            closings[key, default: []] += zones.compactMap { window.hours.lastClosed(in: span, in: $0) }
        }
    }

    // MARK: What is over

    /// What a report names as missed or superseded is over, and whom a run has left out as too late gets nothing more.
    func noteGivenUp(_ run: LifeRun) {
        guard let report = run.now.report, !run.isDead else { return }
        for missed in report.missedOccurrences + report.superseded where !missed.isPartial {
            // In local time others may come to it later.
            guard let campaign = campaign(of: missed), !campaign.isInLocalTime else { continue }
            givenUp.insert(missed.occurrence)
            if campaign.isDaily { givenUpFirings.insert(Key(line: campaign.line, due: missed.due)) }
        }
    }

    /// Nothing is sent of what is over, unless a person has decided about it since.
    func checkGivenUp(
        _ key: Key, _ id: OccurrenceID?, _ campaign: LifeFiles.Campaign, to target: Registration?
    ) throws {
        let isOver = id.map(givenUp.contains) ?? false || !campaign.isInLocalTime && givenUpFirings.contains(key)
        let isLeftOut = target.map { leftOut[key]?.contains($0.recipientKey) == true } ?? false
        guard isOver || isLeftOut, !isForgiven else { return }
        throw LifeProblem(
            promise: "sends what was missed",
            words: "\(id?.rawValue ?? words(key)) to \(target.map { number(of: $0.recipientKey) } ?? "many")")
    }

    /// A person lets campaigns come due again, of those that always had the same time for all. What the fast clock sent is
    /// over. What it only called too late may be sent, and what is still to come is owed.
    func rewind() async throws {
        for campaign in files.campaigns where campaign.isDaily && !campaign.isInLocalTime {
            let own = clocks[campaign.line] ?? Clocks()
            guard own.zones.isEmpty, own.slot == nil, own.left.isEmpty else { continue }
            let name = lines[campaign.line]?.seenName ?? campaign.name
            guard let mark = known.state.watermarks[name]?.at, mark > now else { continue }
            try await succeed(["state", "rewind", name])
            tell("state rewind \(name)")
            // What a fast clock sent, of any campaign, counts for caps as if it had started now.
            starts = starts.mapValues { own in own.mapValues { [now] in min($0, now) } }
            try await look()
            noteUnbegun()
            let over = lines[campaign.line]?.over ?? []
            lines[campaign.line]?.over = over.filter { [now] in asked.contains($0) || $0.due.map { $0 <= now } ?? true }
            lines[campaign.line]?.mark = now
            lines[campaign.line]?.owed = []
            lines[campaign.line]?.silenced = nil
            rewound.insert(campaign.line)
            let names = lines[campaign.line]?.names ?? []
            toldMissed = toldMissed.filter { !names.contains($0.campaign) }
            givenUp = givenUp.filter { !names.contains($0.campaign) }
            givenUpFirings = givenUpFirings.filter { $0.line != campaign.line }
            leftOut = leftOut.filter { $0.key.line != campaign.line }
            tellings.forgetMissed(of: names)
        }
    }

    // MARK: What a person or a guard holds back

    /// A pause goes with the campaign, whatever it is called later.
    func notePause(_ act: LifeAct, of name: String?) {
        let lines = files.campaigns.filter { name == nil || $0.name == name }.map(\.line)
        if act == .pause { paused.formUnion(lines) } else { paused.subtract(name == nil ? Array(paused) : lines) }
    }

    /// What the state says is paused, also because a person has stopped a run.
    var recordedPauses: Set<Int> {
        let pauses = known.state.pauses
        if pauses.everything { return Set(files.campaigns.map(\.line)) }
        return Set(pauses.campaigns.compactMap { campaign(recordedAs: $0)?.line })
    }

    /// Nothing starts of a campaign that was paused when the run began, or that a guard refused in the plan which has
    /// the occurrence first.
    func checkHeldBack(_ campaign: LifeFiles.Campaign, _ id: OccurrenceID?, _ content: LifeRun.Content) throws {
        if pausedBefore.contains(campaign.line) {
            throw LifeProblem(promise: "sends nothing while it is paused", words: "\(id?.rawValue ?? campaign.name)")
        }
        guard let id, let place = content.plans.firstIndex(where: { $0.plan.sends(id) }) else { return }
        let refusals = place == 0 ? content.course?.leftOut ?? [] : content.plans[place].plan.refusals
        let lists = refusals.isEmpty ? [] : runFiles.lists(of: campaign)
        let refusal = refusals.first { refusal in
            switch refusal.kind {
            case .audienceCollapse, .audienceGrowth, .staleList: lists.contains(refusal.name)
            case .maxUnsubscribePercent: runFiles.reaches(refusal.subject, with: campaign)
            case .foreignGroup: false
            default: refusal.name.isEmpty || refusal.name == campaign.name
            }
        }
        if let refusal {
            throw LifeProblem(
                promise: "sends nothing that a guard refuses",
                words: "\(id), although \(refusal.kind.rawValue) \(refusal.name)")
        }
    }

    /// What nobody overrides lets a run do nothing at all.
    func checkBlocked(_ content: LifeRun.Content) throws {
        guard let refusal = content.course?.blocking.first, let call = fcm.calls.first else { return }
        throw LifeProblem(
            promise: "does nothing that a guard refuses", words: "\(refusal.kind.rawValue), and yet \(call)")
    }
}

extension LifeFiles {
    /// Whether one request goes to a topic or group, also as it was called before.
    fileprivate func reaches(_ subject: Plan.Subject?, with campaign: Campaign) -> Bool {
        switch subject {
        case .group(let name)?: return campaign.target == .group(name) && campaign.members == .key
        case .topic(let name)?:
            let renamed = topics.filter { $0.name == name || $0.previousNames.contains(name) }
            return renamed.contains { campaign.target.topics.contains($0.line) }
        case nil: return false
        }
    }

    /// The audiences that decide who gets a campaign.
    fileprivate func lists(of campaign: Campaign) -> Set<String> {
        let isSubject = { (line: Int) in topics.first { $0.line == line }.map { Plan.Subject.topic($0.name) } }
        let subjects: [Plan.Subject?]
        var own = [campaign.staged?.seeds].compactMap(\.self)
        switch campaign.target {
        case .audience(let name):
            subjects = []
            own += [name] + campaign.exclude
        case .topic(let line): subjects = [isSubject(line)]
        case .condition(let line, let other): subjects = [isSubject(line), isSubject(other)]
        case .group(let name): subjects = [.group(name)]
        }
        return lists(from: own + suppress).union(subjects.compactMap(\.self).flatMap(lists))
    }
}

extension DailyHours {
    /// The last instant of a time at which they are closed. `nil` if they are open all the time.
    fileprivate func lastClosed(in span: ClosedRange<Date>, in zone: Zone) -> Date? {
        var instant = span.lowerBound
        var closed = isOpen(at: instant, in: zone) ? nil : instant
        while let until = standing(at: instant, in: zone).until, until <= span.upperBound {
            if !isOpen(at: until, in: zone) || closed != nil { closed = until }
            instant = until
        }
        return closed
    }
}

extension Plan {
    /// Whether it has a step that sends the occurrence.
    fileprivate func sends(_ id: OccurrenceID) -> Bool { steps.contains { $0.id == .send(id) } }
}
