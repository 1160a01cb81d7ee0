import HeraldCore

/// What a plan is to cover.
struct PlanScope: Sendable {
    /// Only these and their targets; empty for all.
    var campaigns: [String] = []
    /// How many days ahead it looks for sends to come.
    var days = PlanDocument.usualDays
}
