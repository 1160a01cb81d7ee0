/// Why a text is not an endpoint.
package enum EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
    case noScheme
    case scheme(String)
    /// The error does not repeat the text, because it may contain a password.
    case userInfo
    case host(String)
    case port(String)
    case path(String)
    case query
    case fragment
    case plainTextBeyondLoopback(host: String)

    package var description: String {
        switch self {
        case .noScheme: "an endpoint begins with 'https://', or 'http://' on this machine"
        case .scheme(let scheme): "'\(scheme)' is not a scheme for an endpoint: use https, or http on this machine"
        case .userInfo: "an endpoint holds no user name or password"
        case .host(let host): "'\(host)' is not a host name or address"
        case .port(let port): "'\(port)' is not a port: 1 to 65535"
        case .path(let path): "an endpoint ends after its port, without the path '\(path)'"
        case .query: "an endpoint has no query"
        case .fragment: "an endpoint has no fragment"
        case .plainTextBeyondLoopback(let host):
            "'\(host)' is not this machine: over http only 127.0.0.1, ::1 and localhost are taken, others need https"
        }
    }
}
