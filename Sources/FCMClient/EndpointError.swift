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
        case .noScheme: "the endpoint has no 'https://' at its beginning"
        case .scheme(let scheme): "'\(scheme)' is not a scheme for an endpoint"
        case .userInfo: "the endpoint has a user name or password"
        case .host(let host): "'\(host)' is not a host name or address"
        case .port(let port): "'\(port)' is not a port from 1 to 65535"
        case .path(let path): "the endpoint has the path '\(path)'"
        case .query: "the endpoint has a query"
        case .fragment: "the endpoint has a fragment"
        case .plainTextBeyondLoopback(let host): "'\(host)' is not this machine, so http is not allowed"
        }
    }

    /// What to do about it.
    package var help: String {
        "write https://HOST or https://HOST:PORT; http:// is only for 127.0.0.1, ::1 and localhost"
    }
}
