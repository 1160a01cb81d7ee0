internal import FCM

/// A recipient that a step sends a request for, and how to reach it.
struct Addressee: Hashable, Sendable {
    enum Reach: Hashable, Sendable {
        /// One installation.
        case registration(Registration)
        /// The step's whole target, reached with one request. It stands for no single recipient.
        case target
        /// The state knows no registration.
        case nowhere
    }

    let id: RecipientID
    let reach: Reach
    /// The recipient's row, for a personal message.
    let values: FieldValues?

    /// - Parameter registration: the recipient's registration in the state, if it has one.
    init(id: RecipientID, registration: Registration?, values: FieldValues? = nil) {
        (self.id, self.values) = (id, values)
        reach =
            registration.map { .registration($0) } ?? (RecipientSet.target.contains(id) ? .target : .nowhere)
    }

    var registration: Registration? { if case .registration(let registration) = reach { registration } else { nil } }
}
