internal import FCM

/// The end of a connection's pipeline: writes requests and reads responses, and tells its pool. Lives on the event loop.
protocol Carrier: AnyObject {
    /// Called on the event loop.
    var report: (CarrierEvent) -> Void { get set }
    /// How many exchanges it carries at once.
    var limit: Int { get }

    /// Hands a request to the connection, or says `false`: nothing of it was written. It leaves at the next `flush()`.
    func start(_ attempt: AttemptID, _ call: HTTPCall) -> Bool

    /// Lets go what was handed over since the last time.
    func flush()

    /// Ends one exchange, for a reason of this side.
    func giveUp(_ attempt: AttemptID, for ending: Ending)

    /// Ends all it carries, and closes the connection.
    func close(for ending: Ending)

    /// Called from time to time while exchanges are under way.
    func beat()
}

enum CarrierEvent {
    case ended(AttemptID, Exchange)
    /// So many exchanges left the connection, which has room for others.
    case freed(Int)
    /// The connection carries so many at once.
    case limit(Int)
    /// The connection takes no more exchanges.
    case retired
}
