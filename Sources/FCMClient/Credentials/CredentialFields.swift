internal import FCM

/// The members of a JSON object in a credential file, read with errors that show nothing of their values.
struct CredentialFields {
    private let members: JSONValue
    /// How the object is named in messages: empty, or ending in a dot.
    private let prefix: String
    private let hosts: TokenHosts

    init(_ members: JSONValue, hosts: TokenHosts, prefix: String = "") {
        self.members = members
        self.hosts = hosts
        self.prefix = prefix
    }

    func has(_ name: String) -> Bool {
        switch members[name] {
        case nil, .null: false
        default: true
        }
    }

    func text(_ name: String) throws(CredentialFileError) -> String {
        guard let text = try optionalText(name) else { throw .missing(prefix + name) }
        return text
    }

    func optionalText(_ name: String) throws(CredentialFileError) -> String? {
        switch members[name] {
        case nil, .null, "": return nil
        case .string(let text): return text
        default: throw .notText(prefix + name)
        }
    }

    func optionalProject(_ name: String) throws(CredentialFileError) -> String? {
        guard let project = try optionalText(name) else { return nil }
        guard CredentialSummary.isProject(project) else { throw .notAProject(prefix + name) }
        return project
    }

    func secret(_ name: String) throws(CredentialFileError) -> Secret { Secret(try text(name)) }

    func optionalNumber(_ name: String) throws(CredentialFileError) -> Int64? {
        guard has(name) else { return nil }
        guard let number = members[name]?.int else { throw .notANumber(prefix + name) }
        return number
    }

    func texts(_ name: String) throws(CredentialFileError) -> [String] {
        guard has(name) else { return [] }
        guard let items = members[name]?.array, items.count <= 100 else { throw .notTexts(prefix + name) }
        let texts = items.compactMap(\.string)
        guard texts.count == items.count else { throw .notTexts(prefix + name) }
        return texts
    }

    /// The object of that name. `nil` if there is none.
    func fields(_ name: String) throws(CredentialFileError) -> CredentialFields? {
        guard has(name), let value = members[name] else { return nil }
        guard value.object != nil else { throw .notAnObject(prefix + name) }
        return CredentialFields(value, hosts: hosts, prefix: "\(prefix)\(name).")
    }

    /// The members of an object of texts.
    func headers(_ name: String) throws(CredentialFileError) -> [(name: String, value: Secret)] {
        guard has(name) else { return [] }
        guard let object = members[name]?.object, object.count <= 100 else { throw .notHeaders(prefix + name) }
        var headers: [(name: String, value: Secret)] = []
        for (header, value) in object.sorted(by: { $0.key < $1.key }) {
            guard let text = value.string, header.isHeaderName, text.isHeaderValue else {
                throw .notHeaders(prefix + name)
            }
            headers.append((header.lowercased(), Secret(text)))
        }
        return headers
    }

    /// An address that gets a part of the credential.
    func url(_ name: String) throws(CredentialFileError) -> TokenURL {
        guard let url = TokenURL(try text(name)) else { throw .url(prefix + name) }
        guard hosts.allow(url) else { throw .host(prefix + name) }
        return url
    }

    func optionalURL(_ name: String) throws(CredentialFileError) -> TokenURL? {
        try optionalText(name) == nil ? nil : try url(name)
    }

    /// An address that gives subject tokens: any `https` one, and `http` on this machine or link-local.
    func sourceURL(_ name: String) throws(CredentialFileError) -> TokenURL {
        guard let url = TokenURL(source: try text(name)) else { throw .sourceURL(prefix + name) }
        return url
    }

    /// Throws if the credential is for another cloud than Google's public one.
    func checkUniverse() throws(CredentialFileError) {
        if let universe = try optionalText("universe_domain"), universe != "googleapis.com" { throw .otherUniverse }
    }
}

extension String {
    /// Whether it is a token (RFC 9110 §5.6.2).
    fileprivate var isHeaderName: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    fileprivate var isHeaderValue: Bool { utf8.allSatisfy { (0x20...0x7e).contains($0) || $0 == 0x09 } }
}
