import Foundation
import HeraldCore

/// The time zones of the system. Schedules follow them.
struct ZoneCheck {
    /// - Parameter release: of the database, such as `2026a`. `nil` if the system does not tell.
    static func result(release: String?, isThere: Bool, at now: Date) -> CheckResult {
        guard isThere else {
            return .error(.timeZones, "this system has no time zones", fix: "Install the package tzdata.")
        }
        guard let release, let year = Int(release.prefix(4)) else {
            return .ok(.timeZones, "there are some; the system does not say from when")
        }
        let current = Zone.utc.local(at: now).year
        guard current - year > 1 else { return .ok(.timeZones, "release \(release)") }
        return .warning(
            .timeZones, "release \(release) is \(current - year) years old", fix: "Update the package tzdata.")
    }
}
