/// Whose server a host is. Credentials of one place never go to another.
package enum ServerPlace: Hashable, Sendable {
    /// `googleapis.com` and what is below it.
    case google
    /// `localhost`, `127.0.0.0/8` or `::1`.
    case thisMachine
    case elsewhere

    /// - Parameter host: A name or an IP address. IPv6 addresses have no brackets.
    package init(host: String) {
        let host = host.lowercased()
        if host == "googleapis.com" || host.hasSuffix(".googleapis.com") {
            self = .google
        } else if host == "localhost" || host == "::1" || Self.isLoopbackAddress(host) {
            self = .thisMachine
        } else {
            self = .elsewhere
        }
    }

    /// Whether it is an address in `127.0.0.0/8`, and no name that only begins like one.
    private static func isLoopbackAddress(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && (part.count == 1 || part.first != "0")
                    && part.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
                    && Int(part).map { $0 < 256 } == true
            }
    }
}
