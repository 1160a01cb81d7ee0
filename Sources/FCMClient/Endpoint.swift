package import FCM
internal import NIOCore

/// The address of a server: `https` anywhere, `http` on this machine, and for questions without a bearer token also on the
/// machine's own network link. Other addresses cannot be represented, so a bearer token never travels unencrypted.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    package enum Scheme: String, Hashable, Sendable {
        case http, https
    }

    /// FCM at Google.
    package static let fcm = Endpoint(scheme: .https, name: "fcm.googleapis.com", port: 443)

    /// The Instance ID service.
    package static let iid = Endpoint(scheme: .https, name: "iid.googleapis.com", port: 443)

    package let scheme: Scheme
    /// A name in lower case or an IP address. IPv6 addresses have no brackets.
    package let host: String
    package let port: Int

    package init(scheme: Scheme, host: String, port: Int) throws(EndpointError) {
        let host = host.lowercased()
        guard Self.isHost(host) else { throw .host(host) }
        guard (1...65535).contains(port) else { throw .port(String(port)) }
        self.init(scheme: scheme, name: host, port: port)
        guard scheme == .https || isLoopback else { throw .plainTextBeyondLoopback(host: host) }
    }

    private init(scheme: Scheme, name: String, port: Int) {
        self.scheme = scheme
        host = name
        self.port = port
    }

    package var place: ServerPlace { ServerPlace(host: host) }

    package var isLoopback: Bool { place == .thisMachine }

    /// Whether the host is an IP address. TLS allows only names for SNI.
    var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: port)) != nil }

    /// The value of the `Host` header and of `:authority`. The scheme's default port is left out.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == scheme.defaultPort ? name : "\(name):\(port)"
    }

    package var description: String { "\(scheme.rawValue)://\(authority)" }

    private static func isHost(_ text: String) -> Bool {
        if text.contains(":") { return (try? SocketAddress(ipAddress: text, port: 0)) != nil }
        // A trailing dot would give one host a second name.
        return !text.isEmpty && text.utf8.count <= 253 && text.utf8.last != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension Endpoint.Scheme {
    fileprivate var defaultPort: Int {
        switch self {
        case .http: 80
        case .https: 443
        }
    }
}

extension Endpoint {
    /// Reads `https://HOST[:PORT]` or `http://LOOPBACK[:PORT]`. One `/` may follow.
    package init(_ url: String) throws(EndpointError) {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { throw .noScheme }
        guard let scheme = Scheme(rawValue: url[..<colon].lowercased()) else {
            throw .scheme(String(url[..<colon]))
        }
        let rest = url[colon...].dropFirst(3)
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        if rest[..<end].contains("@") { throw .userInfo }
        if rest[end...].contains("#") { throw .fragment }
        if rest[end...].contains("?") { throw .query }
        guard ["", "/"].contains(rest[end...]) else { throw .path(String(rest[end...])) }
        let (host, port) = try Self.split(rest[..<end])
        try self.init(scheme: scheme, host: String(host), port: port ?? scheme.defaultPort)
    }

    private static func split(_ authority: Substring) throws(EndpointError) -> (host: Substring, port: Int?) {
        let host: Substring
        let tail: Substring
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]"), authority[..<bracket].contains(":") else {
                throw .host(String(authority))
            }
            host = authority[..<bracket].dropFirst()
            tail = authority[bracket...].dropFirst()
        } else {
            let colon = authority.firstIndex(of: ":") ?? authority.endIndex
            host = authority[..<colon]
            tail = authority[colon...]
        }
        guard let first = tail.first else { return (host, nil) }
        guard first == ":" else { throw .host(String(authority)) }
        let digits = tail.dropFirst()
        guard digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let port = Int(digits) else {
            throw .port(String(digits))
        }
        return (host, port)
    }
}

extension Endpoint {
    /// Reads `HOST[:PORT]` of a server that is asked in plain text: on this machine, or a metadata server on its network
    /// link.
    init?(plainText authority: Substring) {
        guard let (host, port) = try? Self.split(authority), Self.isHost(host.lowercased()) else { return nil }
        let place = port ?? Scheme.http.defaultPort
        guard (1...65535).contains(place) else { return nil }
        self.init(scheme: .http, name: host.lowercased(), port: place)
        guard isLoopback || isLinkLocal else { return nil }
    }

    /// Whether it is on the machine's own network link, by its address or as Google's metadata server.
    var isLinkLocal: Bool {
        ["metadata", "metadata.google.internal", "metadata.goog"].contains(host)
            || IPAddress(host)?.isLinkLocal ?? false
    }

    /// The version of HTTP that calls to Google and to an emulator have.
    var version: WireVersion {
        switch scheme {
        case .http: .http1
        case .https: .http2
        }
    }
}

enum WireVersion: Hashable, Sendable {
    case http1, http2
}
