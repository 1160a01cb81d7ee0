internal import FCM

/// The registrations that FCM calls dead in one step, until they are forgotten or kept. A wrong credential or project
/// makes every registration look dead, and an installation may have another registration that lives.
struct DeadRegistrations {
    /// Neither forgotten nor kept yet.
    var reported: [Death] = []
    /// Those among them that lists name by other registrations too.
    var awaitingOthers: [Death] = []
    /// The registrations that turned out to be dead, of recipients with several.
    private var tried: [RecipientID: Set<Registration>] = [:]
    /// Recipients that are tried with another registration, although nothing has shown yet that FCM is to be believed
    /// about the one before.
    var unproven: [RecipientID: Unproven] = [:]
    /// How many are kept, and are dead in the figures of a stage all the same, as in every later plan (`StageFigures`).
    var kept = 0
    /// Whether too many look dead. Then FCM is not believed, and the step stops.
    var areTooMany = false

    struct Death {
        let addressee: Addressee
        let failure: Failure
        let attempts: Int

        var id: RecipientID { addressee.id }
    }

    struct Unproven {
        var death: Death
        var other: Registration
    }

    /// How many are neither forgotten nor kept yet.
    var undecided: Int { reported.count + awaitingOthers.count }

    /// The first of the registrations that has not turned out to be dead.
    mutating func next(of others: [Registration], after death: Death) -> Registration? {
        if let registration = death.addressee.registration { tried[death.id, default: []].insert(registration) }
        return others.first { !(tried[death.id]?.contains($0) ?? false) }
    }

    /// Nobody looks for other registrations any more.
    mutating func endSearch() {
        reported += awaitingOthers
        awaitingOthers = []
    }
}

extension RunContext {
    /// What the guard says when so many recipients look dead. `nil` if it lets them be forgotten. Below ten it always
    /// does.
    ///
    /// - Parameter figures: `dead` and `tried` in words.
    func refusalToForget(
        _ dead: Int, of tried: Int, in step: StepID, _ figures: @autoclosure () -> String
    ) -> StopReason? {
        let limit = options.guards.maxForgetPercent
        guard dead >= 10, dead * 100 > limit * tried, !isOverridden(.maxForgetPercent, for: step) else { return nil }
        return .forbidden(
            .maxForgetPercent, name: step.rawValue,
            finding: "\(figures()) registrations look dead, more than \(limit) %")
    }
}
