import CryptoExtras
import FCM

/// An assertion like those of Google's libraries, made at 2026-12-01T08:00:00Z.
struct SignedAssertion {
    static let issuer = "runner@tide-app-prod.iam.gserviceaccount.com"
    /// One key for all tests, because making it takes a while.
    static let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048)

    var header: [String: JSONValue] = ["alg": "RS256", "typ": "JWT", "kid": "1"]
    var claims: [String: JSONValue] = [
        "iss": .string(issuer), "scope": "https://www.googleapis.com/auth/firebase.messaging",
        "aud": "https://oauth2.googleapis.com/token", "iat": 1_796_112_000, "exp": 1_796_115_600,
    ]
    var key = Self.key

    func text() throws -> String {
        let signed = try [header, claims].map { Self.base64URL(try JSONValue.object($0).bytes()) }
            .joined(separator: ".")
        let signature = try key?.signature(for: Array(signed.utf8), padding: .insecurePKCS1v1_5)
        return signed + "." + Self.base64URL(signature?.rawRepresentation ?? Data())
    }

    /// The body of a request for a token.
    func form() throws -> String {
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(try text())"
    }

    static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension ManualEmulator {
    func requestToken(_ form: String, at target: String = "/token", host: String = "127.0.0.1:9099") -> Reply {
        call(
            "POST", target, form,
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Host": host])
    }

    func signIn() throws -> String {
        let reply = requestToken(try SignedAssertion().form())
        return try reply.json()["access_token"]?.string ?? ""
    }
}
