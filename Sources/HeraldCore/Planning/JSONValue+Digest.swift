internal import Crypto
package import FCM

extension JSONValue {
    /// SHA-256 of the canonical text, as `sha256:` and 64 hexadecimal digits.
    package var digest: String {
        // Encoding fails only for a number that is not a JSON number. There are none here.
        let bytes = (try? bytes()) ?? []
        return "sha256:" + SHA256.hash(data: bytes).hexadecimal
    }
}
