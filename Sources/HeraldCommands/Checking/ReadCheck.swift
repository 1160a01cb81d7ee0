import FCM
import HeraldCore

/// What the answers to questions say: whether the account may read subscriptions and groups, and which topic API there
/// is. A request that only reads shows less than one that changes something.
struct ReadCheck {
    let topicAPI: TopicAPI

    private static let proves = "this proves reading, and not that memberships may be changed"

    /// - Parameter verdict: the answer about a registration that FCM does not know.
    func topics(_ verdict: ReadVerdict<SubscriptionPage>) -> [CheckResult] {
        switch verdict {
        case .value, .dead, .rejected:
            return [.ok(.topicPermission, "subscriptions can be read; \(Self.proves)"), topicAPIResult(isThere: true)]
        case .unavailable(let failure):
            return [.skipped(.topicPermission, "\(failure.code): \(failure.message)"), topicAPIResult(isThere: false)]
        case .unauthenticated(let failure), .stop(let failure):
            return [
                .error(.topicPermission, Self.words(failure), fix: Self.remedy(of: failure)),
                .skipped(.topicAPI, "FCM did not get so far"),
            ]
        case .again(let failure, _):
            return [
                .skipped(.topicPermission, Self.words(failure)), .skipped(.topicAPI, "FCM gave no answer"),
            ]
        }
    }

    private func topicAPIResult(isThere: Bool) -> CheckResult {
        switch (topicAPI, isThere) {
        case (.iid, _):
            .warning(
                .topicAPI, "memberships go to the Instance ID service, which ends on \(EndOfService.day)",
                fix: "Set `fcm.topic_api: registrations`.")
        case (_, true): .ok(.topicAPI, "the project has the Topic Subscription API")
        case (.auto, false):
            .warning(
                .topicAPI,
                "the project has no Topic Subscription API; the Instance ID service is used, until \(EndOfService.day)",
                fix: "Enable the Firebase Cloud Messaging API for the project.")
        case (.registrations, false):
            .error(
                .topicAPI, "the project has no Topic Subscription API",
                fix: "Enable the Firebase Cloud Messaging API for the project, or set `fcm.topic_api: auto`.")
        }
    }

    /// - Parameter verdict: the answer about a group that nobody has made. `nil` if none was asked.
    func groups(_ verdict: GroupVerdict?, areUsed: Bool) -> CheckResult {
        guard areUsed else { return .skipped(.groupPermission, "the workspace has no device groups") }
        guard let verdict else {
            return .error(
                .groupPermission, "device groups need the project's number",
                fix: "Set `sender_id` in herald.yaml to the project's number in the Firebase console.")
        }
        switch verdict {
        case .done, .alreadyExists, .notFound, .noValidRegistrations, .nameMismatch, .rejected:
            return .ok(.groupPermission, "device groups can be read; \(Self.proves)")
        case .again(let failure, _): return .skipped(.groupPermission, Self.words(failure))
        case .unauthenticated(let failure), .stop(let failure):
            return .error(.groupPermission, Self.words(failure), fix: Self.remedy(of: failure))
        }
    }

    private static func words(_ failure: Failure) -> String { "\(failure.code): \(failure.message)" }

    private static func remedy(of failure: Failure) -> String {
        CodeExplanation(failure.code)?.remedy ?? "Read docs/how-to/first-real-send.md."
    }
}
