internal import CryptoExtras
internal import FCM

/// The JSON web token (RFC 7519) that a service account sends to get an access token.
struct ServiceAccountAssertion {
    /// Google's fixed audience. It does not change with the address of the token endpoint.
    static let audience = "https://oauth2.googleapis.com/token"
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// In seconds. Google accepts no longer lifetime.
    static let lifetime: Int64 = 3600

    /// Signed with RS256 (RFC 7518 §3.3).
    let text: String

    /// - Parameter now: In seconds since 1970.
    init(for account: ServiceAccount, at now: Double) throws {
        let issued = Int64(now)
        var header: [String: JSONValue] = ["alg": "RS256", "typ": "JWT"]
        header["kid"] = account.keyID.map { .string($0) }
        let claims: JSONValue = [
            "iss": .string(account.email), "scope": .string(Self.scope), "aud": .string(Self.audience),
            "iat": .int(issued), "exp": .int(issued + Self.lifetime),
        ]
        let signed =
            try Self.base64URL(JSONValue.object(header).bytes()) + "." + Self.base64URL(claims.bytes())
        let signature = try account.key.signature(for: Data(signed.utf8), padding: .insecurePKCS1v1_5)
        text = signed + "." + Self.base64URL(signature.rawRepresentation)
    }

    /// base64url without padding (RFC 7515 §2).
    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
