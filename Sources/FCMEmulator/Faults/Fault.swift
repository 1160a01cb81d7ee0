/// What goes wrong with a request: the `do` of an entry in a fault script.
struct Fault: Hashable, Sendable {
    /// How long the request waits first.
    var delay: Duration = .zero
    /// The answer to give. `nil` means the service's own answer.
    var reply: FaultReply?
    /// Whether the request has its effect. The answer may deny it.
    var isCarriedOut = true
    var ending = Answer.Ending.open
    /// How far the server's clock is off. It shows in the answer's `Date`, and assertions are judged by it.
    var clockOffset: Duration = .zero
    /// How long an access token that the request gets is accepted, whatever its lifetime says. `nil` changes nothing.
    var accepted: Duration?

    /// The status in the ledger line of a delivery. `nil` if the caller got no answer.
    var toldStatus: Int? { ending == .unanswered ? nil : reply?.status ?? 200 }
}

/// A scripted answer. The service that was called decides its form.
struct FaultReply: Hashable, Sendable {
    var status: Int
    /// A code of the service. If it is missing, or not one of the service, the usual code for the status is used.
    var code: String?
    var quota: Quota?
    /// The limit that is told with a project's quota.
    var quotaLimit = 600_000
    /// The value of the `Retry-After` header.
    var retryAfter: String?
    /// Whether Google's front end answers, with an HTML page.
    var isPage = false

    /// Whose quota is used up.
    enum Quota: String, Hashable, Sendable, CaseIterable {
        case project, topic, device
    }
}
