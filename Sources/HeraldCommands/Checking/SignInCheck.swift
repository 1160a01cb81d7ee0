import FCM
import FCMClient
import HeraldCore

/// What is known of the credential that requests are signed in with, and what Google says of it.
struct SignInCheck {
    /// `nil` if the endpoint needs no credential.
    let credential: FoundCredential?
    /// The project of the workspace.
    let project: String
    /// The account that a server told, for a credential that names none.
    var account: String?

    /// - Parameter error: why there is no access token. `nil` if there is one.
    func results(_ error: TokenError?) -> [CheckResult] {
        guard let credential else { return [.skipped(.credential, "the endpoint is an emulator and gets none")] }
        let summary = credential.summary
        let account = (summary.account ?? account).map { " of \($0)" } ?? ""
        let found = "\(summary.kind)\(account), from \(credential.origin)"
        if let error {
            return [.error(.credential, "\(found): \(error)", fix: Self.remedy(of: error))]
        }
        let warnings = credential.warnings(for: project).map { warning in
            CheckResult.warning(.credential, "\(found); \(warning.text)", fix: warning.remedy)
        }
        return warnings.isEmpty ? [.ok(.credential, found)] : warnings
    }

    private static func remedy(of error: TokenError) -> String {
        if case .refused(let code, _, nil) = error, let code = SignInCode(rawValue: code) { return code.remedy }
        return error.help.asSentence
    }
}
