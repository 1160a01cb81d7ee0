import FCM
import HeraldTestSupport

@testable import HeraldCore

/// What runs know of people's clocks, and what an edit that is taken back finds as it was.
extension Life {
    /// What runs have seen of one person on the list of a campaign in local time.
    struct Clock: Equatable {
        var zone: String?
        /// The run that met them first with this zone, of those that saw them so ever since.
        var met: Date
        /// From when on a wave that comes to their clock is theirs: `met`, or the last look before nobody looked, or
        /// before a slow clock met them.
        var since: Date
        /// Until when all is judged.
        var mark: Date
        /// The run that met them first as a seed, of those that saw them so ever since.
        var seed: Date?
        /// The last run that met them as a seed beside others, or outside of the target: what their own clock had come to,
        /// they were to get with those.
        var waited: Date?
    }

    /// What runs have seen of a campaign while it goes by one schedule.
    struct Sight {
        /// What decides when it comes to whom.
        var text: String?
        /// When a run saw it first so. What some clock of the world had passed then is nobody's.
        var first = Date.distantPast
        /// What limited its lateness then.
        var limits = ""
        /// Whether a run that nothing disturbed has seen it.
        var isSeen = false
        /// When the last run ended that looked at it.
        var looked = Date.distantPast
        var people: [RecipientKey: Clock] = [:]
        /// Whom a firing is still owed to, with the instant on their clock.
        var owed: [Key: [RecipientKey: Date]] = [:]
        /// What was `first`, and `Clocks.floor`, when a firing began.
        var begins: [Key: (first: Date, floor: Date)] = [:]
        /// When a run said last that it leaves out whose clock had passed it for too long (`if_passed`).
        var passedOver = Date.distantPast
    }

    /// What is known of a campaign that goes by people's own clocks.
    struct Clocks {
        /// Whose sight `sight` is: a schedule that is due once, or that of a cron, whatever its times. `nil` while no
        /// run looks at whose clock comes to it.
        var slot: String?
        var sight = Sight()
        /// What was seen of schedules that no run looks at now. If an edit is taken back, runs go on where they were.
        var left: [String: Sight] = [:]
        /// Whether runs send it. While it is disabled, they only look.
        var isSending = false
        /// Whether its schedule had no field since a run that nothing disturbed saw it with one.
        var wasInstant = false
        /// Until when no run sent it. A cron begins with the clocks that are ahead then.
        var floor = Date.distantPast
        /// Every zone that somebody had while the campaign went by it.
        var zones: [RecipientKey: Set<String?>] = [:]
        /// What a fast clock took. No edit, no other zone and nobody new on the list gives it back.
        var passed = Date.distantPast
        /// When a run first found a firing begun, also one that had only left out whom it was too late for.
        var found: [Key: Date] = [:]

        /// Whatever is owed to whom begins anew, because the state is an older one. Its mark stays.
        mutating func forget() {
            let first = left.values.map(\.first).reduce(sight.first, max)
            (slot, sight, left, isSending) = (nil, Sight(first: first), [:], false)
        }

        /// What a fast clock passed is not asked about.
        mutating func pass(until date: Date) {
            passed = max(date, passed)
            sight.owed = [:]
            for slot in left.keys { left[slot]?.owed = [:] }
        }

        /// After when clocks come to a firing for people: what some clock of the world had passed when it was seen first
        /// is nobody's, nor is what came due of a cron while no run sent it.
        func start(of key: Key, isCron: Bool) -> (first: Date, floor: Date) {
            let start = sight.begins[key] ?? (first: sight.first, floor: floor)
            return (start.first, isCron ? start.floor : .distantPast)
        }

        /// Whether somebody became a seed only after the firing had begun. Its first wave has its seeds since then.
        func isLateSeed(_ clock: Clock, of key: Key) -> Bool {
            guard let seed = clock.seed, let found = found[key] else { return false }
            return found <= seed
        }

        /// Takes in what the last run did.
        ///
        /// - Parameters:
        ///   - open: what has begun and is open.
        ///   - end: when that run ended.
        fileprivate mutating func settle(_ open: [Key: Date], lastRun end: Date) {
            if !isSending { floor = max(floor, end) }
            guard slot != nil else { return }
            sight.looked = max(sight.looked, end)
            // A first run that died may have left no mark, so that the next one begins anew.
            guard sight.isSeen else { return }
            for key in open.keys where sight.begins[key] == nil {
                sight.begins[key] = (first: sight.first, floor: floor)
            }
        }

