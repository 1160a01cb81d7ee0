/// Who of a send's members may start at an instant, who waits and until when, and for whom it is too late.
struct Admission {
    private(set) var admitted = RecipientSet()
    /// Until when those who may start may do so, where their window closes.
    private(set) var closings = Partition<Date>()
    /// Those whose window is closed, by when it opens.
    private(set) var waiting: [Date: RecipientSet] = [:]
    /// Those whose window was open for longer than `max_lateness`.
    private(set) var late = RecipientSet()

    /// - Parameters:
    ///   - members: who is to be sent the message.
    ///   - suspended: when a run that was sending it stopped, because their windows closed.
    init(_ members: RecipientSet, of wanted: DesiredSend, due: Date?, suspended: Date?, at now: Date) {
        guard let window = wanted.campaign.delivery.window else {
            admitted = members
            return
        }
        var rest = members
        for (zone, all) in wanted.zones where window.field != nil {
            let here = all.intersection(members)
            rest.subtract(here)
            take(here, in: zone, wanted.campaign, window.hours, due, suspended, now)
        }
        take(rest, in: window.zone, wanted.campaign, window.hours, due, suspended, now)
    }

    private mutating func take(
        _ members: RecipientSet, in zone: Zone, _ campaign: Campaign, _ hours: DailyHours, _ due: Date?,
        _ suspended: Date?, _ now: Date
    ) {
        if members.isEmpty { return }
        if campaign.limits(due: due, suspended: suspended, in: [zone]).late(at: now) != nil {
            late.formUnion(members)
            return
        }
        let standing = hours.standing(at: now, in: zone)
        guard standing.isOpen else {
            waiting[standing.until ?? .distantFuture, default: []].formUnion(members)
            return
        }
        admitted.formUnion(members)
        if let until = standing.until { closings.move(members, to: until) }
    }
}
