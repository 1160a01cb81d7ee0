/// Sorts a campaign's list by the instants at which its people's clocks reach an occurrence in local time.
///
/// The first run at or after an instant fixes who is in its wave: everybody who has such a zone then, and is in no earlier
/// wave. Who comes later is no part of the occurrence.
struct WaveSorting {
    private(set) var waves: Plan.Waves
    /// Those of them to whom nothing is sent, whatever happens.
    private(set) var skipped = Partition<SkipReason>()
    /// Those whose clock has not reached it, and to whom nothing is sent then.
    private(set) var skippedAhead = Partition<SkipReason>()
    /// Those whose clock had passed it for too long when the campaign was first seen.
    private(set) var passed = RecipientSet()
    /// Those who get it a day later for that reason.
    private(set) var leftToNextDay = RecipientSet()
    /// Whose wave no run can fix yet, because nobody knows who is in an audience. They are in none.
    private(set) var undecided = RecipientSet()
    /// Whether it is for all who are listed since a person let it go on with another target.
    private(set) var isForOthers = false
    /// Those of them who had no part in it before, and whose clock had come to it by then.
    private var newcomers = RecipientSet()
    /// Whether it is too late for some of these.
    private(set) var leavesOut = false
    /// How many joined after their wave, by the names of zones.
    private var late: [String: Int] = [:]
    /// Seeds of the target whose own clock had passed it before anybody was sent it, by the names of zones.
    private var past: [String: RecipientSet] = [:]
    /// How many of them have no wave that they could start with: nobody else is left.
    private var leftSeeds = 0

    /// - Parameters:
    ///   - recorded: the occurrence, if the state knows it and it is open.
    ///   - isForecast: whether only sizes are known of it.
    init(
        _ local: LocalTime, of wanted: DesiredSend, _ recorded: RecordedOccurrence?,
        _ progress: Progress, isForecast: Bool, at now: Date
    ) {
        waves = Plan.Waves(local: local)
        waves.nextMark = (recorded?.unseen).map { max($0, now) }
        let known = recorded?.waves ?? Partition()
        waves.reached = known.without { $0 > now }
        // A clock that was fast has fixed who is in these.
        for instant in known.states where instant > now { waves.ahead.move(known[instant], to: instant) }
        let (inWave, begun) = (known.all, recorded?.hasBegun == true)
        let partakers = begun ? recorded?.classes.all ?? [] : []
        // An occurrence of which nobody knows whom it is for is for everybody who is listed.
        let isForAll =
            (begun || isForecast && recorded != nil) && partakers.isEmpty && !(isForecast && recorded?.isDone == true)
        let standing = Standing(
            local: local, wanted: wanted, progress: progress, known: known, inWave: inWave, partakers: partakers,
            holdouts: begun ? wanted.holdouts : [], hasBegun: begun, isForAll: isForAll,
            isClosed: recorded?.isReopened == true,
            former: isForAll && !isForecast && !known.isEmpty ? recorded?.ledger?.entries.all : nil,
            fixed: max(recorded?.unseen ?? progress.mark, waves.reached.states.max() ?? .distantPast), now: now)
        isForOthers = standing.former != nil
        var sizes: [Date: [String: Int]] = [:]
        let newSeeds = begun && !isForAll ? progress.seeds.subtracting(partakers).subtracting(inWave) : []
        // Where nobody else takes part, there is no other wave that seeds could start with: those of the target go by their
        // own clocks. Guests start with the first of them, and so does whose own clock had passed it.
        var alone = RecipientSet()
        for (zone, here) in progress.clocks(with: newSeeds) { sort(here, in: zone, standing, &sizes) }
        // Seeds start with no wave that nobody of the list is in any more, and with none of another target.
        let gone = begun ? (isForOthers ? inWave : []) : progress.gone(from: known.all)
        if !begun, !hasWave(besides: gone) {
            for (zone, here) in progress.seedClocks {
                alone.formUnion(here)
                sort(here, in: zone, standing, &sizes)
            }
        }
        let seeds = progress.seeds.subtracting(inWave).subtracting(alone).union(takePast(besides: gone))
        // Nobody knows with which wave a forecast's seeds went, who became one later and goes by their own clock, or
        // who was none yet when a run fixed their wave. It is not too late for those of the last wave.
        add(
            seeds: begun ? (isForAll ? seeds : seeds.intersection(partakers)) : seeds, isFresh: !begun,
            to: isForecast && recorded != nil ? lastReached(standing) : nil, besides: gone)
        for instant in waves.reached.states {
            waves.unrecorded.move(waves.reached[instant].subtracting(known[instant]), to: instant)
        }
        // Recorded holdouts stay so, and so does whose row was bad when their wave was fixed.
        if wanted.campaign.content.personal != nil {
            let out = isForAll ? [] : inWave.subtracting(partakers)
            let former = begun ? recorded?.classes.members(where: \.isHoldout).union(out) ?? [] : []
            waves.unsent = wanted.members.subtracting(wanted.reached).subtracting(partakers).union(former)
        }
        waves.unsent.formUnion(skippedAhead.all)
        waves.zones = sizes.mapValues { sizes in
            sizes.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        }
    }

