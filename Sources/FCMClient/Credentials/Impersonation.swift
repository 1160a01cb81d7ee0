internal import FCM

/// Acting for a service account, with a token of somebody who may (`generateAccessToken` of the IAM Credentials API).
struct Impersonation: Sendable {
    private static let method = ":generateAccessToken"
    private static let usualLifetime: Int64 = 3600

    let url: TokenURL
    /// The role on the service account that lets somebody like the caller act for it.
    let role: String
    private let delegates: [String]
    /// In seconds.
    private let lifetime: Int64

    /// Reads the fields of an `impersonated_service_account`.
    init(_ fields: CredentialFields) throws(CredentialFileError) {
        url = try Self.url(in: fields)
        role = "roles/iam.serviceAccountTokenCreator"
        delegates = try fields.texts("delegates")
        lifetime = Self.usualLifetime
    }

    /// Reads the fields of an `external_account`.
    init(external fields: CredentialFields) throws(CredentialFileError) {
        url = try Self.url(in: fields)
        role = "roles/iam.workloadIdentityUser"
        delegates = []
        let options = try fields.fields("service_account_impersonation")
        lifetime = try options?.optionalNumber("token_lifetime_seconds") ?? Self.usualLifetime
        guard (600...43_200).contains(lifetime) else {
            throw .lifetime("service_account_impersonation.token_lifetime_seconds")
        }
    }

    private static func url(in fields: CredentialFields) throws(CredentialFileError) -> TokenURL {
        try fields.url("service_account_impersonation_url")
    }

    /// The service account that it acts for, by the last part of its address.
    var account: String? {
        guard url.path.hasSuffix(Self.method),
            let last = url.path.dropLast(Self.method.count).split(separator: "/").last
        else { return nil }
        return String(last).replacing("%40", with: "@")
    }

    func leg(for scope: String, quotaProject: String?) -> any TokenLeg {
        Leg(impersonation: self, scope: scope, quotaProject: quotaProject)
    }

    private struct Leg: TokenLeg {
        let impersonation: Impersonation
        let scope: String
        let quotaProject: String?

        func step(with token: Secret, at _: Double) -> TokenStep {
            let body: JSONValue = [
                "delegates": .array(impersonation.delegates.map(JSONValue.string)),
                "scope": [.string(scope)], "lifetime": .string("\(impersonation.lifetime)s"),
            ]
            var headers = [
                (name: "content-type", value: Secret("application/json")),
                (name: "authorization", value: Secret("Bearer \(token.rawValue)")),
            ]
            if let quotaProject { headers.append(("x-goog-user-project", Secret(quotaProject))) }
            return .call(
                TokenCall(
                    service: .impersonation, url: impersonation.url, headers: headers,
                    body: Secret(String(decoding: body.textBytes, as: UTF8.self)), secrets: [token]))
        }

        func find(in answer: TokenAnswer, at now: Double) throws(TokenError) -> TokenFinding {
            do throws(TokenError) {
                return .grant(try TokenGrant(impersonation: answer, at: now))
            } catch {
                throw ImpersonationRefusal(error, by: answer, of: impersonation).map(TokenError.mayNotAct) ?? error
            }
        }
    }
}
