/// A bearer token: visible ASCII, as an `Authorization` header needs it. Printing it does not show its value.
package struct AccessToken: RawRepresentable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package let rawValue: String

    package init?(rawValue: String) {
        guard !rawValue.isEmpty, rawValue.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        self.rawValue = rawValue
    }

    package var description: String { "access token (\(rawValue.utf8.count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a client gets its access tokens.
package struct Authorization: Sendable {
    /// The token for one exchange. It is called for every exchange, so it should cache the token.
    let token: @Sendable () async throws(TokenError) -> AccessToken
    /// Called when Google refused a token. The next token should be a different one.
    let reject: @Sendable (AccessToken) async -> Void
    /// Ends all waiting for a token, now and later.
    let withdraw: @Sendable () async -> Void

    package init(
        token: @escaping @Sendable () async throws(TokenError) -> AccessToken,
        reject: @escaping @Sendable (AccessToken) async -> Void = { _ in },
        withdraw: @escaping @Sendable () async -> Void = {}
    ) {
        self.token = token
        self.reject = reject
        self.withdraw = withdraw
    }
}
