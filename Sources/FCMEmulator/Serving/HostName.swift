#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A host, as an address to listen on or a `Host` header names it.
struct HostName: Hashable, Sendable {
    /// In lower case, without port and brackets.
    let text: String

    init(_ text: String) { self.text = text.lowercased() }

    /// Reads `HOST` or `HOST:PORT`. `nil` for anything else.
    init?(authority: String) {
        let host: Substring
        let rest: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            (host, rest) = (authority[..<end].dropFirst(), authority[end...].dropFirst())
        } else {
            let end = authority.firstIndex(of: ":") ?? authority.endIndex
            (host, rest) = (authority[..<end], authority[end...])
        }
        let port = rest.dropFirst()
        guard !host.isEmpty, rest.isEmpty || rest.first == ":", port.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        self.init(String(host))
    }

    /// The bytes of an IP address. `nil` for a name.
    var address: [UInt8]? {
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    /// Whether only this machine can reach it: `localhost`, `127.0.0.0/8` or `::1`.
    var isLoopback: Bool {
        guard let address else { return text == "localhost" }
        return address.count == 4 ? address[0] == 127 : address == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether it stands for all addresses of this machine.
    var isWildcard: Bool { address?.allSatisfy { $0 == 0 } ?? false }
}
