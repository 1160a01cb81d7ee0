import FCM

/// What the emulator knows of one registration.
struct Enrolment: Hashable, Sendable {
    var platform = Platform.android
    var state = State.active
    /// The topics it follows, with the moment of subscription.
    var topics: [TopicName: Date] = [:]

    /// How FCM answers for it.
    enum State: String, Hashable, Sendable, CaseIterable {
        case active, unregistered
        /// It belongs to another project.
        case otherSender = "other_sender"
        /// FCM knows it, APNs does not any more.
        case apnsDead = "apns_dead"
    }
}
