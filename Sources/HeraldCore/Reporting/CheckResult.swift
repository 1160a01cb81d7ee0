/// What one check of a set-up found, and the one thing to do if something is wrong.
package struct CheckResult: Hashable, Sendable {
    package var check: Check
    package var outcome: Outcome
    package var found: String
    /// What a person does about it. `nil` if there is nothing to do.
    package var fix: String?

    package enum Check: String, Hashable, Sendable, CaseIterable {
        case credential, project, endpoint, proxy
        case messagePermission = "message_permission"
        case topicPermission = "topic_permission"
        case groupPermission = "group_permission"
        case topicAPI = "topic_api"
        case quota, clock, state
        case timeZones = "time_zones"
        case drift, files, lists
    }

    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case ok, warning, error, skipped
    }

    package static func ok(_ check: Check, _ found: String) -> CheckResult {
        CheckResult(check: check, outcome: .ok, found: found)
    }

    package static func warning(_ check: Check, _ found: String, fix: String) -> CheckResult {
        CheckResult(check: check, outcome: .warning, found: found, fix: fix)
    }

    package static func error(_ check: Check, _ found: String, fix: String) -> CheckResult {
        CheckResult(check: check, outcome: .error, found: found, fix: fix)
    }

    package static func skipped(_ check: Check, _ found: String) -> CheckResult {
        CheckResult(check: check, outcome: .skipped, found: found)
    }
}
