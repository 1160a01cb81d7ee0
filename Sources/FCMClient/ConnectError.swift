internal import NIOCore
internal import NIOPosix

/// Why a connection could not be opened. Nothing of any request has left this machine.
enum ConnectError: Error, Hashable, Sendable {
    case unresolved, unreachable, timedOut
    /// The handshake failed, or the certificate was not trusted.
    case insecure
    /// The server did not choose `h2` (RFC 7301, RFC 9113 §3.2).
    case notHTTP2
    /// The connection closed before it was ready for a request.
    case closed
    /// The proxy opened no tunnel to the server.
    case proxyRefused(proxy: String, status: Int)
    /// What answers at the proxy's address is not a proxy.
    case notAProxy(proxy: String)
    /// There was no connection to the proxy itself.
    case noProxy(proxy: String)

    /// Reads an error from opening a TCP connection.
    init(_ error: any Error) {
        switch error {
        case let error as ConnectError: self = error
        case let error as NIOConnectionError:
            let resolved = error.dnsAError == nil || error.dnsAAAAError == nil
            let late = error.connectionErrors.contains { Self($0.error) == .timedOut }
            self = late ? .timedOut : resolved ? .unreachable : .unresolved
        case ChannelError.connectTimeout: self = .timedOut
        default: self = .unreachable
        }
    }

    var phrase: String {
        switch self {
        case .unresolved: "the host name could not be resolved"
        case .unreachable: "the connection could not be opened"
        case .timedOut: "the connection could not be opened in time"
        case .insecure: "the TLS handshake failed: check the server's certificate and the trusted authorities"
        case .notHTTP2: "the server does not offer HTTP/2 (no h2 in its ALPN answer)"
        case .closed: "the server closed the connection before it was ready"
        case .proxyRefused(let proxy, 407):
            "the proxy \(proxy) answered HTTP 407: put its user and password into HTTPS_PROXY"
        case .proxyRefused(let proxy, let status):
            "the proxy \(proxy) answered HTTP \(status): check HTTPS_PROXY and NO_PROXY"
        case .notAProxy(let proxy): "what answers at the proxy's address \(proxy) is no HTTP proxy: check HTTPS_PROXY"
        case .noProxy(let proxy): "the proxy \(proxy) could not be reached: check HTTPS_PROXY and NO_PROXY"
        }
    }
}
