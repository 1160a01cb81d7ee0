import CryptoExtras
import FCM
import Testing

@testable import FCMClient

/// A service account's key file with a key made for the tests.
enum KeyFile {
    /// Made only once, because it takes a second.
    private static let made = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    static var key: _RSA.Signing.PrivateKey { get throws { try made.get() } }

    static let email = "herald@tide-app-prod.iam.gserviceaccount.com"
    static let keyID = "0123456789abcdef0123456789abcdef01234567"

    static func members(tokenURI: String = "https://oauth2.googleapis.com/token") throws -> [String: JSONValue] {
        [
            "type": "service_account", "project_id": "tide-app-prod", "private_key_id": .string(keyID),
            "private_key": .string(try key.pkcs8PEMRepresentation), "client_email": .string(email),
            "client_id": "108", "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": .string(tokenURI), "universe_domain": "googleapis.com",
        ]
    }

    static func credential(tokenURI: String = "https://oauth2.googleapis.com/token") throws -> Credential {
        try Credential(file: JSONValue.object(members(tokenURI: tokenURI)).bytes())
    }

    /// The assertion of that time, signed.
    static func assertion(at time: Int64) async throws -> String {
        let key = try #require(SigningKey(pem: key.pkcs8PEMRepresentation, id: keyID))
        return try await Assertion(issuer: email, key: key, scope: Credential.scope, issuedAt: time).signed()
    }

    /// Parts of the key that no output may contain.
    static var secrets: [String] {
        get throws {
            try [key.pkcs8PEMRepresentation, key.pemRepresentation]
                .flatMap { $0.split(separator: "\n").dropFirst().dropLast().map(String.init) } + [keyID]
        }
    }
}
