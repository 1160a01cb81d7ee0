import FCMClient
import HeraldCore

extension CommandFailure {
    /// Why a finished run is not a success; `nil` if it is one. If there are several reasons, the first of these
    /// counts: interrupted, unknown, refused, failed.
    ///
    /// - Parameter signal: The signal that ended the run, if one did.
    init?(_ report: Report, at endpoint: Endpoint, signal: Int32) {
        switch report.result {
        case .interrupted:
            self.init(
                .interrupted(signal: signal), "a signal stopped the run; what was done is recorded",
                help: "the next run goes on; a campaign that Ctrl-C stopped waits for 'herald resume'")
        case .unknown:
            self.init(
                .unknown,
                "some recipients may or may not have got their message: \(Self.unsettled(report)); "
                    + "herald sends them nothing more of it",
                help: "'herald state resolve OCCURRENCE' settles it: --accept if they have it, --resend if not")
        case .halted:
            let halted = report.steps.filter(\.isHaltedStage)
            let words = halted.first.map { "\($0.occurrence ?? ""): \($0.stopped?.words ?? "")" }
            self.init(
                .unknown, "\(words ?? "a stage was halted"); nothing more of it starts",
                help:
                    "look at the failures in the report; 'herald state resolve OCCURRENCE' goes on with --continue, or ends it with --abandon"
            )
        case .refused:
            self.init(
                .refused, "a guard refused something; the report says what",
                help: "correct the files or lists, or let it through with --override as the report shows")
        case .failed where report.isUnreachable, .running where report.isUnreachable:
            let reason = report.steps.lazy.compactMap(\.stopped?.words).first ?? "nothing answers"
            self.init(
                .failed, "\(endpoint): \(reason)",
                help: endpoint.isLoopback
                    ? "is 'herald emulator' running there?"
                    : "check the network and the proxy, then run again: what was not sent is still due")
        case .failed where !report.silenced.isEmpty:
            self.init(
                .failed, "a clock was fast, and nothing of \(report.silenced.joined(separator: ", ")) comes due",
                help: "set the clock right, then 'herald state rewind CAMPAIGN'")
        case .failed, .running:
            self.init(
                .failed, "not everything succeeded; the report lists what did not",
                help: "'herald explain CODE' tells what a code of the report means and what to do")
        case .ok: return nil
        }
    }

    private static func unsettled(_ report: Report) -> String {
        let occurrences = report.steps.filter { $0.unknown > 0 }.compactMap(\.occurrence)
        return occurrences.prefix(3).joined(separator: ", ") + (occurrences.count > 3 ? ", …" : "")
    }
}
