/// Who of a send's members may start at an instant, who waits and until when, and for whom it is too late. It has many
/// parts, because one pass over the clocks answers all of that.
struct Admission {
    private(set) var admitted: RecipientSet
    /// Until when those who may start may do so, where their window closes, or their wave expires.
    var closings: Partition<Date> {
        var ends = ends
        // A step is over when the last of its windows closes, also for those who have none.
        if let last = ends.keys.max() { ends[last]?.formUnion(endless) }
        return Partition(disjoint: ends)
    }
    /// Those whose window is closed, by when it opens.
    private(set) var waiting: [Date: RecipientSet] = [:]
    /// Those for whom `max_lateness` is over, not counting the time in which their window was closed.
    private(set) var late = RecipientSet()
    /// Whether somebody who waits would be too late once their window opens, but for when nobody could start: it was
    /// open since then, and has closed again.
    private(set) var goesByWait = false
    /// Since when somebody of those who may start might do so: their clock had come to it, their window was open and their
    /// stage could open. `nil` without a due time.
    private(set) var since: Date?
    /// The latest end of `max_lateness` of those who may start. Whoever is tried again has longer, and makes it no later
    /// for the others of the step.
    var deadline: Date? { othersDeadline ?? repeatDeadline }

    /// The earliest end of `max_lateness` of those who may start, where they have several.
    private(set) var firstDeadline: Date?

    private var othersDeadline: Date?
    private var repeatDeadline: Date?

    /// Nobody is in two: a recipient has one wave and one zone.
    private var ends: [Date: RecipientSet] = [:]
    /// Those who may start at any time from now on.
    private var endless = RecipientSet()
    /// For whom no window holds.
    private let seeds: RecipientSet
    /// Whom a person has tried again. They are in time as long as the occurrence is, which was judged by that.
    private let again: RecipientSet
    /// How many of the members may be some of those, where only a snapshot is known.
    private var mayRepeat: Int
    /// When the occurrence is too late for everybody.
    private let end: Date?
    private let suspended: Date?
    private let waited: Date?
    private let stage: StageOpening?
    private let window: SendWindow?
    /// Until when runs have sent to whoever might start, where only a snapshot is known: it does not say who that was.
    private let seenTo: Date?

    /// - Parameters:
    ///   - occurrence: as the state has it; `nil` for one that begins now.
    ///   - stage: when their stage could open, if the send has stages. Before that nobody was late.
    ///   - waited: when nobody of it could start (`WindowWaits`).
    ///   - isForecast: whether only a snapshot of the occurrence is known.
    ///   - seenTo: until when runs have sent to whoever might start, in a forecast.
    init(
        _ send: Plan.Send, of wanted: DesiredSend, _ occurrence: RecordedOccurrence?,
        since stage: StageOpening? = nil, waited: Date? = nil, isForecast: Bool,
        seenTo: Date? = nil, at now: Date
    ) {
        (suspended, self.waited, self.stage, seeds) = (occurrence?.suspended, waited, stage, send.seeds)
        let repeated = occurrence?.ledger?[.again] ?? []
        // Whom a person has tried again may be any of them, and no run has sent to them since.
        self.seenTo = repeated.isEmpty ? seenTo : nil
        (again, mayRepeat) = (send.members.intersection(repeated), isForecast ? repeated.count : 0)
        end = repeated.isEmpty ? nil : occurrence.flatMap { wanted.campaign.limits(of: $0).deadline }
        window = send.delivery.window
        admitted = send.waves.map { $0.reached.all.intersection(send.members) } ?? send.members
        guard window != nil || send.waves != nil || stage != nil else {
            othersDeadline = send.deadline
            note(begin(send.due))
            return
        }
        guard let waves = send.waves else {
            take(send.members, of: wanted, due: send.due, isWave: false, now)
            return
        }
        for instant in waves.reached.states.sorted() {
            let members = waves.reached[instant].intersection(send.members)
            take(members, of: wanted, due: instant, isWave: true, now)
        }
    }

