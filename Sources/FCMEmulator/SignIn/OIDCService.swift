import Crypto
import FCM

/// `GET /oidc/token?audience=…`: what a job of GitHub Actions asks for its identity, at ACTIONS_ID_TOKEN_REQUEST_URL and
/// with ACTIONS_ID_TOKEN_REQUEST_TOKEN as bearer.
struct OIDCService {
    static let path = ["oidc", "token"]

    /// In seconds. GitHub's tokens live so long.
    private static let lifetime: Int64 = 300
    private static let issuer = "https://token.actions.githubusercontent.com"
    private static let subject = "repo:example/tide-app:ref:refs/heads/main"

    func answer(_ call: Call, from backend: Backend) -> Answer? {
        guard call.method == "GET" else { return nil }
        let parts = call.header(.authorization)?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            return .json(["message": "The request has no bearer token."], status: 401)
        }
        let now = Int64(backend.now.timeIntervalSince1970)
        let claims: JSONValue = [
            "iss": .string(Self.issuer), "sub": .string(Self.subject),
            "aud": .string(call.parameter("audience") ?? "https://github.com/example"), "iat": .int(now),
            "nbf": .int(now), "exp": .int(now + Self.lifetime),
        ]
        guard let token = Self.token(claims) else { return nil }
        return .json(["value": .string(token)])
    }

    /// A JSON Web Token. Nobody has the key that would be needed to verify it, and the emulator's own Security Token
    /// Service does not look.
    private static func token(_ claims: JSONValue) -> String? {
        guard let header = try? (["alg": "RS256", "typ": "JWT", "kid": "emulator"] as JSONValue).bytes(),
            let claims = try? claims.bytes()
        else { return nil }
        let signed = header.base64URL + "." + claims.base64URL
        return signed + "." + Array(SHA256.hash(data: Array(signed.utf8))).base64URL
    }
}
