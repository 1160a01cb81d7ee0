/// What an exchange means that only asked for something.
package enum ReadVerdict<Value: Hashable & Sendable>: Hashable, Sendable {
    case value(Value)
    /// The registration is dead.
    case dead(Failure)
    /// Refused, for this registration; another may be told.
    case rejected(Failure)
    /// No answer, or none that can be used; worth another try.
    case again(Failure, Verdict.Repeat)
    /// The access token was refused: the request may go again, once, with a new one.
    case unauthenticated(Failure)
    /// This project has no such API.
    case unavailable(Failure)
    /// Every request of its kind would fail alike: a setting or a permission is wrong.
    case stop(Failure)
}

extension ReadVerdict<SubscriptionPage> {
    /// Judges the answer to a question about a registration's subscriptions, whichever service was asked.
    package init(_ exchange: Exchange, to query: Query, of project: Project) {
        switch query {
        case .subscriptions(let registration, _): self.init(list: exchange, of: registration, in: project)
        case .information: self.init(information: exchange)
        }
    }

    /// Errors are those of changing subscriptions.
    private init(list exchange: Exchange, of registration: Registration, in project: Project) {
        if case .response(let response) = exchange, response.status == 200 {
            self =
                SubscriptionPage(response.body, of: registration, in: project).map(Self.value)
                ?? .again(.unreadable("the answer is no list of this registration's subscriptions"), .afterNonsense)
            return
        }
        switch Verdict(membership: exchange, subscribes: false) {
        case .dead(let failure): self = .dead(failure)
        case .rejected(let failure): self = .rejected(failure)
        case .again(let failure, let terms): self = .again(failure, terms)
        case .unauthenticated(let failure): self = .unauthenticated(failure)
        case .unavailable(let failure): self = .unavailable(failure)
        case .stop(let failure), .unknown(let failure): self = .stop(failure)
        // A question cannot meet with these: one says that something was changed, the other that it was there.
        case .accepted, .preexisting:
            self = .again(.unreadable("the answer does not fit a question"), .afterNonsense)
        }
    }
}
