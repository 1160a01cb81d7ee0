/// A bearer token: visible ASCII, as an `Authorization` header takes it. Printing it shows nothing of it.
package struct AccessToken: RawRepresentable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package let rawValue: String

    package init?(rawValue: String) {
        guard !rawValue.isEmpty, rawValue.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        self.rawValue = rawValue
    }

    package var description: String { "access token (\(rawValue.utf8.count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a client has its access tokens from.
package struct Authorization: Sendable {
    /// The token for one exchange; it is asked for every time, so it should remember what it knows.
    let token: @Sendable () async throws(TokenError) -> AccessToken
    /// Hears that Google refused a token, so that the next one is another.
    let reject: @Sendable (AccessToken) async -> Void

    package init(
        token: @escaping @Sendable () async throws(TokenError) -> AccessToken,
        reject: @escaping @Sendable (AccessToken) async -> Void = { _ in }
    ) {
        self.token = token
        self.reject = reject
    }
}
