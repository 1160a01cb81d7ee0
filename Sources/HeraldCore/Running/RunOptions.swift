/// What a run may do and must respect.
package struct RunOptions: Sendable {
    package var fcm: FCMSettings
    package var guards: GuardLimits
    package var overrides: Overrides
    package var mode: RunMode
    package var retry = RetryPolicy()

    package init(fcm: FCMSettings, guards: GuardLimits, overrides: Overrides = .init(), mode: RunMode = .apply) {
        self.fcm = fcm
        self.guards = guards
        self.overrides = overrides
        self.mode = mode
    }
}
