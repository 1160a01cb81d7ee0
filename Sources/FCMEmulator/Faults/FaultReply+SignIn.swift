import FCM

/// Scripted answers of the endpoints that issue access tokens. Each has a form of its own.
extension FaultReply {
    func signInAnswer(of service: SignInService, to call: Call) -> Answer {
        switch service.endpoint {
        case .token, .exchange:
            .json(
                ["error": .string(oauthCode), "error_description": .string(description(service.endpoint, call))],
                status: status)
        case .impersonation: impersonationError.answer
        case .metadata: .metadata(GoogleError.Status(httpStatus: status).rawValue + "\n", status: status)
        case .oidc: .json(["message": .string(GoogleError.Status(httpStatus: status).rawValue)], status: status)
        }
    }

    private var oauthCode: String {
        if let code, Service.Name.oauth.speaks(code) { return code }
        return switch status {
        case 400: OAuthError.Code.invalidGrant.rawValue
        case 401: "invalid_client"
        case 403: "access_denied"
        case 429, 503: "temporarily_unavailable"
        case 500...: "internal_failure"
        default: OAuthError.Code.invalidRequest.rawValue
        }
    }

    /// Google's text for a credential that it does not take any more.
    private func description(_ endpoint: SignInService.Endpoint, _ call: Call) -> String {
        guard oauthCode == OAuthError.Code.invalidGrant.rawValue else { return "Bad Request" }
        if endpoint == .exchange { return "The given credential is rejected by the attribute condition." }
        let isPersons = (try? call.form())?["grant_type"] == "refresh_token"
        return isPersons ? "Token has been expired or revoked." : "Invalid JWT Signature."
    }

    /// Without a code of Google's APIs, a 403 says that the caller may not act for the account.
    private var impersonationError: GoogleError {
        guard status == 403, code.map({ ConfigurationFlaw(rawValue: $0) == .permissionMissing }) ?? true else {
            var error = googleError
            error.httpStatus = status
            error.details.removeAll { if case .fcm = $0 { true } else { false } }
            return error
        }
        let permission = "iam.serviceAccounts.getAccessToken"
        return GoogleError(
            status: .permissionDenied,
            message: "Permission '\(permission)' denied on resource (or it may not exist).",
            details: [
                .info(
                    reason: ConfigurationFlaw.permissionMissing.rawValue, metadata: ["permission": permission])
            ])
    }
}
