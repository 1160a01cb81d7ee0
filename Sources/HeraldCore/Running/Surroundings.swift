package import FCM

extension Executor {
    package typealias Options = RunOptions

    /// The world it works in.
    package struct Surroundings: Sendable {
        package var store: any StateStore
        package var sender: any Sender
        package var clock: C
        package var now: @Sendable () -> Date
        package var random: any RandomNumberGenerator & Sendable
        package var fingerprints: Fingerprinter
        /// Whether somebody asked the run to end: nothing more is started.
        package var stop: @Sendable () -> Stop?
        /// Returns when somebody does not want to wait for what is under way either, or when it is cancelled.
        package var halt: @Sendable () async -> Void
        /// What is due at an instant that the plan did not see yet; absent where a plan is all that may be done.
        package var lookAgain: (@Sendable (Date) async -> Plan?)?
        /// Told of the report whenever it is worth showing or saving.
        package var observe: @Sendable (Report) async -> Void
        /// Told of every accepted send.
        package var receive: (@Sendable (_ step: String, _ registration: String?, _ messageID: String) -> Void)?
        /// Told of every failure, also of those that the report counts only.
        package var note: @Sendable (_ step: String, Report.Failure) -> Void

        package init(
            store: any StateStore, sender: any Sender, clock: C, now: @escaping @Sendable () -> Date,
            random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
            fingerprints: Fingerprinter, stop: @escaping @Sendable () -> Stop? = { nil },
            halt: @escaping @Sendable () async -> Void = Stop.never,
            lookAgain: (@Sendable (Date) async -> Plan?)? = nil,
            observe: @escaping @Sendable (Report) async -> Void = { _ in },
            receive: (@Sendable (_ step: String, _ registration: String?, _ messageID: String) -> Void)? = nil,
            note: @escaping @Sendable (_ step: String, Report.Failure) -> Void = { _, _ in }
        ) {
            self.store = store
            self.sender = sender
            self.clock = clock
            self.now = now
            self.random = random
            self.fingerprints = fingerprints
            self.stop = stop
            self.halt = halt
            self.lookAgain = lookAgain
            self.observe = observe
            self.receive = receive
            self.note = note
        }
    }
}

/// Who asks a run to end.
package enum Stop: Hashable, Sendable {
    /// What is stopped stays so until that person says otherwise.
    case person
    /// The next run goes on.
    case machine

    /// Returns when the task is cancelled.
    package static func never() async {
        let never = AsyncStream<Never>.makeStream()
        for await _ in never.stream {}
    }
}
