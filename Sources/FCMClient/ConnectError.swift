internal import NIOCore
internal import NIOPosix

/// Why a connection could not be opened. Nothing of any request has left this machine.
enum ConnectError: Error, Hashable, Sendable, CaseIterable {
    case unresolved, unreachable, timedOut
    /// The handshake failed, or the certificate was not trusted.
    case insecure
    /// The server did not choose `h2` (RFC 7301, RFC 9113 §3.2).
    case notHTTP2
    /// The connection closed before it was ready for a request.
    case closed

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
        }
    }
}
