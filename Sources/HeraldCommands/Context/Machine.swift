import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore
import Logging

/// What a command takes from the machine that it runs on. Tests put simulated time and a model of FCM in its place, so
/// that what they run is what runs.
struct Machine: Sendable {
    var environment: [String: String] = ProcessInfo.processInfo.environment
    var now: @Sendable () -> Date = { Date() }
    var clock: any Clock<Duration> & Sendable = ContinuousClock()
    /// Writes to standard output or standard error.
    var write: @Sendable (_ text: String, _ descriptor: Int32) -> Void = { StandardStreams.write($0, to: $1) }
    /// What asks a run to stop.
    var signals: @Sendable (Console) -> Signals = { .listen(on: $0) }
    /// The way to FCM.
    var connect: @Sendable (Destination, Settings, _ mayWrite: (@Sendable () -> Bool)?, Logger) throws -> Connection =
        { try Connection(to: $0, $1, mayWrite: $2, logger: $3) }
    /// The way to webhooks and monitors.
    var carry: Post.Carrier = { await $0.carry($1) }
    /// Where the state is, for the place that the settings name.
    var state: @Sendable (any StateLocation) -> any StateLocation = { $0 }
    /// For the delays before requests are tried again.
    var random: @Sendable () -> any RandomNumberGenerator & Sendable = { SystemRandomNumberGenerator() }
    /// Told each plan of a run as it is made, and what a run would do of it.
    var planned: @Sendable (Proposal, RunCourse) -> Void = { _, _ in }
    /// Told each report of a run as it is written.
    var reported: @Sendable (Report) -> Void = { _ in }

    @TaskLocal static var current = Machine()
}
