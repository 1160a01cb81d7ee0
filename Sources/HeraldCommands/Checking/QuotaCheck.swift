import HeraldCore

/// The project's quota, as FCM told it with a 429, beside the rate of the settings.
struct QuotaCheck {
    static func result(_ quota: RecordedState.SendQuota?, rate: Rate) -> CheckResult {
        guard let quota else {
            return .skipped(.quota, "FCM has not told it yet; it does so when a run is too fast")
        }
        let found = "\(quota.perMinute.grouped) messages a minute, as FCM said at \(quota.at.rfc3339)"
        guard case .limited(let limit) = rate, limit * 60 > quota.perMinute else { return .ok(.quota, found) }
        return .warning(
            .quota, "\(found); fcm.rate is \((limit * 60).grouped) a minute",
            fix: "Set `fcm.rate: \(quota.perMinute)/min`, or ask Google for a higher quota.")
    }
}
