import Foundation
import HeraldCore

/// The proxy that the environment names.
struct ProxyCheck {
    /// Host and port, without a password. `nil` if requests go straight to the endpoint.
    let name: String?
    private let found: CheckResult

    /// - Parameter isLoopback: whether the endpoint is on this machine, which is called without a proxy.
    init(isLoopback: Bool, environment: [String: String]) {
        let variable = ["https_proxy", "HTTPS_PROXY"].first { environment[$0]?.isEmpty == false }
        guard !isLoopback, let variable, let text = environment[variable] else {
            name = nil
            found = .ok(.proxy, isLoopback ? "none: the endpoint is on this machine" : "none is set")
            return
        }
        let address = URLComponents(string: text.contains("://") ? text : "http://\(text)")
        guard let host = address?.host, !host.isEmpty else {
            name = nil
            found = .error(
                .proxy, "\(variable) is not the address of a proxy", fix: "Set \(variable) to http://HOST:PORT.")
            return
        }
        name = "\(host):\(address?.port ?? 80)"
        found = .ok(.proxy, "\(variable) names \(host):\(address?.port ?? 80)")
    }

    var result: CheckResult { found }
}
