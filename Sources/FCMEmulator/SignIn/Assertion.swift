import CryptoExtras
import FCM

/// A service account's signed request for an access token: a JSON Web Token (RFC 7523) in three base64url parts.
struct Assertion: Sendable {
    private let issuer: String
    private let audience: String
    private let issued: Date
    private let expires: Date
    /// Header and claims in the form that was signed.
    private let signed: [UInt8]
    private let signature: [UInt8]

    private static let maximumLifetime: TimeInterval = 3600
    /// How far the caller's clock may be ahead, in seconds.
    private static let maximumLead: TimeInterval = 300
    /// In bytes, for an RSA key of 1024 bits. Today's keys have at least 2048.
    private static let minimumSignature = 128

    init(parsing text: String) throws(OAuthError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.json(in: parts[0]), let claims = Self.json(in: parts[1]),
            let signature = [UInt8](base64URL: parts[2])
        else { throw .badAssertion("Bad Request") }
        guard header["alg"] == "RS256", header["typ"] == nil || header["typ"] == "JWT" else {
            throw .badAssertion("Invalid JWT: Unsupported algorithm or type.")
        }
        guard let issuer = claims["iss"]?.string, !issuer.isEmpty else {
            throw .badAssertion("Invalid JWT: iss field missing.")
        }
        guard let audience = claims["aud"]?.string else { throw .badAssertion("Invalid JWT: Failed audience check.") }
        guard let issued = claims["iat"]?.int, let expires = claims["exp"]?.int else { throw .unreasonableTimes }
        guard let scope = claims["scope"]?.string, !scope.isEmpty else {
            throw OAuthError(.invalidScope, "Empty or missing scope not allowed.")
        }
        self.issuer = issuer
        self.audience = audience
        self.issued = Date(timeIntervalSince1970: Double(issued))
        self.expires = Date(timeIntervalSince1970: Double(expires))
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    func check(
        at now: Date, audiences: Set<String>, accounts: [String: _RSA.Signing.PublicKey]
    ) throws(OAuthError) {
        guard audiences.contains(audience) else { throw .badAssertion("Invalid JWT: Failed audience check.") }
        guard expires > now, expires > issued, expires.timeIntervalSince(issued) <= Self.maximumLifetime,
            issued.timeIntervalSince(now) <= Self.maximumLead
        else { throw .unreasonableTimes }
        guard !accounts.isEmpty else {
            guard signature.count >= Self.minimumSignature else { throw .badSignature }
            return
        }
        guard let key = accounts[issuer] else { throw .badAssertion("Invalid grant: account not found") }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        guard key.isValidSignature(signature, for: signed, padding: .insecurePKCS1v1_5) else { throw .badSignature }
    }

    private static func json(in part: Substring) -> JSONValue? {
        [UInt8](base64URL: part).flatMap { try? JSONValue(parsing: $0) }
    }
}

extension OAuthError {
    fileprivate static func badAssertion(_ description: String) -> OAuthError {
        OAuthError(.invalidGrant, description)
    }

    fileprivate static let badSignature = badAssertion("Invalid JWT Signature.")

    fileprivate static let unreasonableTimes = badAssertion(
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
            + "Check your iat and exp values in the JWT claim.")
}
