import CryptoExtras
import FCM
import Foundation

/// A service account's key file with a key made for tests.
struct ServiceAccountKey {
    static let email = "herald@tide-app-prod.iam.gserviceaccount.com"
    static let id = "0123456789abcdef0123456789abcdef01234567"

    /// Made once, since that takes a second.
    private static let made = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    static var key: _RSA.Signing.PrivateKey { get throws { try made.get() } }

    /// - Parameters:
    ///   - tokens: The token endpoint's address.
    ///   - other: Another key of the account.
    static func file(tokens: String, key other: _RSA.Signing.PrivateKey? = nil) throws -> String {
        let key = try other ?? key
        let members: JSONValue = [
            "type": "service_account", "project_id": "tide-app-prod", "private_key_id": .string(id),
            "private_key": .string(key.pkcs8PEMRepresentation), "client_email": .string(email),
            "client_id": "108", "token_uri": .string(tokens), "universe_domain": "googleapis.com",
        ]
        return String(decoding: try members.bytes(), as: UTF8.self)
    }

    /// Pieces of the key that must never be shown.
    static var secrets: [String] {
        get throws {
            try key.pkcs8PEMRepresentation.split(separator: "\n").dropFirst().dropLast().map(String.init) + [id]
        }
    }
}
