/// The address of an OAuth token endpoint: a server and a path.
struct TokenEndpoint: Hashable, Sendable {
    let endpoint: Endpoint
    /// The path, with its query if there is one.
    let path: String

    init(endpoint: Endpoint, path: String) {
        self.endpoint = endpoint
        self.path = path
    }

    /// Reads `https://HOST[:PORT]/PATH`. `http` is allowed for this machine only.
    init?(_ url: String) {
        guard let scheme = url.firstRange(of: "://"), url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            !url.contains("#")
        else { return nil }
        let end = url[scheme.upperBound...].firstIndex { "/?".contains($0) } ?? url.endIndex
        guard let endpoint = try? Endpoint(String(url[..<end])) else { return nil }
        let path = url[end...]
        self.init(endpoint: endpoint, path: path.hasPrefix("/") ? String(path) : "/" + path)
    }
}