        /// Turns to what a run goes by now. Returns whether it looks again at what no run has looked at for a while.
        ///
        /// - Parameters:
        ///   - text: what decides when it comes to whom. `nil` if the run does not look.
        ///   - open: what has begun and is open.
        fileprivate mutating func turn(
            to text: String?, isCron: Bool, sends: Bool, _ open: [Key: Date], at now: Date
        ) -> Bool {
            // While a cron is away, only what has begun waits for it.
            if !sends, slot == "" { sight.owed = sight.owed.filter { open[$0.key] != nil } }
            let next = text.map { isCron ? "" : $0 }
            let isOther = next != slot
            if isOther {
                if let slot { left[slot] = sight.isSeen ? sight : Sight(text: sight.text, first: sight.first) }
                sight = next.flatMap { left.removeValue(forKey: $0) } ?? Sight()
                slot = next
            }
            isSending = sends
            guard let text else { return false }
            // What a cron has at its new times begins as that of a new one. What has begun keeps its time.
            if !sight.isSeen || text != sight.text {
                sight.first = max(now, sight.first)
                sight.owed = sight.owed.filter { open[$0.key] != nil }
            }
            sight.text = text
            // It got its field with the first run that is known to have seen it. Plans name the zones that had passed.
            if wasInstant { floor = max(now, floor) }
            return isOther && sight.isSeen
        }
    }

    /// A run reads the files and the lists.
    ///
    /// - Parameter scope: the lines that it deals with. `nil` for all.
    func noteClocks(of scope: Set<Int>?, at now: Date) {
        // Whom the state takes for dead is in no wave. Whoever is back joins then.
        let living = Set(files.listed.subtracting(deadBefore).map(\.recipientKey))
        let declared = Dictionary(files.campaigns.map { ($0.line, $0) }) { first, _ in first }
        let (openTimes, begunKeys) = (openTimes, begunKeys)
        for line in scope ?? Set(clocks.keys).union(declared.keys) {
            let (file, open) = (declared[line], openTimes[line] ?? [:])
            var own = clocks[line] ?? Clocks()
            defer { clocks[line] = own }
            own.settle(open, lastRun: lastCalls[line] ?? lastCall)
            let found = (begunKeys[line] ?? []).map { ($0, own.found[$0] ?? now) }
            own.found = Dictionary(uniqueKeysWithValues: found)
            let text = file.flatMap { lookedAt($0, open) }
            let sends = text != nil && file?.isEnabled == true
            let isBack = own.turn(to: text, isCron: file?.isDaily == true, sends: sends, open, at: now)
            if file?.isInLocalTime == false { own.wasInstant = true }
            // What was told of it while its schedule had no field is not its end.
            if isBack { lines[line]?.over.subtract(open.keys) }
            guard let campaign = file, text != nil, let listed = files.recipients(of: campaign) else { continue }
            if own.sight.first == now { own.sight.limits = limits(of: campaign) }
            meet(listed.intersection(living), of: campaign, isBack, &own, at: now)
        }
    }

    /// The lines of campaigns that it deals with. `nil` for all.
    func scope(of call: Call) -> Set<Int>? {
        guard case .applyOnly(let name) = call else { return nil }
        return Set(files.campaigns.filter { $0.name == name }.map(\.line))
    }

    /// A call has ended that could read the files.
    func noteCall(of scope: Set<Int>?) {
        guard let scope else { return (lastCall, lastCalls) = (now, [:]) }
        for line in scope { lastCalls[line] = now }
    }

    /// What decides when a campaign comes to whom. `nil` where a run does not look at whose clock it is: nobody of its
    /// waves is fixed, whatever the list says meanwhile.
    private func lookedAt(_ campaign: LifeFiles.Campaign, _ open: [Key: Date]) -> String? {
        guard campaign.isInLocalTime else { return nil }
        // While it is disabled, runs look at what has begun. What is due once and has not waits as it is.
        let isLookedAt =
            campaign.isEnabled || campaign.isDaily || open[key(of: campaign, nil)].map { $0 == campaign.at } == true
        return isLookedAt ? campaign.localText : nil
    }

    /// - Parameters:
    ///   - listed: those of the list who can be reached, as far as the state knows.
    ///   - isBack: whether no run has looked for a while. The run fixes the waves that came meanwhile, with everybody who
    ///     is listed now.
    private func meet(
        _ listed: Set<RecipientKey>, of campaign: LifeFiles.Campaign, _ isBack: Bool, _ own: inout Clocks, at now: Date
    ) {
        own.sight.people = own.sight.people.filter { listed.contains($0.key) }
        own.sight.owed = own.sight.owed.mapValues { people in people.filter { listed.contains($0.key) } }
        // Seeds go by no clock of their own.
        let (seeds, guests) = (files.seeds(of: campaign), files.guests(of: campaign))
        let hasOthers = !listed.isSubset(of: seeds)
        for person in listed {
            let zone = files.zones[person]
            if campaign.isEnabled { own.zones[person, default: []].insert(zone) }
            let (clock, isSeed) = (own.sight.people[person], seeds.contains(person))
            let seed: Date? = isSeed ? clock?.seed ?? now : nil
            own.sight.people[person]?.seed = seed
            if isSeed, hasOthers || guests.contains(person) { own.sight.people[person]?.waited = now }
            // Their own clock did not count until then.
            if !isSeed, let clock, let waited = clock.waited {
                own.sight.people[person]?.mark = max(clock.mark, waited)
            }
            // What had not begun had nobody whom they waited for. By their own clock they join it too late.
            if !isSeed, clock?.seed != nil {
                for key in own.sight.owed.keys where own.found[key] == nil { own.sight.owed[key]?[person] = nil }
            }
            if let clock, clock.zone == zone { continue }
            // By a slow clock the last look is ahead: what had come until then is fixed without them.
            let since = isBack && !isSeed ? own.sight.looked : max(now, own.sight.looked)
            own.sight.people[person] = Clock(zone: zone, met: now, since: since, mark: since, seed: seed)
            for key in own.sight.owed.keys { own.sight.owed[key]?[person] = nil }
        }
        moveSeeds(of: campaign, &own, at: now)
    }

