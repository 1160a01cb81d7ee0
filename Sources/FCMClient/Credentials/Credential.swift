internal import FCM

/// What herald signs in with. It says which requests get an access token (`TokenDialog`) and makes none.
package struct Credential: Sendable, CustomStringConvertible, CustomReflectable {
    /// What sending, topics and device groups need.
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    fileprivate indirect enum Kind: Sendable {
        case serviceAccount(ServiceAccount)
        case authorizedUser(AuthorizedUser)
        case externalAccount(ExternalAccount)
        case impersonated(Impersonation, by: Kind, quotaProject: String?)
        case metadata(MetadataServer)
    }

    private let kind: Kind

    /// Reads the JSON text of a credential file.
    package init(file bytes: some Sequence<UInt8>, hosts: TokenHosts = TokenHosts()) throws(CredentialFileError) {
        guard let file = try? JSONValue(parsing: bytes), file.object != nil else { throw .notJSON }
        kind = try Self.kind(CredentialFields(file, hosts: hosts), isSource: false)
    }

    package init(_ server: MetadataServer) { kind = .metadata(server) }

    /// - Parameter isSource: Whether it is the source of an impersonation.
    private static func kind(_ fields: CredentialFields, isSource: Bool) throws(CredentialFileError) -> Kind {
        switch try fields.text("type") {
        case "service_account": return .serviceAccount(try ServiceAccount(fields))
        case "authorized_user": return .authorizedUser(try AuthorizedUser(fields))
        case "external_account": return .externalAccount(try ExternalAccount(fields))
        case "impersonated_service_account" where !isSource:
            try fields.checkUniverse()
            guard let source = try fields.fields("source_credentials") else { throw .missing("source_credentials") }
            return .impersonated(
                try Impersonation(fields), by: try kind(source, isSource: true),
                quotaProject: try fields.optionalProject("quota_project_id"))
        case "impersonated_service_account": throw .nestedImpersonation
        case let type where ["external_account_authorized_user", "gdch_service_account"].contains(type):
            throw .unsupported(kind: type)
        default: throw .unknownType
        }
    }

    /// The way to an access token.
    ///
    /// - Parameters:
    ///   - quotaProject: The project for quota and billing of calls that act for a service account.
    ///   - isFound: Whether there was a token before.
    func dialog(quotaProject: String?, isFound: Bool) -> TokenDialog {
        TokenDialog(Self.legs(kind, for: Self.scope, quotaProject, isFound: isFound))
    }

    private static func legs(
        _ kind: Kind, for scope: String, _ quotaProject: String?, isFound: Bool
    ) -> [any TokenLeg] {
        switch kind {
        case .serviceAccount(let account): account.legs(for: scope)
        case .authorizedUser(let user): user.legs
        case .externalAccount(let account): account.legs(for: scope, quotaProject: quotaProject)
        case .impersonated(let impersonation, let source, _):
            legs(source, for: ExternalAccount.impersonationScope, quotaProject, isFound: isFound)
                + [impersonation.leg(for: scope, quotaProject: quotaProject)]
        case .metadata(let server): server.legs(for: scope, isFound: isFound)
        }
    }

    package var description: String { summary.kind }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: What it says of itself

extension Credential {
    package var summary: CredentialSummary {
        switch kind {
        case .serviceAccount(let account):
            CredentialSummary(kind: "service_account", account: account.email, project: account.projectID)
        case .authorizedUser(let user):
            CredentialSummary(kind: "authorized_user", account: user.account, quotaProject: user.quotaProject)
        case .externalAccount(let account):
            CredentialSummary(
                kind: "external_account", account: account.impersonation?.account ?? account.audience,
                quotaProject: account.quotaProject)
        case .impersonated(let impersonation, let source, let quotaProject):
            CredentialSummary(
                kind: "impersonated_service_account", account: impersonation.account,
                quotaProject: quotaProject ?? source.quotaProject)
        case .metadata: CredentialSummary(kind: "metadata_server")
        }
    }

    /// Whether a person signed in, whose calls need a project for quota and billing.
    package var isPerson: Bool { if case .authorizedUser = kind { true } else { false } }

    /// Where the tokens come from, if they come from there.
    var metadataServer: MetadataServer? { if case .metadata(let server) = kind { server } else { nil } }

    /// Whether it signs in on this machine, as an emulator's accounts do: all addresses that it calls are here.
    package var isOfThisMachine: Bool { kind.isOfThisMachine }

    /// Whether whoever reads its file can sign in with it.
    package var isSecret: Bool { kind.isSecret }
}

extension Credential.Kind {
    fileprivate var quotaProject: String? {
        switch self {
        case .authorizedUser(let user): user.quotaProject
        case .externalAccount(let account): account.quotaProject
        case .serviceAccount, .impersonated, .metadata: nil
        }
    }

    fileprivate var isOfThisMachine: Bool {
        switch self {
        case .serviceAccount(let account): account.tokenURL.endpoint.isLoopback
        case .authorizedUser(let user): user.tokenURL.endpoint.isLoopback
        case .externalAccount(let account):
            [account.source.url, account.tokenURL, account.impersonation?.url].allSatisfy {
                $0?.endpoint.isLoopback ?? true
            }
        case .impersonated(let impersonation, let source, _):
            impersonation.url.endpoint.isLoopback && source.isOfThisMachine
        case .metadata(let server): server.isOfThisMachine
        }
    }

    fileprivate var isSecret: Bool {
        switch self {
        case .serviceAccount, .authorizedUser: true
        case .externalAccount(let account): account.source.isSecret || account.hasClientSecret
        case .impersonated(_, let source, _): source.isSecret
        case .metadata: false
        }
    }
}
