import FCM
import Testing

@testable import FCMClient

/// What is said of a credential that Google does not let act for a service account.
struct ImpersonationRefusalTests {
    /// Goes the way to an access token until the impersonation, which is refused.
    ///
    /// - Parameter answers: What comes before the token that the impersonation is asked for with.
    private func refused(
        _ file: [String: JSONValue], _ answers: [TokenAnswer], by body: String, _ status: Int
    ) throws {
        let grant = #"{"access_token":"ya29.a","expires_in":3599,"token_type":"Bearer"}"#
        let last = [(200, grant), (status, body)].map { status, body in
            TokenAnswer.response(Response(status: status, body: Array(body.utf8)))
        }
        var dialog = try Credential(file: JSONValue.object(file).bytes()).dialog(quotaProject: nil, isFound: false)
        for answer in answers + last { _ = try dialog.take(answer, at: 1_796_126_400) }
    }

    @Test func `a refused impersonation says what Google says`() {
        let body = """
            {"error":{"code":403,"message":"Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it \
            may not exist).","status":"PERMISSION_DENIED"}}
            """
        let error = #expect(throws: TokenError.self) {
            try refused(CredentialSamples.impersonated, [], by: body, 403)
        }
        #expect(error?.isPermanent == true)
        #expect(
            error?.description == "Google does not let the credential act for the service account "
                + "\(CredentialSamples.account): PERMISSION_DENIED, Permission "
                + "'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).")
    }

    @Test(
        arguments: [
            (false, "PERMISSION_DENIED", "IAM_PERMISSION_DENIED", "the role roles/iam.serviceAccountTokenCreator on"),
            (true, "PERMISSION_DENIED", "IAM_PERMISSION_DENIED", "the role roles/iam.workloadIdentityUser on"),
            (false, "PERMISSION_DENIED", "SERVICE_DISABLED", "enable the IAM Service Account Credentials API"),
            (true, "NOT_FOUND", "", "service_account_impersonation_url"),
        ])
    func `a refused impersonation names what is missing`(
        isExternal: Bool, code: String, reason: String, help: String
    ) throws {
        let body = #"{"error":{"status":"\#(code)","message":"m","details":[{"reason":"\#(reason)"}]}}"#
        let status = code == "NOT_FOUND" ? 404 : 403
        let subject = TokenAnswer.bytes(Array("SUBJECT.TOKEN.SIGNATURE\n".utf8))
        let error = #expect(throws: TokenError.self) {
            isExternal
                ? try refused(CredentialSamples.external, [subject], by: body, status)
                : try refused(CredentialSamples.impersonated, [], by: body, status)
        }
        #expect(error?.help.contains(help) == true, "\(error?.help ?? "")")
    }
}