    /// What is the same for all of the list.
    private struct Standing {
        let local: LocalTime
        let wanted: DesiredSend
        let progress: Progress
        /// Who is in which wave, as it is recorded.
        let known: Partition<Date>
        /// All of those.
        let inWave: RecipientSet
        /// Whom it is for since it began.
        let partakers: RecipientSet
        let holdouts: RecipientSet
        let hasBegun: Bool
        let isForAll: Bool
        /// Once it has ended, nobody joins it.
        let isClosed: Bool
        /// Who had a part in it while it had another target. `nil` if it always had this one, or if that is not known.
        let former: RecipientSet?
        /// Until when who is in a wave is fixed.
        let fixed: Date
        let now: Date

        /// Whether nobody joins it before it is known who is in an audience.
        var isUndecided: Bool { hasBegun && !wanted.undecidedByOthers.isEmpty }
    }

    /// - Parameters:
    ///   - here: those of the list with that zone.
    ///   - sizes: how many there are in each wave, by the names of zones.
    private mutating func sort(
        _ here: RecipientSet, in zone: Zone, _ standing: Standing, _ sizes: inout [Date: [String: Int]]
    ) {
        let (campaign, partakers) = (standing.wanted.campaign, standing.partakers)
        let reaching = standing.progress.reaching(standing.local, in: zone)
        let instant = reaching?.instant ?? campaign.schedule.reaching(standing.local, in: zone).instant
        for wave in standing.known.states {
            let size = standing.known[wave].intersection(here).count
            if size > 0 { sizes[wave, default: [:]][zone.name] = size }
        }
        var others = standing.inWave.isEmpty ? here : here.subtracting(standing.inWave)
        if standing.isClosed {
            let free = others.subtracting(partakers)
            if instant <= standing.now { waves.joinedLate += free.subtracting(standing.holdouts).count }
            others = others.intersection(partakers)
        }
        if others.isEmpty { return }
        let owed = standing.isForAll ? others : others.intersection(partakers)
        let free = others.subtracting(owed)
        if instant > standing.now {
            waves.ahead.move(others, to: instant)
            if let reason = reaching?.fate.reason { skippedAhead.move(free, to: reason) }
            let isADayLater =
                campaign.schedule.mayWaitADay && instant > campaign.schedule.reaching(standing.local, in: zone).instant
            if isADayLater { leftToNextDay.formUnion(free) }
            sizes[instant, default: [:]][zone.name, default: 0] += others.count
            return
        }
        waves.reached.move(owed, to: instant)
        if let former = standing.former, instant <= standing.fixed {
            newcomers.formUnion(owed.subtracting(former).subtracting(standing.holdouts))
        }
        var joining = RecipientSet()
        if reaching == nil {
            passed.formUnion(free)
        } else if instant > standing.fixed, standing.isUndecided {
            undecided.formUnion(free)
        } else if instant > standing.fixed {
            joining = free
            waves.reached.move(free, to: instant)
            waves.fresh.formUnion(free)
            skip(free, reaching?.fate, since: instant, standing.progress.patience, standing.now)
        } else {
            let seeds = standing.hasBegun ? [] : free.intersection(standing.wanted.seeds)
            if !seeds.isEmpty { past[zone.name, default: []].formUnion(seeds) }
            // Nobody knows yet who of the list it is for.
            if !standing.isUndecided {
                noteLate(free.subtracting(seeds).subtracting(standing.holdouts).count, in: zone.name)
            }
        }
        sizes[instant, default: [:]][zone.name, default: 0] += owed.count + joining.count
    }

    /// Whoever only another target has, and for whose wave it was too late when a person let it go on, joined after that.
    ///
    /// - Parameters:
    ///   - waited: when nobody could start (`WindowWaits`).
    ///   - instant: when that person did. Whom runs have kept waiting since then, they miss.
    mutating func leaveOutLate(
        of wanted: DesiredSend, _ recorded: RecordedOccurrence, waited: Date?, by instant: Date
    ) {
        // A stage may have kept them waiting.
        if newcomers.isEmpty || wanted.campaign.delivery.stages != nil || !recorded.stages.isEmpty { return }
        let late = tooLate(newcomers, of: wanted, suspended: recorded.suspended, waited: waited, at: instant)
        waves.reached.move(late, to: nil)
        waves.unrecorded.move(late, to: nil)
        waves.joinedLate += late.count
        leavesOut = !late.isEmpty
    }

    /// Those of the members for whose wave it is too late, each by their own window.
    ///
    /// - Parameters:
    ///   - suspended: when their window closed while a run was sending.
    ///   - waited: when nobody could start (`WindowWaits`).
    func tooLate(
        _ members: RecipientSet, of wanted: DesiredSend, suspended: Date? = nil, waited: Date?, at now: Date
    ) -> RecipientSet {
        var result = RecipientSet()
        for instant in waves.reached.states {
            let here = waves.reached[instant].intersection(members)
            if here.isEmpty { continue }
            let clocks = wanted.windowZones(of: here)
            let parts: [([Zone], RecipientSet)] = clocks.isEmpty ? [([], here)] : clocks.map { ([$0.key], $0.value) }
            for (zones, people) in parts {
                let limits = wanted.campaign.limits(due: instant, suspended: suspended, waited: waited, in: zones)
                if limits.lateness(at: now) != nil { result.formUnion(people) }
            }
        }
        return result
    }

