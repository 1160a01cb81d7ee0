import FCM

/// What the emulator knows of one registration.
struct Enrolment: Hashable, Sendable {
    var platform = Platform.android
    var state = State.active
    /// The topics it follows, with the time of each subscription.
    var topics: [TopicName: Date] = [:]

    /// How FCM answers a request for this registration.
    enum State: String, Hashable, Sendable, CaseIterable {
        case active, unregistered
        /// The registration belongs to another project.
        case otherSender = "other_sender"
        /// FCM still knows it, but APNs does not.
        case apnsDead = "apns_dead"
    }
}
