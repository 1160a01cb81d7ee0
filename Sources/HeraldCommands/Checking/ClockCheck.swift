import FCMClient
import Foundation
import HeraldCore

/// How far the clock of this machine is from FCM's. Campaigns come due by this machine's clock, and Google refuses
/// sign-ins whose time is wrong.
struct ClockCheck {
    /// Differences up to this may come from the network and the server.
    private static let tolerance = Duration.seconds(60)
    /// The most that Google's sign-in tolerates.
    private static let limit = Duration.seconds(300)

    /// - Parameter dates: the `Date` headers of answers.
    static func result(_ dates: [String], at now: Date, token: TokenError?) -> CheckResult {
        if case .refused(_, _, let lead?)? = token { return result(lead: lead) }
        guard let there = dates.lazy.compactMap({ Date(httpDate: $0[...]) }).first else {
            return .skipped(.clock, "no answer told the time")
        }
        return result(lead: .seconds(Int64(now.timeIntervalSince(there).rounded())))
    }

    /// - Parameter lead: how far the clock here is ahead.
    static func result(lead: Duration) -> CheckResult {
        let distance = lead < .zero ? .zero - lead : lead
        if distance <= tolerance { return .ok(.clock, "right to the minute") }
        let fix = "Set the clock of this machine, and let it follow a time server (NTP)."
        let found = "the clock of this machine is \(words(lead))"
        return distance <= limit ? .warning(.clock, found, fix: fix) : .error(.clock, found, fix: fix)
    }

    static func words(_ lead: Duration) -> String {
        let seconds = (lead < .zero ? .zero - lead : lead).components.seconds
        let distance = Duration.seconds(seconds < 90 ? seconds : (seconds + 30) / 60 * 60)
        return "\(distance.roughText) \(lead > .zero ? "ahead" : "behind")"
    }
}
