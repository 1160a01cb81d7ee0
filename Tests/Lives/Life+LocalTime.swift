import FCM
import HeraldTestSupport

@testable import HeraldCore

/// Campaigns in local time, judged by each person's own clock: nobody gets it before a clock of theirs shows the time,
/// everybody gets it once, and whom it misses is told.
///
/// A local time is kept as the instant at which a clock in UTC shows it.
extension Life {
    /// When the clock of somebody shows a local time.
    static func instant(of local: Date, in zone: String?) -> Date {
        let time = LocalTime(secondsAsUTC: Int(local.timeIntervalSince1970))
        switch LifeFiles.zone(zone).instants(of: time) {
        case .one(let instant), .gap(let instant), .overlap(let instant, _): return instant
        }
    }

    /// The instants at which one of the clocks that somebody had shows the time of a firing. Seeds go by no clock of their
    /// own.
    func instants(of key: Key, _ campaign: LifeFiles.Campaign, for person: RecipientKey) -> [Date] {
        guard let local = key.due ?? campaign.at else { return [] }
        var zones = clocks[campaign.line]?.zones[person] ?? []
        // Nor do those who were seeds when a run fixed the first wave.
        let waited = clocks[campaign.line]?.sight.people[person]?.waited
        let wasSeed = waited.map { $0.adding(.seconds(120)) >= begun[key]?.at ?? .distantFuture } ?? false
        if wasSeed || runFiles.seeds(of: campaign).contains(person) { zones.formUnion(LifeFiles.zoneNames + [nil]) }
        // Who lost the field's time on the way may get it a day later (`if_passed`).
        return zones.flatMap { zone in
            let first = Self.instant(of: local, in: zone)
            return campaign.isDaily ? [first] : [first, Self.instant(of: local + 86_400, in: zone)]
        }
    }

    /// Everybody gets what their own clock has reached, or is told of.
    ///
    /// - Parameters:
    ///   - isTold: whether the run said something of a firing.
    ///   - waits: whether it said that some wait for their window.
    func judgeClocks(
        of campaign: LifeFiles.Campaign, at now: Date, isTold: (Key) -> Bool, waits: (Key) -> Bool
    ) throws {
        guard var own = clocks[campaign.line], own.isSending else { return }
        defer { clocks[campaign.line] = own }
        (own.sight.isSeen, own.wasInstant) = (true, false)
        owe(campaign, &own, at: now)
        let reachable = reachable
        for (key, people) in own.sight.owed.sorted(by: { words($0.key) < words($1.key) }) {
            if lines[campaign.line]?.over.contains(key) == true {
                own.sight.owed[key] = nil
                continue
            }
            let got = Set((delivered[key] ?? [:]).keys).union(excused[key] ?? [])
            let left = people.filter { person, instant in
                !got.contains(person) && reachable.contains(person)
                    && campaign.end(after: instant) > own.sight.passedOver
            }
            own.sight.owed[key] = left.isEmpty ? nil : left
            let expiry = { (instant: Date) in campaign.expiresAfter.map(instant.adding) ?? .distantFuture }
            let late = left.filter { person, instant in
                now > end(of: campaign, for: person, after: instant) || now >= expiry(instant)
            }
            if isTold(key) {
                for person in late.keys { own.sight.owed[key]?[person] = nil }
                continue
            }
            // What expires while a run sends it, or before its turn, is told by the next one.
            let owed = left.filter { person, instant in
                let isExpiring = now < expiry(instant) && now.adding(.seconds(120)) > expiry(instant)
                return !isExpiring && (!waits(key) || !isClosed(campaign, for: [person], at: now))
            }
            guard let one = owed.keys.map({ number(of: $0) }).min() else { continue }
            throw LifeProblem(
                promise: late.isEmpty ? "loses nobody by their clock" : "misses nobody by their clock without a word",
                words: "\(words(key)) ('\(campaign.name)') was not sent to \(one), and nothing says so")
        }
    }

