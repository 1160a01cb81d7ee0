/// What happens to a request instead of what should: the `do` of a script's entry.
struct Fault: Hashable, Sendable {
    /// How long the request waits before anything else happens to it.
    var delay: Duration = .zero
    /// What is answered, whatever the service says; absent, it is the service's own answer.
    var reply: FaultReply?
    /// Whether the request has its effect, which the answer need not tell.
    var isCarriedOut = true
    var ending = Answer.Ending.open

    /// The status that a delivery's ledger line has; `nil` where nobody was told one.
    var toldStatus: Int? { ending == .unanswered ? nil : reply?.status ?? 200 }
}

/// A scripted answer, before it is put into the words of the service that was called.
struct FaultReply: Hashable, Sendable {
    var status: Int
    /// In the language of the service; its usual one for the status where absent or of another language.
    var code: String?
    var quota: Quota?
    /// The header `Retry-After` as it is to stand there.
    var retryAfter: String?
    /// Whether Google's front end answers, with a page.
    var isPage = false

    /// Whose quota is used up.
    enum Quota: String, Hashable, Sendable, CaseIterable {
        case project, topic, device
    }
}
