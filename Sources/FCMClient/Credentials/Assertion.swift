internal import JWTKit

/// The JSON web token (RFC 7519) with which a service account asks for an access token, before it is signed.
struct Assertion: Sendable {
    /// Google's fixed audience. It does not change with the address of the token endpoint.
    static let audience = "https://oauth2.googleapis.com/token"
    /// In seconds. Google accepts no longer lifetime.
    static let lifetime: Int64 = 3600

    let issuer: String
    let key: SigningKey
    let scope: String
    /// In seconds since 1970.
    let issuedAt: Int64

    /// Signed with RS256 (RFC 7518 §3.3).
    func signed() async throws -> String {
        let claims = Claims(
            iss: issuer, scope: scope, aud: Self.audience, iat: issuedAt, exp: issuedAt + Self.lifetime)
        return try await key.sign(claims)
    }

    private struct Claims: JWTPayload {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int64
        let exp: Int64

        func verify(using algorithm: some JWTAlgorithm) {}
    }
}

/// A service account's private key. Printing it shows nothing of it.
struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: Insecure.RSA.PrivateKey
    /// Identifies the key among those of the account.
    private let id: String?

    /// `nil` if the text is no RSA key of 2048 bits or more.
    init?(pem: String, id: String?) {
        guard let key = try? Insecure.RSA.PrivateKey(pem: pem) else { return nil }
        self.key = key
        self.id = id
    }

    func sign(_ claims: some JWTPayload) async throws -> String {
        let keys = await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256, serializer: serializer)
        var header = JWTHeader()
        if let id { header.kid = id }
        // Only one key is there, and it has no name in the collection.
        return try await keys.sign(claims, header: header)
    }

    private var serializer: DefaultJWTSerializer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return DefaultJWTSerializer(jsonEncoder: encoder)
    }

    var derRepresentation: Data { key.derRepresentation }

    var description: String { "private key" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
