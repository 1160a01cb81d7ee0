internal import FCM

/// One exchange in progress.
struct Attempt {
    let call: HTTPCall
    /// Called exactly once.
    let answer: @Sendable (Exchange) -> Void
    /// The connection that carries it. `nil` while it waits for one.
    var connection: ConnectionID?
}
