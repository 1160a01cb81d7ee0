internal import CryptoExtras
internal import FCM

/// A service account's key file, as downloaded from the Google Cloud console. Printing it does not show its content.
package struct ServiceAccount: Sendable, CustomStringConvertible, CustomReflectable {
    /// The project of the account.
    package let projectID: String?
    let email: String
    /// Identifies the key among those of the account.
    let keyID: String?
    let key: _RSA.Signing.PrivateKey
    let tokenEndpoint: TokenEndpoint

    /// Reads the JSON text of a key file.
    package init(keyFile bytes: some Sequence<UInt8>) throws(KeyFileError) {
        guard let file = try? JSONValue(parsing: bytes), file.object != nil else { throw .notJSON }
        let type = try Self.text("type", in: file)
        guard let kind = CredentialKind(rawValue: type) else { throw .unknownType }
        guard kind == .serviceAccount else { throw .unsupported(kind) }
        if let universe = try Self.optionalText("universe_domain", in: file), universe != "googleapis.com" {
            throw .otherUniverse
        }
        projectID = try Self.optionalText("project_id", in: file)
        email = try Self.text("client_email", in: file)
        keyID = try Self.optionalText("private_key_id", in: file)
        let pem = try Self.text("private_key", in: file)
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem) else { throw .privateKey }
        self.key = key
        guard let endpoint = TokenEndpoint(try Self.text("token_uri", in: file)) else { throw .tokenURI }
        // Old key files have accounts.google.com.
        guard endpoint.endpoint.place != .elsewhere || endpoint.endpoint.host == "accounts.google.com" else {
            throw .tokenHost
        }
        tokenEndpoint = endpoint
    }

    /// Whether it signs in on this machine, as an emulator's accounts do.
    package var isOfThisMachine: Bool { tokenEndpoint.endpoint.isLoopback }

    private static func text(_ name: String, in file: JSONValue) throws(KeyFileError) -> String {
        guard let text = try optionalText(name, in: file) else { throw .missing(name) }
        return text
    }

    private static func optionalText(_ name: String, in file: JSONValue) throws(KeyFileError) -> String? {
        switch file[name] {
        case nil, .null, "": return nil
        case .string(let text): return text
        default: throw .notText(name)
        }
    }

    package var description: String { "service account" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The possible values of `type` in a credential file. herald supports service accounts.
package enum CredentialKind: String, Hashable, Sendable, CaseIterable {
    case serviceAccount = "service_account"
    case authorizedUser = "authorized_user"
    case externalAccount = "external_account"
    case externalAccountAuthorizedUser = "external_account_authorized_user"
    case impersonatedServiceAccount = "impersonated_service_account"
    case gdchServiceAccount = "gdch_service_account"
}

/// Why herald cannot use a credential file. It holds field names from the file, and no other content.
package enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case notJSON
    case missing(String)
    case notText(String)
    case unknownType
    case unsupported(CredentialKind)
    case otherUniverse
    case privateKey
    case tokenURI
    case tokenHost

    package var description: String {
        switch self {
        case .notJSON: "the file is not a JSON object"
        case .missing(let name): "'\(name)' is missing"
        case .notText(let name): "'\(name)' is not a string"
        case .unknownType: "'type' is none of Google's: a service account's key file has 'service_account' there"
        case .unsupported(let kind):
            "credentials of type '\(kind.rawValue)' are not supported yet: use a service account's key file"
        case .otherUniverse: "'universe_domain' is not googleapis.com, where FCM is"
        case .privateKey: "'private_key' is not an RSA key of 2048 bits or more in PEM"
        case .tokenURI: "'token_uri' is not an https address, or http on this machine"
        case .tokenHost: "'token_uri' is neither a server of Google's nor on this machine"
        }
    }
}
