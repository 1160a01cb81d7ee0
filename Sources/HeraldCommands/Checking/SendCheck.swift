import FCM
import FCMClient
import HeraldCore

/// What the answer to a message that FCM only validates says about the endpoint, the project and the account.
struct SendCheck {
    let project: String
    let endpoint: String
    /// The proxy that requests take. `nil` if they take none.
    let proxy: String?

    /// - Parameter verdict: the answer to a message to a topic.
    func results(_ verdict: Verdict) -> [CheckResult] {
        switch verdict {
        case .accepted, .preexisting:
            return [
                reached, known,
                .ok(.messagePermission, "FCM validated a message, so this account may send; nothing was sent"),
            ]
        case .unauthenticated(let failure):
            return [reached, unknown, .error(.messagePermission, words(failure), fix: Self.newKey)]
        case .stop(let failure) where failure.code == FailureCode.notPossible.rawValue:
            return unreached(failure)
        case .stop(let failure) where failure.code == FailureCode.notFound.rawValue:
            return [
                reached,
                .error(.project, "FCM does not know the project '\(project)': \(words(failure))", fix: Self.other),
                skipped,
            ]
        case .stop(let failure), .rejected(let failure), .dead(let failure), .unavailable(let failure):
            return [reached, unknown, .error(.messagePermission, words(failure), fix: remedy(of: failure))]
        case .again(let failure, let terms) where terms.effect.isAskedFor:
            return [
                reached, unknown,
                .warning(.messagePermission, words(failure), fix: "Ask again in a few minutes."),
            ]
        case .again(let failure, _), .unknown(let failure): return unreached(failure)
        }
    }

    private var reached: CheckResult { .ok(.endpoint, "\(endpoint) answers") }
    private var known: CheckResult { .ok(.project, "'\(project)'") }
    private var unknown: CheckResult { .ok(.project, "'\(project)'; FCM did not say whether it has it") }
    private var skipped: CheckResult { .skipped(.messagePermission, "FCM did not get so far") }

    private func unreached(_ failure: Failure) -> [CheckResult] {
        let fix =
            proxy.map { "Look at the proxy \($0) (HTTPS_PROXY) and at NO_PROXY." }
            ?? "Look at `fcm.endpoint`, and whether this machine may connect to it."
        return [
            .error(.endpoint, "\(endpoint) cannot be used: \(words(failure))", fix: fix), unknown, skipped,
        ]
    }

    private func words(_ failure: Failure) -> String { "\(failure.code): \(failure.message)" }

    private func remedy(of failure: Failure) -> String {
        CodeExplanation(failure.code)?.remedy ?? "Read docs/how-to/first-real-send.md."
    }

    private static let newKey = "Make a new key for the account, or sign in again."
    private static let other = "Set `project` in herald.yaml to the project's id in the Firebase console."
}
