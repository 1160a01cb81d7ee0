internal import FCM

/// A workload that another provider vouches for (RFC 8693): GitHub Actions, GitLab, Kubernetes and others.
struct ExternalAccount: Sendable {
    /// What a token needs that is used to act for a service account, and for nothing else.
    static let impersonationScope = "https://www.googleapis.com/auth/iam"

    let quotaProject: String?
    let source: SubjectSource
    let tokenURL: TokenURL
    let impersonation: Impersonation?
    let audience: String
    private let subjectTokenType: String
    /// For people of a workforce pool: the project for quota.
    private let userProject: String?
    private let client: (id: String, secret: Secret)?

    init(_ fields: CredentialFields) throws(CredentialFileError) {
        try fields.checkUniverse()
        guard let source = try fields.fields("credential_source") else { throw .missing("credential_source") }
        self.source = try SubjectSource(source)
        audience = try fields.text("audience")
        subjectTokenType = try fields.text("subject_token_type")
        tokenURL = try fields.url("token_url")
        quotaProject = try fields.optionalProject("quota_project_id")
        userProject = try fields.optionalText("workforce_pool_user_project")
        if let id = try fields.optionalText("client_id") {
            client = (id, Secret(try fields.optionalText("client_secret") ?? ""))
        } else {
            client = nil
        }
        impersonation = fields.has("service_account_impersonation_url") ? try Impersonation(external: fields) : nil
    }

    var hasClientSecret: Bool { client != nil }

    func legs(for scope: String, quotaProject: String?) -> [any TokenLeg] {
        let exchange = ExchangeLeg(account: self, scope: impersonation == nil ? scope : Self.impersonationScope)
        let legs: [any TokenLeg] = [source.leg, exchange]
        return legs + (impersonation.map { [$0.leg(for: scope, quotaProject: quotaProject)] } ?? [])
    }

    private struct ExchangeLeg: TokenLeg {
        let account: ExternalAccount
        let scope: String

        func step(with subject: Secret, at _: Double) -> TokenStep {
            let base = "urn:ietf:params:oauth"
            var form = [
                ("grant_type", "\(base):grant-type:token-exchange"), ("audience", account.audience),
                ("scope", scope), ("requested_token_type", "\(base):token-type:access_token"),
                ("subject_token", subject.rawValue), ("subject_token_type", account.subjectTokenType),
            ]
            if let project = account.userProject, account.client == nil {
                // This field is encoded twice.
                let options = JSONValue.object(["userProject": .string(project)])
                form.append(("options", String(decoding: options.textBytes, as: UTF8.self).percentEncodedSegment))
            }
            var call = TokenCall.form(form, to: account.tokenURL, .exchange, hiding: [subject])
            if let client = account.client {
                let pair = Data("\(client.id):\(client.secret.rawValue)".utf8).base64EncodedString()
                call.headers.append(("authorization", Secret("Basic \(pair)")))
                call.secrets += [client.secret, Secret(pair)]
            }
            return .call(call)
        }

        func find(in answer: TokenAnswer, at now: Double) throws(TokenError) -> TokenFinding {
            .grant(try TokenGrant(answer, from: .exchange, at: now))
        }
    }
}

extension JSONValue {
    /// The bytes of a value without numbers: only a number can fail to be JSON.
    var textBytes: [UInt8] {
        do { return try bytes() } catch { preconditionFailure("texts are JSON: \(error)") }
    }
}
