import FCMClient
import HeraldCore

extension CommandFailure {
    /// Why a finished run is not a success; `nil` if it is one. If there are several reasons, the first of these
    /// counts: interrupted, unknown, refused, failed.
    ///
    /// - Parameters:
    ///   - path: Where the report is, if it was saved.
    ///   - signal: The signal that ended the run, if one did.
    init?(_ report: Report, in path: String? = nil, at endpoint: Endpoint, signal: Int32) {
        switch report.result {
        case .interrupted:
            self.init(
                .interrupted(signal: signal), "a signal stopped the run; what was done is recorded",
                help: report.isTest
                    ? "run 'herald test' again for those whom it did not reach"
                    : "the next run goes on; a campaign that Ctrl-C stopped waits for 'herald resume'")
        case .unknown: self = Self.unknown(report)
        case .halted:
            self.init(
                .unknown, report.halts.first ?? "a stage was halted",
                help:
                    "look at the failures in the report; 'herald state resolve OCCURRENCE' goes on with --continue, or ends it with --abandon"
            )
        case .refused: self = Self.refused(report)
        case .failed where report.isUnreachable, .running where report.isUnreachable:
            let reason = report.steps.lazy.compactMap(\.stopped?.words).first ?? "nothing answers"
            self.init(
                .failed, "\(endpoint): \(reason)",
                help: endpoint.isLoopback
                    ? "is 'herald emulator' running there?"
                    : "check the network and the proxy, then "
                        + (report.isTest ? "test again" : "run again: what was not sent is still due"))
        case .failed where !report.silenced.isEmpty:
            self.init(
                .failed,
                "a clock was fast, and wrong times are recorded for \(report.silenced.joined(separator: ", "))",
                help: "set the clock right, then 'herald state rewind CAMPAIGN'")
        case .failed, .running: self = Self.failed(report, in: path)
        case .ok: return nil
        }
    }

    /// What the state lacks of a run, and how a person adds it. `nil` if it has all.
    ///
    /// - Parameter path: Where the report is.
    init?(unrecordedIn report: Report, at path: String) {
        let steps = report.steps.filter { $0.unrecorded != nil }
        guard !steps.isEmpty else { return nil }
        self.init(
            .failed, "the state lacks outcomes of \(Self.names(of: steps)), which the report has",
            help: "first of all, as soon as the state can be written: 'herald state resolve --from \(path.shellWord)'")
    }

    /// What guards refused in the plan was told before the run began.
    private static func refused(_ report: Report) -> CommandFailure {
        let found = report.refusals.byGuard
        let sentences =
            found.map { "guard \($0.kind.rawValue): \($0.messages.joined(separator: "; "))" }
            + report.unapproved.sentences
        guard !sentences.isEmpty else {
            return CommandFailure(
                .refused, "a guard refused something; the report says what",
                help: "correct the files or lists, or let it through with --override as the report shows")
        }
        let unapproved = report.unapproved
        let helps =
            found.map(\.help) + (unapproved.isEmpty ? [] : ["\(unapproved.care): \(unapproved.command)"])
        return CommandFailure(.refused, sentences.joined(separator: "; "), help: helps.joined(separator: "; "))
    }

    private static let mostNamed = 3

    private static func failed(_ report: Report, in path: String?) -> CommandFailure {
        let failings = report.failings
        let more = failings.count > mostNamed ? ["and \(failings.count - mostNamed) more"] : []
        var helps: [String] = []
        if let code = report.mainCode {
            helps.append("'herald explain \(code)' tells what it means and what to do")
        } else if report.missedOccurrences.contains(where: { !$0.isPartial }) {
            // Where others have got it, a new revision would send it to them again.
            helps.append("if it must go out, give it a new time, and a higher revision if it had begun")
        }
        if let path { helps.append("'herald report \(path.shellWord)' shows all of it") }
        if helps.isEmpty { helps.append("'herald explain CODE' tells what a code of the report means and what to do") }
        let named: [String] = failings.isEmpty ? ["not everything succeeded"] : failings.prefix(mostNamed) + more
        return CommandFailure(.failed, named.joined(separator: "; "), help: helps.joined(separator: "; "))
    }

    private static func unknown(_ report: Report) -> CommandFailure {
        let steps = report.steps.filter { $0.unknown > 0 }
        let message = "some recipients may or may not have got their message: \(names(of: steps)); "
        if report.isTest {
            return CommandFailure(
                .unknown, message + "a test is not sent again by itself",
                help: "look at the devices; if it is not there, run 'herald test' again")
        }
        let resent = steps.filter(\.resendsUnknown)
        if resent.isEmpty {
            return CommandFailure(
                .unknown, message + "herald sends them nothing more of it",
                help: "'herald state resolve OCCURRENCE' settles it: --accept if they have it, --resend if not")
        }
        let help = "'herald state resolve OCCURRENCE' settles it: --accept if they have it"
        if resent.count < steps.count {
            return CommandFailure(
                .unknown, message + "the next run sends \(names(of: resent)) again (on_unknown: resend), and no other",
                help: help + ", --resend if not")
        }
        return CommandFailure(
            .unknown, message + "the next run sends it to them again (on_unknown: resend)", help: help)
    }

    private static func names(of steps: [StepReport]) -> String {
        let occurrences = steps.compactMap(\.occurrence)
        return occurrences.prefix(3).joined(separator: ", ") + (occurrences.count > 3 ? ", …" : "")
    }
}
