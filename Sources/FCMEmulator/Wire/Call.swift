/// One HTTP request in decoded form, independent of its connection.
struct Call: Sendable {
    let method: String
    /// The request target as received: percent-encoded, with its query.
    let target: String
    /// The decoded segments of the path. An encoded slash stays inside its segment. `nil` if they cannot be decoded.
    let path: [String]?
    private let query: [String: String]
    let headers: [Header: String]
    /// `nil` if the body was larger than the path allows.
    let body: [UInt8]?

    /// The headers that services read, with their names in lower case.
    enum Header: String, Sendable {
        case accessTokenAuth = "access_token_auth"
        case apiKey = "x-goog-api-key"
        case authorization
        case contentType = "content-type"
        case host
        case installationAuth = "x-goog-firebase-installations-auth"
        case lastEventID = "last-event-id"
        case metadataFlavor = "metadata-flavor"
        case projectID = "project_id"
    }

    /// The target without its query.
    var targetPath: String { String(target.prefix { $0 != "?" }) }

    /// - Parameter headers: all headers of the request, in any case. If a name occurs twice, the first one counts.
    init(
        _ method: String, _ target: String, headers: some Sequence<(name: String, value: String)> = [],
        body: [UInt8]? = []
    ) {
        self.method = method
        self.target = target
        self.body = body
        let known = headers.compactMap { field in
            Header(rawValue: field.name.lowercased()).map { ($0, field.value) }
        }
        self.headers = Dictionary(known) { first, _ in first }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = Self.segments(of: parts[0])
        query = parts.count > 1 ? Self.parameters(of: parts[1]) : [:]
    }

    /// A query parameter by its proto name. The lowerCamelCase name means the same parameter.
    func parameter(_ name: String) -> String? {
        query[name] ?? query[name.lowerCamelCased]
    }

    func header(_ header: Header) -> String? { headers[header] }

    /// A boolean query parameter. Missing and empty mean `false`.
    func flag(_ name: String) throws(GoogleError) -> Bool {
        switch parameter(name) {
        case nil, "", "false", "0": return false
        case "true", "1": return true
        case .some(let text): throw .violation("Invalid value at '\(name)' (TYPE_BOOL), \"\(text)\"", at: name)
        }
    }

    /// An integer query parameter. Missing and empty mean 0.
    func number(_ name: String) throws(GoogleError) -> Int {
        guard let text = parameter(name), !text.isEmpty else { return 0 }
        guard let value = Int32(text) else {
            throw .violation("Invalid value at '\(name)' (TYPE_INT32), \"\(text)\"", at: name)
        }
        return Int(value)
    }

    /// The names in the query, sorted.
    var parameterNames: [String] { query.keys.sorted() }

    private static func segments(of path: Substring) -> [String]? {
        guard path.first == "/" else { return nil }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = String(percentDecoding: part) else { return nil }
            segments.append(segment)
        }
        return segments
    }

    /// The parameters of a query, or of a form in the body.
    static func parameters(of query: Substring) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = String(percentDecoding: parts[0], plusIsSpace: true),
                let value = parts.count > 1 ? String(percentDecoding: parts[1], plusIsSpace: true) : ""
            else { continue }
            parameters[name] = value
        }
        return parameters
    }
}
