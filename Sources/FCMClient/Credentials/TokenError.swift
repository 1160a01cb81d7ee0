/// Why there is no access token. It holds no part of a credential.
package enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Google knows the credential and refuses it, e.g. with `invalid_grant`.
    ///
    /// - Parameter clockLead: How far the local clock is ahead of Google's. Negative if it is behind, `nil` if they
    ///   agree.
    case refused(code: String, detail: String?, clockLead: Duration?)
    /// Google knows the credential and does not let it act for a service account.
    case mayNotAct(ImpersonationRefusal)
    /// The server answers, but not as Google's does.
    case unexpected(status: Int, from: TokenService)
    /// The private key cannot sign.
    case unusableKey
    /// The file that a subject token is in cannot be read, or is too large.
    case unreadable(file: String)
    /// The source of subject tokens gave something else.
    case noSubjectToken
    /// There is no other credential, and no metadata server either.
    case noMetadataServer(at: String)
    /// The credential's parts do not fit together.
    case unusableCredential
    /// No usable answer came back. A later try may succeed.
    case unavailable(reason: String, isWorthRepeating: Bool)

    /// Whether a person has to change something before a token can be issued.
    package var isPermanent: Bool {
        switch self {
        case .refused, .mayNotAct, .unexpected, .unusableKey, .unreadable, .noSubjectToken, .noMetadataServer,
            .unusableCredential:
            true
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
        case .mayNotAct(let refusal): refusal.description
        case .unexpected(let status, let service):
            "\(service.rawValue) answered HTTP \(status), not as Google's does"
        case .unusableKey: "the private key cannot sign"
        case .unreadable(let file): "the subject token's file \(file) cannot be read"
        case .noSubjectToken: "the source of the subject token gave none"
        case .noMetadataServer(let place): "there are no credentials: no metadata server answers at \(place)"
        case .unusableCredential: "the credential cannot be used"
        case .unavailable(let reason, _): "no access token could be had: \(reason)"
        }
    }

    /// What to do about it.
    package var help: String {
        switch self {
        case .refused(_, _, let lead?):
            "set the clock of this machine: it is \(lead.magnitude) \(lead > .zero ? "ahead" : "behind")"
        case .refused(_, _, nil): "make a new key, or sign in again"
        case .mayNotAct(let refusal): refusal.help
        case .unexpected(_, let service): "look at \(service.setting)"
        case .unusableKey, .unusableCredential: "get the credential file anew"
        case .unreadable: "look at that path and at who may read it"
        case .noSubjectToken: "look at \(TokenService.subject.setting)"
        case .noMetadataServer: "set GOOGLE_APPLICATION_CREDENTIALS or fcm.credentials to a credential file"
        case .unavailable: "look at the network and the proxy, then run the command again"
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
