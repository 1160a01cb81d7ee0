import HeraldCore

/// What a plan covers.
struct PlanScope: Sendable {
    /// Only these campaigns and their targets; empty for all.
    var campaigns: [String] = []
    /// How many days ahead the plan looks for sends.
    var days = PlanDocument.usualDays
    /// How many of them it lists. `nil` for as many as plans show.
    var upcoming: UpcomingLimit?
    /// Whether it leaves out what nobody approved. A dry run reaches nobody, so it may come before the approval. That of
    /// a saved plan does what the plan says.
    var heedsApproval = true
    /// Somebody of whom it says what they wait for.
    var person: RecipientID?
}
