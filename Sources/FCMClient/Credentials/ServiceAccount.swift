internal import FCM

/// A service account's key file, as downloaded from the Google Cloud console (RFC 7523 §2.1).
struct ServiceAccount: Sendable {
    let projectID: String?
    let email: String
    let key: SigningKey
    let tokenURL: TokenURL

    init(_ fields: CredentialFields) throws(CredentialFileError) {
        try fields.checkUniverse()
        projectID = try fields.optionalText("project_id")
        email = try fields.text("client_email")
        let id = try fields.optionalText("private_key_id")
        guard let key = SigningKey(pem: try fields.text("private_key"), id: id) else { throw .privateKey }
        self.key = key
        tokenURL = try fields.url("token_uri")
    }

    func legs(for scope: String) -> [any TokenLeg] {
        [SigningLeg(account: self, scope: scope), AssertionLeg(url: tokenURL)]
    }
}

private struct SigningLeg: TokenLeg {
    let account: ServiceAccount
    let scope: String

    func step(with _: Secret, at now: Double) -> TokenStep {
        .sign(Assertion(issuer: account.email, key: account.key, scope: scope, issuedAt: Int64(now)))
    }

    func find(in answer: TokenAnswer, at _: Double) throws(TokenError) -> TokenFinding {
        guard case .signed(let text) = answer else { throw .unusableCredential }
        return .text(Secret(text))
    }
}

private struct AssertionLeg: TokenLeg {
    let url: TokenURL

    func step(with assertion: Secret, at _: Double) -> TokenStep {
        let type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        return .call(
            .form(
                [("grant_type", type), ("assertion", assertion.rawValue)], to: url, .token, hiding: [assertion]))
    }

    func find(in answer: TokenAnswer, at now: Double) throws(TokenError) -> TokenFinding {
        .grant(try TokenGrant(answer, from: .token, at: now))
    }
}
