import FCMClient
import HeraldCore

/// The proxy that the environment names.
struct ProxyCheck {
    /// Host and port, without a password. `nil` if requests go straight to the endpoint.
    let name: String?
    private let found: CheckResult

    init(to endpoint: Endpoint, environment: [String: String]) {
        do throws(ProxyError) {
            let settings = endpoint.isLoopback ? .none : try ProxySettings(environment: environment)
            name = settings.proxy(for: endpoint).map { "\($0)" }
            if endpoint.isLoopback {
                found = .ok(.proxy, "none: the endpoint is on this machine")
            } else if let name {
                found = .ok(.proxy, "HTTPS_PROXY names \(name)")
            } else {
                found = .ok(.proxy, settings.proxy == nil ? "none is set" : "none: NO_PROXY has the endpoint")
            }
        } catch {
            name = nil
            found = .error(.proxy, "\(error)", fix: error.help.asSentence)
        }
    }

    var result: CheckResult { found }
}
