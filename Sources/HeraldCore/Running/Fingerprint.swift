internal import Crypto
package import FCM

/// Shows a registration as `r_` and 16 hexadecimal digits. Equal registrations look equal, but nobody can send to what
/// is shown.
package struct Fingerprinter: Sendable {
    private let key: [UInt8]
    /// Show registrations in full, because the user asked for it.
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

    /// A server's message, with the registration replaced if the message quotes it.
    package func redact(_ text: String, _ registration: Registration) -> String {
        guard !reveals, text.utf8.count >= 22 else { return text }
        let name = name(registration)
        let whole = registration.rawValue
        // Servers quote it as it is, percent-encoded as in a path, or in parts.
        let parts = [whole, whole.percentEncodedSegment] + whole.split(separator: ":").map(String.init)
        let redacted = parts.reduce(text) { $1.utf8.count < 22 ? $0 : $0.replacing($1, with: name) }
        return Registration.masking(redacted)
    }
}
