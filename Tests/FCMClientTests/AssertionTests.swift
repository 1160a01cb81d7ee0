import CryptoExtras
import FCM
import Foundation
import Testing

@testable import FCMClient

struct AssertionTests {
    /// Decodes base64url without padding.
    private func decoded(_ text: Substring) throws -> Data {
        #expect(!text.contains { "+/=".contains($0) })
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return try #require(Data(base64Encoded: plain + padding))
    }

    @Test func `it claims what Google asks for`() async throws {
        let parts = try await KeyFile.assertion(at: 1_796_112_000).split(separator: ".")
        #expect(parts.count == 3)
        #expect(
            try JSONValue(parsing: decoded(parts[0])) == [
                "alg": "RS256", "typ": "JWT", "kid": "0123456789abcdef0123456789abcdef01234567",
            ])
        #expect(
            try JSONValue(parsing: decoded(parts[1])) == [
                "iss": "herald@tide-app-prod.iam.gserviceaccount.com",
                "scope": "https://www.googleapis.com/auth/firebase.messaging",
                "aud": "https://oauth2.googleapis.com/token", "iat": 1_796_112_000, "exp": 1_796_115_600,
            ])
    }

    @Test func `its signature is the key's`() async throws {
        let text = try await KeyFile.assertion(at: 1_796_112_000)
        let parts = text.split(separator: ".")
        let signed = Data("\(parts[0]).\(parts[1])".utf8)
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try decoded(parts[2]))
        let publicKey = try KeyFile.key.publicKey
        #expect(publicKey.isValidSignature(signature, for: signed, padding: .insecurePKCS1v1_5))
        #expect(!publicKey.isValidSignature(signature, for: signed + [0], padding: .insecurePKCS1v1_5))
    }

    @Test func `without the key's name the header has none`() async throws {
        let key = try #require(SigningKey(pem: KeyFile.key.pkcs8PEMRepresentation, id: nil))
        let text = try await Assertion(issuer: "a", key: key, scope: "b", issuedAt: 0).signed()
        let header = try #require(text.split(separator: ".").first)
        #expect(try JSONValue(parsing: decoded(header)) == ["alg": "RS256", "typ": "JWT"])
    }
}
