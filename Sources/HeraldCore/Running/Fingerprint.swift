internal import Crypto
package import FCM

/// Shows registrations as `r_` and 16 hexadecimal digits: the same for the same one, and worth nothing to a finder.
package struct Fingerprinter: Sendable {
    private let key: [UInt8]
    /// Show them as they are; somebody asked for it.
    private let reveals: Bool

    package init(key: [UInt8], reveals: Bool = false) {
        self.key = key
        self.reveals = reveals
    }

    package func name(_ registration: Registration) -> String {
        if reveals { return registration.rawValue }
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(registration.rawValue.utf8), using: SymmetricKey(data: key))
        return "r_" + code.prefix(8).hexadecimal
    }

    /// A server's sentence with the registration struck out, should it quote it.
    package func redact(_ text: String, _ registration: Registration) -> String {
        guard !reveals, text.utf8.count >= 22 else { return text }
        let name = name(registration)
        let whole = registration.rawValue
        // As it is, as a path has it, and by its parts.
        let parts = [whole, whole.percentEncodedSegment] + whole.split(separator: ":").map(String.init)
        let redacted = parts.reduce(text) { $1.utf8.count < 22 ? $0 : $0.replacing($1, with: name) }
        return Registration.masking(redacted)
    }
}
