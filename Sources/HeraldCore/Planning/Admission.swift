/// Who of a send's members may start at an instant, who waits and until when, and for whom it is too late.
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
    /// The latest end of `max_lateness` of those who may start.
    private(set) var deadline: Date?

    /// Nobody is in two: a recipient has one wave and one zone.
    private var ends: [Date: RecipientSet] = [:]
    /// Those who may start at any time from now on.
    private var endless = RecipientSet()
    /// For whom no window holds.
    private let seeds: RecipientSet
    private let suspended: Date?
    private let stage: StageOpening?
    private let window: SendWindow?

    /// - Parameters:
    ///   - suspended: when a run that was sending it stopped, because their windows closed.
    ///   - stage: when their stage could open, if the send has stages. Before that nobody was late.
    init(
        _ send: Plan.Send, of wanted: DesiredSend, suspended: Date?, since stage: StageOpening? = nil, at now: Date
    ) {
        (self.suspended, self.stage, seeds) = (suspended, stage, send.seeds)
        window = send.delivery.window
        admitted = send.waves.map { $0.reached.all.intersection(send.members) } ?? send.members
        guard window != nil || send.waves != nil else {
            deadline = send.deadline
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
        guard let window else {
            take(members, campaign.limits(due: due, since: stage), isWave, nil, now)
            return
        }
        let atAnyHour = members.intersection(seeds)
        if isWave {
            take(atAnyHour, campaign.limits(due: due, since: stage), isWave, nil, now)
        } else {
            // They are in time as long as the send is.
            endless.formUnion(atAnyHour)
        }
        let others = members.subtracting(atAnyHour)
        for (zone, here) in wanted.zones(of: others, by: window.field?.value, else: window.zone) {
            let limits = campaign.limits(due: due, since: stage, suspended: suspended, in: [zone])
            take(here, limits, isWave, window.hours.standing(at: now, in: zone), now)
        }
    }

    private mutating func take(
        _ members: RecipientSet, _ limits: TimeLimits, _ isWave: Bool, _ standing: DailyHours.Standing?, _ now: Date
    ) {
        if members.isEmpty { return }
        if (isWave ? limits.lateness(at: now) : limits.late(at: now)) != nil {
            late.formUnion(members)
            admitted.subtract(members)
            return
        }
        if let standing, !standing.isOpen {
            waiting[standing.until ?? .distantFuture, default: []].formUnion(members)
            admitted.subtract(members)
            return
        }
        deadline = [deadline, limits.deadline].compactMap(\.self).max()
        let end = [standing?.until, isWave ? limits.expiry : nil].compactMap(\.self).min()
        if let end { ends[end, default: []].formUnion(members) } else { endless.formUnion(members) }
    }
}
