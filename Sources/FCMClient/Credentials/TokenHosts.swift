/// The servers that a credential may be sent to: Google's own, this machine, and those that a person trusts.
package struct TokenHosts: Hashable, Sendable {
    private static let services = ["oauth2", "sts", "iamcredentials", "www"]

    /// Host names that `fcm.token_hosts` lists.
    private let trusted: Set<String>

    package init(trusted: some Sequence<String> = []) { self.trusted = Set(trusted.map { $0.lowercased() }) }

    func allow(_ url: TokenURL) -> Bool {
        let endpoint = url.endpoint
        if endpoint.isLoopback || trusted.contains(endpoint.host) { return true }
        return endpoint.scheme == .https && Self.isGoogle(endpoint.host)
    }

    /// `sts.googleapis.com`, `sts.mtls.googleapis.com`, `sts.us-east1.rep.googleapis.com`, and so on. Old key files have
    /// `accounts.google.com`.
    private static func isGoogle(_ host: String) -> Bool {
        if host == "accounts.google.com" { return true }
        guard host.hasSuffix(".googleapis.com") else { return false }
        let labels = host.dropLast(".googleapis.com".count).split(separator: ".", omittingEmptySubsequences: false)
        guard let service = labels.first, services.contains(String(service)) else { return false }
        switch labels.count {
        case 1: return true
        case 2: return labels[1] == "mtls"
        case 3: return labels[2] == "rep" && !labels[1].isEmpty
        default: return false
        }
    }
}
