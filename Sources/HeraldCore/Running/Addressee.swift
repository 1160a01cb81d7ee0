internal import FCM

/// Whom a step asks for, and how to reach it.
struct Addressee: Hashable, Sendable {
    enum Reach: Hashable, Sendable {
        /// One installation.
        case registration(Registration)
        /// All of the step's target by one request; it stands for nobody in particular.
        case target
        /// The state knows no registration.
        case nowhere
    }

    let id: RecipientID
    let reach: Reach

    /// - Parameter registration: what the state knows of the recipient.
    init(id: RecipientID, registration: Registration?) {
        self.id = id
        reach =
            registration.map { .registration($0) } ?? (RecipientSet.target.contains(id) ? .target : .nowhere)
    }

    var registration: Registration? { if case .registration(let registration) = reach { registration } else { nil } }
}
