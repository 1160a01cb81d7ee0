internal import FCM

/// An address that is called on the way to an access token: a server and a path.
struct TokenURL: Hashable, Sendable {
    let endpoint: Endpoint
    /// The path, with its query if there is one.
    let path: String

    init(endpoint: Endpoint, path: String) {
        self.endpoint = endpoint
        self.path = path
    }

    /// Reads `https://HOST[:PORT]/PATH`. `http` is allowed for this machine only.
    init?(_ url: String) {
        guard let (server, path) = Self.split(url), let endpoint = try? Endpoint(String(server)) else { return nil }
        self.init(endpoint: endpoint, path: path)
    }

    /// Reads the address of a source of subject tokens: like other addresses, or `http` to a link-local server.
    init?(source url: String) {
        if let same = TokenURL(url) {
            self = same
            return
        }
        guard let (server, path) = Self.split(url), server.lowercased().hasPrefix("http://"),
            let endpoint = Endpoint(plainText: server.dropFirst(7))
        else { return nil }
        self.init(endpoint: endpoint, path: path)
    }

    private static func split(_ url: String) -> (server: Substring, path: String)? {
        guard let scheme = url.firstRange(of: "://"), url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            !url.contains("#")
        else { return nil }
        let end = url[scheme.upperBound...].firstIndex { "/?".contains($0) } ?? url.endIndex
        let path = url[end...]
        return (url[..<end], path.hasPrefix("/") ? String(path) : "/" + path)
    }
}