    /// Until a firing has begun, its seeds wait for the first wave that has somebody. Where everybody of that wave died,
    /// left the list or moved, they start with the next one.
    private func moveSeeds(of campaign: LifeFiles.Campaign, _ own: inout Clocks, at now: Date) {
        // An empty list says nothing about whose wave it was.
        if files.target(of: campaign)?.isEmpty == true { return }
        let (seeds, guests) = (files.seeds(of: campaign), files.guests(of: campaign))
        let targets = own.sight.people.filter { !guests.contains($0.key) }
        let plain = targets.filter { !seeds.contains($0.key) }
        for (key, people) in own.sight.owed where own.found[key] == nil {
            guard let local = key.due ?? campaign.at else { continue }
            let floor = own.start(of: key, isCron: campaign.isDaily).floor
            let instantsOf = { (people: [RecipientKey: Clock]) in
                people.values.compactMap { clock in
                    let instant = Self.instant(of: local, in: clock.zone)
                    return instant > max(clock.since, floor) ? instant : nil
                }
            }
            let plainInstants = instantsOf(plain)
            let instants = plainInstants.isEmpty ? instantsOf(targets) : plainInstants
            for (person, instant) in people where seeds.contains(person) && !instants.contains(instant) {
                own.sight.owed[key]?[person] = instants.filter { $0 > instant && $0 <= now }.min()
            }
        }
    }

    /// By lines, what has begun in local time and is open, with its time. What a person reopened is for nobody else.
    private var openTimes: [Int: [Key: Date]] {
        var times: [Int: [Key: Date]] = [:]
        for occurrence in known.snapshot.occurrences.values
        where occurrence.local != nil && occurrence.finished == nil && occurrence.hasBegun && !occurrence.isReopened {
            guard let campaign = campaign(recordedAs: occurrence.campaign) else { continue }
            let key = key(of: campaign, recorded: occurrence)
            if begun[key] != nil { times[campaign.line, default: [:]][key] = occurrence.shownDue }
        }
        return times
    }

    /// By lines, what the state says has begun in local time: somebody was sent it, or is skipped for good.
    private var begunKeys: [Int: Set<Key>] {
        var keys: [Int: Set<Key>] = [:]
        for occurrence in known.snapshot.occurrences.values where occurrence.local != nil && !occurrence.isUnbegun {
            guard let campaign = campaign(recordedAs: occurrence.campaign) else { continue }
            keys[campaign.line, default: []].insert(key(of: campaign, recorded: occurrence))
        }
        return keys
    }

    /// Who is no part of what began in local time, of a cron that has lost its field since: their clock had passed it
    /// when a run met them, or when the cron got its field. What has begun keeps its people, so its time is not theirs
    /// either where it is the same instant for all. If a person lets it go on by that instant, it may be theirs again.
    func passed(by key: Key, _ campaign: LifeFiles.Campaign) -> Set<RecipientKey> {
        let recorded = known.snapshot.occurrences.values.filter {
            $0.local != nil && self.campaign(recordedAs: $0.campaign)?.line == key.line
                && self.key(of: campaign, recorded: $0) == key
        }
        guard !recorded.isEmpty, let local = key.due, let own = clocks[key.line], let sight = own.left[""],
            let start = sight.begins[key]
        else { return [] }
        let inWave = known.installations(of: recorded.reduce(into: []) { $0.formUnion($1.waves.all) })
        let people = sight.people.filter { person, clock in
            // Seeds go by no clock of their own. Whoever moved may have been in a wave by their clock before.
            clock.seed == nil && clock.waited == nil
                && (own.zones[person] == [clock.zone] || !inWave.contains(person))
                && Self.instant(of: local, in: clock.zone) <= max(clock.since, start.floor)
        }
        return Set(people.keys)
    }

    /// What fired until then is not asked about: a clock was fast.
    func passClocks(until date: Date) {
        for line in clocks.keys { clocks[line]?.pass(until: date) }
    }

    /// What is due once may leave out whose clock had passed it for too long when it was seen first, or anew. A plan says
    /// so.
    func notePassedOver(_ warnings: [String], at date: Date) {
        for campaign in files.campaigns where campaign.isInLocalTime && !campaign.isDaily {
            let names = lines[campaign.line]?.names ?? []
            let isSaid = warnings.contains { text in
                text.hasSuffix("(if_passed)") && names.contains { text.hasPrefix("\($0)@") }
            }
            if isSaid { clocks[campaign.line]?.sight.passedOver = date }
        }
    }
}
