/// Which proxy each server is called through.
package struct ProxySettings: Hashable, Sendable {
    /// No proxy for anything.
    package static let none = ProxySettings()

    /// `nil` if there is none.
    package let proxy: Proxy?
    private let exceptions: ProxyExceptions

    private init() {
        proxy = nil
        exceptions = ProxyExceptions("")
    }

    /// Reads `https_proxy` and `no_proxy`. Their names in small letters go before those in capitals, as in curl.
    package init(environment: [String: String]) throws(ProxyError) {
        func value(_ name: String) -> String? {
            [name, name.uppercased()].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        exceptions = ProxyExceptions(value("no_proxy") ?? "")
        if let url = value("https_proxy") { proxy = try Proxy(url) } else { proxy = nil }
    }

    /// The proxy for a server. Servers on this machine and on its network link are called without one.
    package func proxy(for endpoint: Endpoint) -> Proxy? {
        guard endpoint.scheme == .https, !endpoint.isLoopback, !endpoint.isLinkLocal,
            !exceptions.cover(endpoint)
        else { return nil }
        return proxy
    }
}
