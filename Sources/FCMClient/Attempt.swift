internal import FCM

/// One exchange under way.
struct Attempt {
    let call: HTTPCall
    /// Told once.
    let answer: @Sendable (Exchange) -> Void
    /// The connection it was given to.
    var connection: ConnectionID?
}
