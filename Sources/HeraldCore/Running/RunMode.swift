/// What a run may leave behind.
package enum RunMode: Hashable, Sendable {
    case apply
    /// It sends, and forgets nobody: what FCM says of a registration is shown only.
    case trial
    /// Sends go out with `validate_only`, at most so many for each campaign; memberships are skipped, and nothing is
    /// written down.
    case dryRun(sample: Int)

    var isDryRun: Bool { if case .dryRun = self { true } else { false } }
}
