/// What a run may do and must respect.
package struct RunOptions: Sendable {
    package var fcm: FCMSettings
    package var guards: GuardLimits
    package var overrides: Overrides
    package var mode: RunMode
    package var retry = RetryPolicy()
    /// How long after the run's beginning nobody with an unknown outcome is sent to again: the request of a run that lost
    /// the lock may still arrive.
    package var resendDelay = Duration.zero

    package init(
        fcm: FCMSettings, guards: GuardLimits, overrides: Overrides = .init(), mode: RunMode = .apply,
        resendDelay: Duration = .zero
    ) {
        self.resendDelay = resendDelay
        self.fcm = fcm
        self.guards = guards
        self.overrides = overrides
        self.mode = mode
    }
}
