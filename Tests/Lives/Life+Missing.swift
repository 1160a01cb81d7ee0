import FCM
import HeraldTestSupport

@testable import HeraldCore

/// What a run does not send any more, and says so.
extension Life {
    /// A firing is missed only if it came too late, or if its schedule lost its time after it had begun. One that a later firing
    /// takes the place of is no failure.
    func checkMissed(_ content: LifeRun.Content) throws {
        var known: Set<OccurrenceID> = []
        for plan in content.plans.map(\.plan) {
            defer {
                known.formUnion(
                    plan.steps.compactMap { if case .send(let send) = $0.work { send.occurrence } else { nil } })
            }
            // Of what a run is sending, it does not tell what a later look finds.
            for missed in plan.missed where !known.contains(missed.occurrence) {
                guard let campaign = campaign(of: missed) else { continue }
                if !isForgiven, isKeptByStage(missed, campaign, at: plan.at) {
                    throw LifeProblem(
                        promise: "misses nobody for a closed stage", words: "\(missed.occurrence): \(missed.reason)")
                }
                if isInTime(missed, campaign, in: plan) {
                    throw LifeProblem(
                        promise: "misses what is not too late", words: "\(missed.occurrence): \(missed.reason)")
                }
            }
        }
    }

    private func isInTime(_ missed: Plan.Missed, _ campaign: LifeFiles.Campaign, in plan: Plan) -> Bool {
        // A cron that lost its field is too late at once for what its one instant had passed then, or what a fast clock
        // dealt with.
        let clock = clocks[campaign.line]
        let hasLostField = clock?.left[""] != nil
        let due = missed.occurrence.localDue ?? missed.due
        let line = lines[campaign.line]
        let silenced = plan.silenced.first { $0.campaign == campaign.name }?.until ?? line?.silenced
        let times = [line?.edited, silenced, clock?.passed].compactMap(\.self)
        if hasLostField, times.contains(where: { due <= $0 }) { return false }
        let ends = [end(of: campaign, after: due), campaign.expiresAfter.map(due.adding)].compactMap(\.self)
        return !campaign.isInLocalTime && campaign.catchUp != .none && ends.allSatisfy { plan.at < $0 }
            && !campaign.due.hasLost(due)
    }

    /// The campaign that it is of, as the run read it. Another one may have had the name in its id before.
    func campaign(of missed: Plan.Missed) -> LifeFiles.Campaign? {
        let recorded = missed.unrecorded ?? known.state.occurrences[missed.occurrence]
        let line = campaign(recordedAs: recorded?.campaign ?? missed.occurrence.campaign)?.line
        return runFiles.campaigns.first { $0.line == line }
    }

    /// Who is missed in local time was too late by every clock that they had since. Seeds go by no clock of their own.
    func checkTooLate(_ person: RecipientKey, for key: Key, _ campaign: LifeFiles.Campaign) throws {
        // With `catch_up: none`, what no run was there for is missed much earlier.
        guard campaign.isInLocalTime, !(campaign.isDaily && campaign.catchUp == .none), !isForgiven,
            !runFiles.seeds(of: campaign).contains(person),
            let instant = instants(of: key, campaign, for: person).min()
        else { return }
        let ends = [end(of: campaign, for: person, after: instant), campaign.expiresAfter.map(instant.adding)]
        let end = ends.compactMap(\.self).min() ?? instant
        guard now < end else { return }
        throw LifeProblem(
            promise: "misses what is not too late",
            words: "\(words(key)) ('\(campaign.name)') leaves out \(number(of: person)) before \(end.rfc3339)")
    }

