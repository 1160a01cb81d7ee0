/// An HTTP proxy that opens tunnels (`CONNECT`, RFC 9110 §9.3.6). Printing it shows no user and no password.
package struct Proxy: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let host: String
    let port: Int
    /// The value of `Proxy-Authorization`. `nil` if the proxy's address has no user.
    let authorization: Secret?

    /// Reads `[http://][USER:PASSWORD@]HOST[:PORT][/]`.
    init(_ url: String) throws(ProxyError) {
        var rest = url[...]
        if let scheme = url.firstRange(of: "://") {
            switch url[..<scheme.lowerBound].lowercased() {
            case "http": rest = url[scheme.upperBound...]
            case "https": throw .secureProxy
            default: throw .notAProxy
            }
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        if let at = rest.lastIndex(of: "@") {
            let user = rest[..<at]
            let colon = user.firstIndex(of: ":") ?? user.endIndex
            guard let name = user[..<colon].percentDecoded, let password = user[colon...].dropFirst().percentDecoded
            else { throw .notAProxy }
            authorization = Secret("Basic \(Data("\(name):\(password)".utf8).base64EncodedString())")
            rest = rest[rest.index(after: at)...]
        } else {
            authorization = nil
        }
        // The rules for the host and port of an endpoint hold here, too.
        guard let address = try? Endpoint("https://\(rest)") else { throw .notAProxy }
        host = address.host
        let hasPort = rest.last != "]" && rest.split(separator: ":").count > 1
        port = hasPort ? address.port : 80
    }

    package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a proxy cannot be used. It holds no part of the proxy's address, which may have a password in it.
package enum ProxyError: Error, Hashable, Sendable, CustomStringConvertible {
    case notAProxy
    case secureProxy

    package var description: String {
        switch self {
        case .notAProxy: "HTTPS_PROXY is not the address of a proxy"
        case .secureProxy: "HTTPS_PROXY names an https:// proxy, which herald cannot use"
        }
    }

    /// What to do about it.
    package var help: String { "set HTTPS_PROXY to http://HOST:PORT" }
}

extension Substring {
    /// `nil` if a `%` is not followed by two hexadecimal digits, or if the bytes are not UTF-8.
    fileprivate var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, case let digits = Substring(rest.prefix(2)), digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
