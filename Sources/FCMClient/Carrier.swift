internal import FCM

/// The last handler of a connection's pipeline. It writes requests, reads responses and reports to its pool. It lives
/// on the event loop.
protocol Carrier: AnyObject {
    /// Called on the event loop.
    var report: (CarrierEvent) -> Void { get set }
    /// How many exchanges it can carry at once.
    var limit: Int { get }

    /// Hands a request to the connection. `false` means that nothing of it was written. The request leaves at the next
    /// `flush()`.
    func start(_ attempt: AttemptID, _ call: HTTPCall) -> Bool

    /// Sends what was handed over since the last flush.
    func flush()

    /// Ends one exchange for a reason on this side.
    func giveUp(_ attempt: AttemptID, for ending: Ending)

    /// Ends all exchanges and closes the connection.
    func close(for ending: Ending)

    /// Called at intervals while exchanges are in progress.
    func beat()
}

enum CarrierEvent {
    case ended(AttemptID, Exchange)
    /// This many exchanges ended, so the connection has room for as many others.
    case freed(Int)
    /// The number of exchanges that the connection can carry at once.
    case limit(Int)
    /// The connection takes no new exchanges.
    case retired
}