    /// Who is missed was too late since the occurrence was due, and since their stage opened, not counting the time in
    /// which their window was closed.
    func checkTooLate(
        _ members: RecipientSet, of id: OccurrenceID, _ campaign: LifeFiles.Campaign, at date: Date
    ) throws {
        // With `catch_up: none`, what no run was there for is missed much earlier. What began by another kind of time
        // waits for a person.
        guard campaign.expiresAfter == nil, !(campaign.isInLocalTime && campaign.catchUp == .none), !isForgiven,
            let occurrence = known.state.occurrences[id], campaign.isInLocalTime == (occurrence.local != nil),
            let due = occurrence.local?.firstInstant ?? occurrence.due
        else { return }
        let opening = campaign.staged == nil ? nil : openings[id]
        let start = opening?.start(due: due, campaign.maxLateness) ?? due
        // No window keeps seeds waiting.
        let (people, seeds) = (known.installations(of: members), runFiles.seeds(of: campaign))
        var ends = people.subtracting(seeds).map { self.end(of: campaign, for: $0, after: start) }
        if members.contains(0) { ends.append(self.end(of: campaign, for: nil, after: start)) }
        if !people.isDisjoint(with: seeds) { ends.append(start.adding(campaign.maxLateness)) }
        guard let end = ends.min(), date < end else { return }
        throw LifeProblem(
            promise: "misses what is not too late",
            words: "\(id) ('\(campaign.name)') leaves out \(members.count) at \(date.rfc3339), before \(end.rfc3339)")
    }

    /// Whatever a report names as missed is never sent. A report outlives the process.
    func noteMissed(_ run: LifeRun) {
        guard run.now.report != nil || !run.isDead, !run.now.isRefused else { return }
        for silenced in run.now.plans.flatMap(\.plan.silenced) {
            // The warning named the command that sets it right.
            guard let line = files.campaigns.first(where: { $0.name == silenced.campaign })?.line else { continue }
            let mark = lines[line]?.mark ?? silenced.until
            lines[line]?.mark = max(silenced.until, mark)
            lines[line]?.silenced = silenced.until
            lines[line]?.owed = []
        }
        // What a plan leaves out after an edit, it names in a warning.
        let warnings = run.now.plans.flatMap(\.overview.warnings)
        let leaving = warnings.filter(LifeTold.leavesOut)
        for (line, known) in lines {
            for due in known.owed.union(
                leaving.compactMap { OccurrenceID(rawValue: String($0.prefix { $0 != " " })).due })
            where known.names.contains(where: { name in leaving.contains { $0.hasPrefix("\(name)@\(due.rfc3339)") } }) {
                end(Key(line: line, due: due))
            }
        }
        noteEndsByClock(warnings)
        run.now.plans.forEach { notePassedOver($0.overview.warnings, at: $0.plan.at) }
        for missed in run.now.plans.flatMap({ $0.plan.missed + $0.plan.superseded + $0.plan.joinedLate }) {
            guard let campaign = campaign(of: missed) else { continue }
            let revision = missed.unrecorded?.revision ?? campaign.revision
            end(
                campaign.isDaily
                    ? Key(line: campaign.line, due: missed.occurrence.localDue ?? missed.due)
                    : Key(line: campaign.line, revision: revision))
        }
    }

    /// An occurrence that is missed is told by one report: by that of the run that records it.
    func checkToldOnce(_ run: LifeRun) throws {
        guard let report = run.now.report, !run.isDead, !isForgiven else { return }
        // That the rest of it is too late as well is told apart.
        for missed in report.missedOccurrences where !missed.isPartial {
            if toldMissed.contains(missed.occurrence) {
                throw LifeProblem(
                    promise: "tells once what was missed", words: "\(missed.occurrence): \(missed.reason)")
            }
            if run.now.mishaps.isEmpty { toldMissed.insert(missed.occurrence) }
        }
    }