    /// Notes whose clock has come to what since all was judged, also while no run looked.
    private func owe(_ campaign: LifeFiles.Campaign, _ own: inout Clocks, at now: Date) {
        let (ends, strangers) = records(of: campaign)
        let (seeds, guests) = (runFiles.seeds(of: campaign), runFiles.guests(of: campaign))
        // Where all of the target are seeds, each goes by their own clock, and guests with the first of them.
        let targets = own.sight.people.filter { !guests.contains($0.key) }
        let plain = targets.filter { !seeds.contains($0.key) }
        // What has begun keeps its time when a cron loses it.
        let begunTimes = campaign.isDaily ? own.sight.begins.keys.compactMap(\.due) : []
        for (person, clock) in own.sight.people {
            own.sight.people[person]?.mark = max(now, clock.mark)
            // On any clock of the world.
            let (from, through) = (clock.mark - 50_400, now + 50_400)
            let locals = Set(campaign.due.firings(after: from, through: through))
                .union(begunTimes.filter { $0 > from && $0 <= through })
            for local in locals {
                let key = campaign.isDaily ? Key(line: campaign.line, due: local) : self.key(of: campaign, nil)
                let (first, floor) = own.start(of: key, isCron: campaign.isDaily)
                // Who became a seed after it began goes by their own clock all the same. A guest has none.
                let isLateSeed = own.isLateSeed(clock, of: key)
                if isLateSeed, guests.contains(person) { continue }
                let isFirst = !isLateSeed && (begun[key].map { $0.at >= now } ?? true)
                // Only who was seen before their clock came to it makes a wave. Who joined late is no part of it.
                let zonesOf = { (people: [RecipientKey: Clock]) in
                    let zones = people.values.filter { Self.instant(of: local, in: $0.zone) > max($0.since, floor) }
                    return Set(zones.map(\.zone))
                }
                let plainZones = zonesOf(plain)
                let others = plainZones.isEmpty ? zonesOf(targets) : plainZones
                // Seeds in the target get it with the first of the others.
                let isWithFirst =
                    guests.contains(person) || seeds.contains(person) && !plainZones.isEmpty && isFirst
                // With a list of nothing but dead there is no wave that guests could start with.
                let none: Set<String?> = files.target(of: campaign)?.isEmpty == true ? [nil] : []
                // Who waited for the first of others who are seeds by now starts with whoever comes next.
                let waited = isFirst && !isWithFirst && seeds.contains(person) ? clock.waited : nil
                let isLeft = waited.map { Self.instant(of: local, in: clock.zone) <= $0 } ?? false
                let zones = isWithFirst && targets.isEmpty ? none : isWithFirst || isLeft ? others : [clock.zone]
                let instants = zones.map { Self.instant(of: local, in: $0) }
                    .filter { instant in !isLeft || waited.map { instant > $0 } ?? true }
                guard let instant = instants.min(), instant > max(clock.mark, own.passed, floor), instant <= now,
                    local - 50_400 > first, !strangers.contains(key)
                else { continue }
                // Who comes when it is over, or when it has begun by another schedule, is no part of it.
                if let end = ends[key], end <= clock.met { continue }
                if let begin = begun[key]?.at, begin < first { continue }
                own.sight.owed[key, default: [:]][person] = instant
            }
            guard !seeds.contains(person), !guests.contains(person) else { continue }
            oweNextDay(campaign, &own, to: person, clock, ends, strangers, at: now)
        }
    }

    /// Whose clock had passed what is due once for too long when it was seen first gets it a day later (`if_passed`).
    private func oweNextDay(
        _ campaign: LifeFiles.Campaign, _ own: inout Clocks, to person: RecipientKey, _ clock: Clock,
        _ ends: [Key: Date], _ strangers: Set<Key>, at now: Date
    ) {
        guard let local = campaign.at, campaign.mayWaitADay, own.sight.limits == limits(of: campaign) else { return }
        let key = key(of: campaign, nil)
        // A run that died may have seen it before.
        let first = min(own.sight.first, known.snapshot.watermarks[campaign.name]?.first ?? own.sight.first)
        let (passed, instant) = (
            Self.instant(of: local, in: clock.zone), Self.instant(of: local + 86_400, in: clock.zone)
        )
        guard end(of: campaign, for: person, after: passed).adding(.seconds(120)) < first,
            instant > max(clock.mark, clock.since, own.passed), instant <= now, !strangers.contains(key),
            ends[key].map({ $0 > clock.met }) ?? true, begun[key].map({ $0.at >= own.sight.first }) ?? true
        else { return }
        own.sight.owed[key, default: [:]][person] = instant
    }

    /// What limits how late somebody may get it.
    func limits(of campaign: LifeFiles.Campaign) -> String {
        "\(campaign.maxLateness) \(campaign.expiresAfter.map { "\($0)" } ?? "") \(window(of: campaign)?.text ?? "")"
    }

    /// When firings of the campaign in local time ended, and which have begun by a schedule that it does not have now.
    /// Those wait for a person, and are for nobody whose clock comes to them.
    private func records(of campaign: LifeFiles.Campaign) -> (ends: [Key: Date], strangers: Set<Key>) {
        var (ends, strangers): ([Key: Date], Set<Key>) = ([:], [])
        for occurrence in known.snapshot.occurrences.values
        where self.campaign(recordedAs: occurrence.campaign)?.line == campaign.line && !occurrence.isUnbegun {
            let key = key(of: campaign, recorded: occurrence)
            if occurrence.local == nil || !campaign.isDaily && occurrence.shownDue != campaign.at {
                strangers.insert(key)
            } else if let end = occurrence.finished {
                ends[key] = max(end, ends[key] ?? end)
            }
        }
        return (ends, strangers)
    }

