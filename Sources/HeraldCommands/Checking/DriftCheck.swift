import Foundation
import HeraldCore

/// When FCM was asked last what is subscribed, and how much differed.
struct DriftCheck {
    /// - Parameter drift: what the state knows of it.
    static func result(_ drift: RecordedDrift?, hasTopics: Bool, at now: Date) -> CheckResult {
        guard hasTopics || drift != nil else { return .skipped(.drift, "the workspace has no topics") }
        guard let drift else {
            return .skipped(.drift, "FCM was not asked yet who follows which topic; 'herald drift' does it")
        }
        let age = Duration.seconds(max(0, now.timeIntervalSince(drift.at).rounded())).roughText
        return .ok(
            .drift,
            "\(drift.drifted.grouped) of \(count(drift.asked, "registration")) differed (\(drift.share.percentText)) when "
                + "'herald drift' asked FCM \(age) ago")
    }
}
