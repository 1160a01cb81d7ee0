internal import FCM

/// Why a credential that Google knows must not act for a service account.
package struct ImpersonationRefusal: Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// - Parameter role: The role on the service account that is missing.
        case noRole(String)
        case noSuchAccount
        /// The project of the service account does not have the API that gives the tokens.
        case apiDisabled
    }

    private let reason: Reason
    private let account: String?
    /// What Google says, as it may be shown.
    private let words: String

    /// - Parameter account: The service account. `nil` if the address in the credential file does not end with one.
    package init(_ reason: Reason, account: String?, code: String, detail: String?) {
        (self.reason, self.account) = (reason, account)
        words = code + (detail.map { ", \($0)" } ?? "")
    }

    package var description: String { "Google does not let the credential act for \(shownAccount): \(words)" }

    /// What to do about it.
    package var help: String {
        switch reason {
        case .noRole(let role): "give whoever signs in the role \(role) on \(shownAccount)"
        case .noSuchAccount: "look at \(TokenService.impersonation.setting): does that account exist?"
        case .apiDisabled:
            "enable the IAM Service Account Credentials API (iamcredentials.googleapis.com) in the project of \(shownAccount)"
        }
    }

    private var shownAccount: String { account.map { "the service account \($0)" } ?? "the service account" }
}

extension ImpersonationRefusal {
    /// `nil` for another failure.
    init?(_ error: TokenError, by answer: TokenAnswer, of impersonation: Impersonation) {
        guard case .refused(let code, let detail, _) = error else { return nil }
        let reason: Reason
        switch code {
        case "PERMISSION_DENIED": reason = answer.isOfDisabledAPI ? .apiDisabled : .noRole(impersonation.role)
        case "NOT_FOUND": reason = .noSuchAccount
        default: return nil
        }
        self.init(reason, account: impersonation.account, code: code, detail: detail)
    }
}

extension TokenAnswer {
    fileprivate var isOfDisabledAPI: Bool {
        let body = response.flatMap { try? JSONValue(parsing: $0.body) }
        return body?["error"]?["details"]?.array?.contains { $0["reason"] == "SERVICE_DISABLED" } ?? false
    }
}