    /// Whose clock has reached a firing and who is in none of its waves came, or moved, too late: a plan counts them. What is
    /// due once leaves out others, too.
    func judgeJoinedLate(_ content: LifeRun.Content) throws {
        guard let plan = content.plans.first?.plan else { return }
        for case .send(let send) in plan.steps.filter({ $0.refusal == nil }).map(\.work) {
            guard let waves = send.waves, let recorded = known.state.occurrences[send.occurrence],
                let campaign = files.campaigns.first(where: { $0.name == send.campaign && $0.isDaily })
            else { continue }
            let local = Date(timeIntervalSince1970: Double(waves.local.secondsAsUTC))
            let living = Set(files.listed.subtracting(deadBefore).map(\.recipientKey))
            let target = (files.target(of: campaign) ?? []).intersection(living)
            let people = target.subtracting(known.installations(of: recorded.waves.all))
                .filter { Self.instant(of: local, in: files.zones[$0]) <= plan.at }
            let shown = content.report?.steps.first { $0.id == .send(send.occurrence) }?.joinedLate
            if waves.joinedLate != people.count || shown != people.count {
                throw LifeProblem(
                    promise: "counts who joined late",
                    words: "\(send.occurrence): \(waves.joinedLate), in the report \(shown ?? -1), not \(people.count)")
            }
        }
    }

    // MARK: People

    /// Somebody travels, or their row loses its zone.
    func travel(_ random: inout SeededRandom) {
        let person = Registration.fid(.random(in: 0..<population, using: &random)).recipientKey
        let isKnown = Int.random(in: 0..<6, using: &random) > 0
        files.zones[person] = isKnown ? LifeFiles.zoneNames.randomElement(using: &random) : nil
        tell("\(number(of: person)) is in \(files.zones[person] ?? "no zone")")
    }

    /// The author has a campaign go by each person's own clock, or not any more.
    func toggleLocalTime(_ random: inout SeededRandom) {
        guard let place = files.campaigns.indices.randomElement(using: &random) else { return }
        let old = files.campaigns[place]
        files.campaigns[place].isLocal.toggle()
        noteClock(of: files.campaigns[place], insteadOf: old)
        tell("\(old.name): \(old.isLocal ? "the same time for all" : "local time")")
    }

    /// Another target, another way to reach a group or more times a day may have a campaign go by people's own clocks, or
    /// not any more. That is an edit of its time.
    func noteClock(of campaign: LifeFiles.Campaign, insteadOf old: LifeFiles.Campaign) {
        guard campaign.isInLocalTime != old.isInLocalTime else { return }
        lines[campaign.line]?.edited = now
        lines[campaign.line]?.owed = []
    }
}

extension LifeFiles {
    /// From the first clock of the world to one of the last.
    static let zoneNames = [
        "Pacific/Kiritimati", "Asia/Tokyo", "Asia/Kolkata", "Europe/Rome", "+02:00", "America/New_York",
        "Pacific/Honolulu",
    ]

    /// - Parameter name: `nil` for somebody whose row has none.
    static func zone(_ name: String?) -> Zone { name.flatMap { zones[$0] } ?? .utc }

    private static let zones = Dictionary(
        zoneNames.compactMap { name in Zone(written: name).map { (name, $0) } }, uniquingKeysWith: { $1 })
}

extension LifeFiles.Campaign {
    /// Whether its file says so. One request to many has one time, and a day has four at most.
    var isInLocalTime: Bool {
        guard isLocal, due != .once, isForEach, follows == nil else { return false }
        if case .daily(_, let hours) = due { return hours.count <= Schedule.mostADay }
        return true
    }

    /// What becomes of people whose clock had passed it. No edit changes it.
    var ifPassed: LocalSchedule.IfPassed { line.isMultiple(of: 3) ? .nextDay : .skip }

    var mayWaitADay: Bool { !isDaily && ifPassed == .nextDay }

    /// What decides when it comes to whom. Another target is another list.
    var localText: String { isDaily ? "\(due)" : "\(due) \(revision)" }

    /// Until when somebody may get it whose clock came to it then.
    func end(after instant: Date) -> Date {
        [maxLateness, expiresAfter].compactMap(\.self).map(instant.adding).min() ?? instant
    }

    /// As occurrences in its time are called.
    func words(for due: Date) -> String { isInLocalTime ? String(due.rfc3339.prefix(16)) : due.rfc3339 }

    /// When somebody's clock shows its time next, within a day.
    func nextInstant(after now: Date) -> Date? {
        guard isInLocalTime else { return due.firings(after: now, through: now + 86_400).first }
        var locals = due.firings(after: now - 50_400, through: now + 86_400)
        if mayWaitADay {
            locals += due.firings(after: now - 136_800, through: now).map { $0 + 86_400 }
        }
        return locals.flatMap { local in LifeFiles.zoneNames.map { Life.instant(of: local, in: $0) } }
            .filter { $0 > now && $0 <= now + 86_400 }.min()
    }
}
