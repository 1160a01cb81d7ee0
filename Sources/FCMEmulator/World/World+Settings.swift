import FCM

extension World {
    /// What the emulator is told at its start and answers depend on.
    struct Settings: Hashable, Sendable {
        /// Whether only registrations exist that a test has added.
        var strict = false
        /// How many seconds it takes until topic sends and lists of subscriptions see a subscription or its end.
        var membershipDelay: TimeInterval = 0
        /// Whether Google has ended device groups and the Instance ID service.
        var hasEndedServices = false
    }
}

extension World.Settings {
    init(_ configuration: Emulator.Configuration) {
        strict = configuration.strict
        membershipDelay = configuration.membershipDelay / .seconds(1)
        hasEndedServices = configuration.today.map { $0 >= EndOfService.begin } ?? false
    }
}
