import FCM

/// The metadata server of Google Cloud's machines, with the parts that clients use to get an access token and a
/// project.
enum MetadataService {
    /// `GET /`: clients use it to check whether there is a metadata server.
    case root
    /// The path after `/computeMetadata/v1`, without an empty last part.
    case value(path: [String])

    /// The project of the emulator, for clients that do not name one.
    static let project = (id: "demo-herald", number: "123456789012")
    private static let account = "emulator@demo-herald.iam.gserviceaccount.com"
    private static let scopes = ["https://www.googleapis.com/auth/cloud-platform"]

    /// `nil` for other paths.
    init?(path: [String]) {
        if path == [""] {
            self = .root
        } else if path.starts(with: ["computeMetadata", "v1"]) {
            let rest = Array(path.dropFirst(2))
            self = .value(path: rest.last == "" ? rest.dropLast() : rest)
        } else {
            return nil
        }
    }

    /// `nil` if there is no such value.
    func answer(_ call: Call, from backend: Backend) -> Answer? {
        guard call.method == "GET" else { return nil }
        guard case .value(let path) = self else { return .metadata("computeMetadata/\n") }
        // The header keeps web pages out: a browser does not send it.
        guard call.header(.metadataFlavor) == "Google" else {
            return .metadata("Missing required header \"Metadata-Flavor\": \"Google\"\n", status: 403)
        }
        switch path {
        case ["project", "project-id"]: return .metadata(Self.project.id)
        case ["project", "numeric-project-id"]: return .metadata(Self.project.number)
        case ["universe", "universe-domain"]: return .metadata("googleapis.com")
        case ["instance", "service-accounts"]: return .metadata("default/\n\(Self.account)/\n")
        default: break
        }
        guard path.count > 2, path[..<2] == ["instance", "service-accounts"],
            ["default", Self.account].contains(path[2])
        else { return nil }
        return accountValue(path[3...], call, from: backend)
    }

    private func accountValue(_ path: ArraySlice<String>, _ call: Call, from backend: Backend) -> Answer? {
        switch Array(path) {
        case [] where call.parameter("recursive") == "true":
            .metadata([
                "aliases": ["default"], "email": .string(Self.account),
                "scopes": .array(Self.scopes.map(JSONValue.string)),
            ])
        case []: .metadata("aliases\nemail\nscopes\ntoken\n")
        case ["aliases"]: .metadata("default\n")
        case ["email"]: .metadata(Self.account)
        case ["scopes"]: .metadata(Self.scopes.joined(separator: "\n") + "\n")
        case ["token"]:
            Service.settle { () throws(OAuthError) in .metadata(.object(try backend.grant())) }
        default: nil
        }
    }
}

extension Answer {
    static func metadata(_ text: String, status: Int = 200) -> Answer {
        Answer(status: status, contentType: "application/text", headers: flavor, body: [Array(text.utf8)])
    }

    fileprivate static func metadata(_ value: JSONValue) -> Answer {
        var answer = json(value)
        answer.contentType = "application/json"
        answer.headers = flavor
        return answer
    }

    private static let flavor = [(name: "Metadata-Flavor", value: "Google")]
}