    /// With the commit after which no run finds it again, the state notes for people what is too late. What the run had
    /// begun before that just ends.
    func noteMissedNews(_ content: LifeRun.Content) {
        // By a wrong clock it may be older than a day: nobody is told any more.
        guard skew == 0 else { return tellings.owedMissed = [:] }
        guard !settings.webhooks.isEmpty else { return }
        let plans = content.plans.map(\.plan)
        let begun = Set(
            plans.flatMap { plan in
                Set(plan.steps.map(\.id)).subtracting(plan.missed.map { .send($0.occurrence) })
            })
        let missed = Set(
            plans.flatMap(\.missed).filter { !begun.contains(.send($0.occurrence)) && isPassed($0) }.map(\.occurrence))
        for case .finish(let id, let date) in content.notes.flatMap(\.changes) where missed.contains(id) {
            for number in hooks.indices where tellings.toldMissed[number]?[id] == nil {
                tellings.owedMissed[number, default: [:]][id] = date
            }
        }
    }

    /// Whether no run finds it again. If the run died before it wrote the watermark, the next one does, perhaps under
    /// another name of its campaign.
    private func isPassed(_ missed: Plan.Missed) -> Bool {
        let mark = known.state.watermarks[missed.occurrence.campaign]?.at ?? .distantPast
        return known.state.occurrences[missed.occurrence] != nil || missed.due <= mark
    }

    /// A hook knows of everything that was too late, also if the run died that found it.
    func judgeMissedNews(_ hook: Webhook, _ number: Int) throws {
        let owed = tellings.owedMissed.removeValue(forKey: number) ?? [:]
        guard hook.changes.contains(.missed) else { return }
        if let one = owed.filter({ $0.value > now - 86_300 }).keys.min() {
            throw LifeProblem(promise: "tells all that is missed", words: "hook \(number) was not told of \(one)")
        }
    }

    /// What has lost its field ends without those whose clock was ahead. A warning says so.
    private func noteEndsByClock(_ warnings: [String]) {
        for text in warnings where text.contains(" ends: whoever's clock had not reached it") {
            let id = OccurrenceID(rawValue: String(text.prefix { $0 != " " }))
            guard let occurrence = known.state.occurrences[id],
                let campaign = campaign(recordedAs: occurrence.campaign)
            else { continue }
            end(key(of: campaign, recorded: occurrence))
        }
    }
}

extension LifeTellings {
    mutating func noteMissed(_ notice: JSONValue, at hook: Int) throws {
        // That the rest of it is too late as well is told apart.
        if notice["sentence"]?.string?.contains("not sent to everybody") == true { return }
        let id = OccurrenceID(rawValue: notice["occurrence"]?.string ?? "")
        owedMissed[hook]?[id] = nil
        let notices = toldMissed[hook, default: [:]].updateValue(notice["id"]?.string ?? "", forKey: id)
        if let known = notices, known != notice["id"]?.string, !isForgotten {
            throw LifeProblem(promise: "tells once what was missed", words: "hook \(hook) was told of \(id) again")
        }
    }

    /// What was missed of campaigns with these names comes due again, and may be missed again.
    mutating func forgetMissed(of names: Set<String>) {
        toldMissed = toldMissed.mapValues { $0.filter { !names.contains($0.key.campaign) } }
    }
}

extension OccurrenceID {
    /// The name in it: the campaign's when it began.
    var campaign: String { rawValue.split(separator: "@").first.map(String.init) ?? "" }

    /// The time in it.
    var due: Date? {
        let text = rawValue.split(separator: "@").last ?? ""
        return Date(rfc3339: String(text.prefix { $0 != "#" })) ?? localDue
    }

    /// The time in it, for one in local time.
    var localDue: Date? {
        let text = (rawValue.split(separator: "@").last ?? "").prefix { $0 != "#" }
        return LocalTime(written: String(text)).map { Date(timeIntervalSince1970: Double($0.secondsAsUTC)) }
    }
}

extension RecordedOccurrence {
    /// When a clock in UTC shows its time, for one in local time.
    var shownDue: Date? { local.map { Date(timeIntervalSince1970: Double($0.secondsAsUTC)) } ?? due }
}
