/// The servers that need no proxy: the entries of `NO_PROXY`, as curl and Go understand them.
struct ProxyExceptions: Hashable, Sendable {
    private enum Entry: Hashable, Sendable {
        case everything
        /// A name and what is below it, or only what is below it.
        case name(String, port: Int?, isSuffix: Bool)
        case addresses(Network, port: Int?)
    }

    private struct Network: Hashable, Sendable {
        var bytes: [UInt8]
        /// How many of the first bits count.
        var length: Int

        func contains(_ other: [UInt8]) -> Bool {
            guard bytes.count == other.count else { return false }
            return (0..<length).allSatisfy { bit in
                let mask = UInt8(0x80) >> UInt8(bit % 8)
                return bytes[bit / 8] & mask == other[bit / 8] & mask
            }
        }
    }

    private let entries: [Entry]

    /// Entries that mean nothing are skipped, as other programs do.
    init(_ text: String) {
        entries = text.split { $0 == "," || $0.isWhitespace }.compactMap { Self.entry($0.lowercased()) }
    }

    func cover(_ endpoint: Endpoint) -> Bool {
        let address = IPAddress(endpoint.host)?.bytes
        return entries.contains { entry in
            switch entry {
            case .everything: return true
            case .name(let name, let port, let isSuffix):
                guard address == nil, port ?? endpoint.port == endpoint.port else { return false }
                return endpoint.host.hasSuffix("." + name) || !isSuffix && endpoint.host == name
            case .addresses(let network, let port):
                return port ?? endpoint.port == endpoint.port && address.map(network.contains) == true
            }
        }
    }

    private static func entry(_ text: String) -> Entry? {
        if text == "*" { return .everything }
        if let slash = text.firstIndex(of: "/") {
            guard let bytes = IPAddress(text[..<slash].withoutBrackets)?.bytes,
                let length = Int(text[slash...].dropFirst()),
                (0...bytes.count * 8).contains(length)
            else { return nil }
            return .addresses(Network(bytes: bytes, length: length), port: nil)
        }
        let (host, port) = split(text)
        if let bytes = IPAddress(host.withoutBrackets)?.bytes {
            return .addresses(Network(bytes: bytes, length: bytes.count * 8), port: port)
        }
        var name = host
        if name.hasPrefix("*.") { name = name.dropFirst() }
        let isSuffix = name.hasPrefix(".")
        if isSuffix { name = name.dropFirst() }
        if name.hasSuffix(".") { name = name.dropLast() }
        return name.isEmpty ? nil : .name(String(name), port: port, isSuffix: isSuffix)
    }

    private static func split(_ text: String) -> (host: Substring, port: Int?) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[colon...].dropFirst()),
            // The colons of an IPv6 address without brackets do not begin a port.
            text[..<colon].last == "]" || !text[..<colon].contains(":")
        else { return (text[...], nil) }
        return (text[..<colon], port)
    }
}

extension Substring {
    fileprivate var withoutBrackets: Substring { hasPrefix("[") && hasSuffix("]") ? dropFirst().dropLast() : self }
}
