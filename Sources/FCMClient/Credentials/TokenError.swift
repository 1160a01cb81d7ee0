/// Why there is no access token. It holds no part of a credential.
package enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Google knows the credential and refuses it, e.g. with `invalid_grant`.
    ///
    /// - Parameter clockLead: How far the local clock is ahead of Google's. Negative if it is behind, `nil` if they
    ///   agree.
    case refused(code: String, detail: String?, clockLead: Duration?)
    /// The server answers, but not like Google's token endpoint.
    case notATokenEndpoint(status: Int)
    /// The private key cannot sign.
    case unusableKey
    /// No usable answer came back. A later try may succeed.
    case unavailable(reason: String, isWorthRepeating: Bool)

    /// Whether a person has to change something before a token can be issued.
    package var isPermanent: Bool {
        switch self {
        case .refused, .notATokenEndpoint, .unusableKey: true
        case .unavailable: false
        }
    }

    var isWorthRepeating: Bool {
        if case .unavailable(_, let isWorthRepeating) = self { isWorthRepeating } else { false }
    }

    package var description: String {
        switch self {
        case .refused(let code, let detail, let lead):
            "Google refused the credential: \(code)" + (detail.map { ", \($0)" } ?? "")
                + (lead.map { " (the clock here is \($0.magnitude) \($0 > .zero ? "ahead" : "behind"))" } ?? "")
        case .notATokenEndpoint(let status):
            "the token endpoint answered HTTP \(status), not as Google's does: check token_uri in the key file"
        case .unusableKey: "the private key cannot sign"
        case .unavailable(let reason, _): "no access token could be had: \(reason)"
        }
    }
}

extension Duration {
    /// The length in words, in whole minutes or hours.
    fileprivate var magnitude: String {
        let minutes = abs(components.seconds) / 60
        return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h"
    }
}
