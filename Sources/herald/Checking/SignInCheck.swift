import FCMClient
import HeraldCore

/// What is known of the credential that requests are signed in with, and what Google says of it.
struct SignInCheck {
    /// What was found, without secrets. `nil` if the endpoint needs no credential.
    let credential: CredentialSummary?
    /// Where it is from.
    let origin: String
    let project: String

    /// - Parameter error: why there is no access token. `nil` if there is one.
    func results(_ error: TokenError?) -> [CheckResult] {
        guard let credential else { return [.skipped(.credential, "the endpoint is an emulator and gets none")] }
        let account = credential.account.map { " of \($0)" } ?? ""
        let found = "\(credential.kind)\(account), from \(origin)"
        if let error {
            return [.error(.credential, "\(found): \(error)", fix: Self.remedy(of: error))]
        }
        guard let other = credential.project, other != project else { return [.ok(.credential, found)] }
        return [
            .warning(
                .credential, "\(found), is for the project '\(other)'",
                fix: "Make sure that the account has its role in '\(project)', where messages are sent.")
        ]
    }

    private static func remedy(of error: TokenError) -> String {
        switch error {
        case .refused(_, _, let lead?):
            "Set the clock of this machine: it is \(ClockCheck.words(lead))."
        case .refused(let code, _, nil): CodeExplanation(code)?.remedy ?? "Make a new key, or sign in again."
        case let error where error.isPermanent: "Get the credential file anew."
        default: "Look at the network and the proxy, and try again."
        }
    }
}