    private mutating func noteLate(_ count: Int, in zone: String) {
        waves.joinedLate += count
        if count > 0 { late[zone, default: 0] += count }
    }

    /// Their clocks do not count where there is a wave that they can start with. Where there is none, they joined late.
    private mutating func takePast(besides gone: RecipientSet) -> RecipientSet {
        if !hasWave(besides: gone) {
            for (zone, seeds) in past { noteLate(seeds.count, in: zone) }
            leftSeeds = past.values.reduce(0) { $0 + $1.count }
            return []
        }
        return past.values.reduce(into: []) { $0.formUnion($1) }
    }

    /// The last instant at which somebody's clock has come to it, be they a seed or not.
    private func lastReached(_ standing: Standing) -> Date? {
        let ofSeeds = standing.progress.seedClocks.keys.compactMap { zone in
            standing.progress.reaching(standing.local, in: zone)?.instant
        }
        let reached = waves.reached.states.filter { !waves.reached[$0].isEmpty }
        return (reached + ofSeeds.filter { $0 <= standing.now }).max()
    }

    /// - Parameters:
    ///   - wave: the one that they are in; `nil` for the first one.
    ///   - gone: with whom they do not start.
    private mutating func add(seeds: RecipientSet, isFresh: Bool, to wave: Date?, besides gone: RecipientSet) {
        guard !seeds.isEmpty else { return }
        if let wave = wave ?? Self.first(of: waves.reached, besides: gone) {
            waves.reached.move(seeds, to: wave)
            if isFresh { waves.fresh.formUnion(seeds) }
        } else if let first = Self.first(of: waves.ahead, besides: gone) {
            waves.ahead.move(seeds, to: first)
        }
    }

    private func hasWave(besides gone: RecipientSet) -> Bool {
        [waves.reached, waves.ahead].contains { Self.first(of: $0, besides: gone) != nil }
    }

    private static func first(of waves: Partition<Date>, besides gone: RecipientSet) -> Date? {
        waves.states.filter { !waves[$0].subtracting(gone).isEmpty }.min()
    }

    private mutating func skip(
        _ members: RecipientSet, _ fate: Schedule.Reaching.Fate?, since instant: Date, _ patience: Duration?,
        _ now: Date
    ) {
        if let reason = fate?.reason {
            skipped.move(members, to: reason)
        } else if let patience, instant.adding(patience) < now {
            skipped.move(members, to: .missed)
        }
    }

    /// Those for whose wave it is too late, where nobody knows the clocks of their windows.
    ///
    /// - Parameters:
    ///   - waited: when nobody could start (`WindowWaits`).
    ///   - repeats: for whom it is so only once it has expired.
    func late(of campaign: Campaign, waited: Date?, besides repeats: RecipientSet, at now: Date) -> RecipientSet {
        waves.reached.states.reduce(into: RecipientSet()) { late, instant in
            let limits = campaign.limits(due: instant, waited: waited)
            guard limits.lateness(at: now) != nil else { return }
            let members = waves.reached[instant]
            late.formUnion(limits.expired(at: now) == nil ? members.subtracting(repeats) : members)
        }
    }

    /// The zones of those who joined after their wave: the three largest, and how many more.
    var zonesOfLate: String {
        let names = late.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        return names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
    }

    /// Why it was sent to nobody, where that leaves out seeds.
    var wordsOfLeftSeeds: String? {
        if leftSeeds == 0 { return nil }
        let joined = waves.joinedLate - leftSeeds
        return "there was no wave that \(count(leftSeeds, "seed")) could start with"
            + (joined > 0 ? "; \(count(joined, "recipient")) joined too late" : "")
    }

    /// Who gets nothing when their clock comes to it, and why.
    var wordsOfSkipped: [String] {
        [
            (SkipReason.noSuchTime, "whose clock jumps over it"),
            (.sameInstant, "who get an earlier one at that instant"),
        ].compactMap { reason, whose in
            let number = skippedAhead[reason].count
            return number > 0 ? "not to \(count(number, "recipient")) \(whose)" : nil
        }
    }

    var reachesNobody: Bool { waves.reached.isEmpty }
}

extension Schedule.Reaching.Fate {
    /// Why nothing is sent there. `nil` if it is sent.
    fileprivate var reason: SkipReason? {
        switch self {
        case .sent: nil
        case .noSuchTime: .noSuchTime
        case .sameInstant: .sameInstant
        }
    }
}

extension DesiredSend {
    /// Members of a personal campaign who are sent nothing on purpose.
    fileprivate var holdouts: RecipientSet {
        (census?.classes ?? [:]).filter(\.key.isHoldout).values.reduce(into: []) { $0.formUnion($1) }
    }
}