    /// - Parameter isWave: whether others of the send are due at other times, so that it expires for these alone.
    private mutating func take(
        _ members: RecipientSet, of wanted: DesiredSend, due: Date?, isWave: Bool, _ now: Date
    ) {
        let campaign = wanted.campaign
        let begin = begin(due)
        guard let window else {
            let limits = campaign.limits(due: due, since: stage, suspended: suspended, waited: waited)
            take(members, limits, isWave, Opening(begin), now)
            return
        }
        let atAnyHour = members.intersection(seeds)
        if !atAnyHour.isEmpty {
            // They are in time as long as anybody: of their wave, or of the whole send.
            let longest =
                isWave
                ? campaign.limits(due: due, since: stage, in: [window.zone])
                : campaign.limits(
                    due: due, since: stage, suspended: suspended, waited: waited, in: wanted.windowZones(besides: []))
            take(atAnyHour, longest, isWave, Opening(begin), now)
        }
        let others = members.subtracting(atAnyHour)
        for (zone, here) in wanted.zones(of: others, by: window.field?.value, else: window.zone) {
            let limits = campaign.limits(
                due: due, since: stage, suspended: suspended, waited: waited, in: [zone])
            var opening = Opening(begin, window.hours.standing(at: now, in: zone))
            if opening.isOpen, let begin, let since = window.hours.since(now, in: zone) {
                opening.since = max(begin, since)
            }
            if seenTo != nil, let begin {
                let standing = window.hours.standing(at: begin, in: zone)
                if !standing.isOpen { opening.first = standing.until }
            }
            if waited != nil, !opening.isOpen {
                let unmarked = campaign.limits(due: due, since: stage, suspended: suspended, in: [zone])
                let remarked = campaign.limits(due: due, since: stage, suspended: suspended, waited: now, in: [zone])
                if unmarked.late(at: opening.standing?.until ?? now) != nil, remarked != limits { goesByWait = true }
            }
            take(here, limits, isWave, opening, now)
        }
    }

    /// When people may start who have the same clock.
    private struct Opening {
        /// That of their window. `nil` if none holds for them.
        var standing: DailyHours.Standing?
        /// Since when they may, if their window is open. `nil` without a due time.
        var since: Date?
        /// When they might start for the first time.
        var first: Date?

        init(_ begin: Date?, _ standing: DailyHours.Standing? = nil) {
            (since, first) = (begin, begin)
            self.standing = standing
        }

        var isOpen: Bool { standing?.isOpen ?? true }
    }

    /// When those who are due then may start, if no window holds for them.
    private func begin(_ due: Date?) -> Date? { due.map { max($0, stage?.since ?? $0) } }

    /// Whether they have it as far as a snapshot shows, or a run has noted why not.
    private func isSeenTo(_ opening: Opening) -> Bool {
        guard let first = opening.first, let seenTo else { return false }
        return first <= seenTo
    }

    /// Somebody may start since then.
    private mutating func note(_ start: Date?) { since = [since, start].compactMap(\.self).min() }

    private mutating func take(
        _ members: RecipientSet, _ limits: TimeLimits, _ isWave: Bool, _ opening: Opening, _ now: Date
    ) {
        let longer = TimeLimits(deadline: end, expiry: limits.expiry)
        let start = opening.isOpen ? now : opening.standing?.until ?? .distantFuture
        var repeats = RecipientSet()
        if limits.late(at: now) != nil, longer.late(at: start) == nil {
            let some = RecipientSet(members.prefix(mayRepeat))
            mayRepeat -= some.count
            repeats = members.intersection(again).union(some)
        }
        if let end = sort(members.subtracting(repeats), limits, isWave, opening, now) {
            othersDeadline = max(end, othersDeadline ?? end)
        }
        if let end = sort(repeats, longer, isWave, opening, now) { repeatDeadline = max(end, repeatDeadline ?? end) }
    }

    /// - Returns: until when they are in time, if some may start.
    private mutating func sort(
        _ members: RecipientSet, _ limits: TimeLimits, _ isWave: Bool, _ opening: Opening, _ now: Date
    ) -> Date? {
        if members.isEmpty { return nil }
        if (isWave ? limits.lateness(at: now) : limits.late(at: now)) != nil {
            if !isSeenTo(opening) { late.formUnion(members) }
            admitted.subtract(members)
            return nil
        }
        guard opening.isOpen else {
            waiting[opening.standing?.until ?? .distantFuture, default: []].formUnion(members)
            admitted.subtract(members)
            return nil
        }
        if !isSeenTo(opening) { note(opening.since) }
        firstDeadline = [firstDeadline, limits.deadline].compactMap(\.self).min()
        let close = [opening.standing?.until, isWave ? limits.expiry : nil].compactMap(\.self).min()
        if let close { ends[close, default: []].formUnion(members) } else { endless.formUnion(members) }
        return limits.deadline
    }
}
