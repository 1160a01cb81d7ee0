internal import FCM

/// Gets access tokens for a service account from Google (RFC 7523 §2.1).
struct ServiceAccountTokens: Sendable {
    let account: ServiceAccount
    let pool: ConnectionPool
    /// For the assertion's timestamps.
    let now: @Sendable () -> Date

    /// Sends one request.
    func request() async throws(TokenError) -> TokenGrant {
        let time = now().timeIntervalSince1970
        guard let assertion = try? ServiceAccountAssertion(for: account, at: time) else { throw .unusableKey }
        let call = HTTPCall(
            form: [
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion.text),
            ], to: account.tokenEndpoint)
        switch await pool.carry(call) {
        case .response(let response):
            return try TokenGrant(response, now: now().timeIntervalSince1970)
        case .notSent(let reason), .lost(let reason), .refused(let reason):
            throw .unavailable(
                reason: "\(account.tokenEndpoint.endpoint): \(reason)", isWorthRepeating: !Task.isCancelled)
        }
    }
}
