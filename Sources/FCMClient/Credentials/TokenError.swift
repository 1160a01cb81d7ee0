/// Why there is no access token. It holds nothing of a credential.
package enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Google knows the credential and says no, e.g. `invalid_grant`.
    ///
    /// - Parameter clockLead: How far the clock here is ahead of Google's, behind if negative; `nil` when they agree.
    case refused(code: String, detail: String?, clockLead: Duration?)
    /// The token endpoint answers, but not as Google's does.
    case notATokenEndpoint(status: Int)
    /// The key cannot sign.
    case unusableKey
    /// Nothing, or nothing of use, came back; it may at another time.
    case unavailable(reason: String, isWorthRepeating: Bool)

    /// Whether a person must change something before a token can be had.
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
    /// In words, whole minutes or hours.
    fileprivate var magnitude: String {
        let minutes = abs(components.seconds) / 60
        return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h"
    }
}
