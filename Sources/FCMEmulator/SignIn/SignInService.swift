import FCM

/// The endpoints that issue access tokens, one for each kind of credential, and what they are given in exchange.
enum SignInService {
    case token(TokenService)
    case exchange(ExchangeService)
    case impersonation(ImpersonationService)
    case metadata(MetadataService)
    case oidc(OIDCService)

    /// Their names in fault scripts and in counts.
    enum Endpoint: String, Hashable, Sendable, CaseIterable {
        case token, exchange, impersonation, metadata, oidc
    }

    var endpoint: Endpoint {
        switch self {
        case .token: .token
        case .exchange: .exchange
        case .impersonation: .impersonation
        case .metadata: .metadata
        case .oidc: .oidc
        }
    }

    /// Whether the path is one that issues something. The metadata server has others too.
    var issues: Bool {
        guard case .metadata(let service) = self else { return true }
        guard case .value(let path) = service else { return false }
        return path.last == "token"
    }

    /// `nil` for other paths.
    init?(path: [String]) {
        if TokenService.paths.contains(path) {
            self = .token(TokenService())
        } else if path == ExchangeService.path {
            self = .exchange(ExchangeService())
        } else if let service = ImpersonationService(path: path) {
            self = .impersonation(service)
        } else if path == OIDCService.path {
            self = .oidc(OIDCService())
        } else if let service = MetadataService(path: path) {
            self = .metadata(service)
        } else {
            return nil
        }
    }

    /// `nil` if the path does not have this method.
    func answer(_ call: Call, from backend: Backend) -> Answer? {
        switch self {
        case .token(let service):
            Service.settle { () throws(OAuthError) in try service.answer(call, from: backend) }
        case .exchange(let service):
            Service.settle { () throws(OAuthError) in try service.answer(call, from: backend) }
        case .impersonation(let service):
            Service.settle { () throws(GoogleError) in try service.answer(call, from: backend) }
        case .metadata(let service): service.answer(call, from: backend)
        case .oidc(let service): service.answer(call, from: backend)
        }
    }
}

extension Backend {
    /// Issues an access token in the form of OAuth, if `check` passes.
    func grant(
        _ check: (World, Date) throws(OAuthError) -> Void = { _, _ in }
    ) throws(OAuthError) -> [String: JSONValue] {
        let token = try issueToken(lasting: signIn.accepted / .seconds(1), check)
        return [
            "access_token": .string(token), "expires_in": .int(signIn.lifetime.components.seconds),
            "token_type": "Bearer",
        ]
    }
}

extension Call {
    /// The form in the body. Parameters without a value count as missing.
    func form() throws(OAuthError) -> [String: String] {
        let type = header(.contentType)?.prefix { $0 != ";" }.lowercased()
        guard type == "application/x-www-form-urlencoded", let body, let text = String(validating: body, as: UTF8.self)
        else { throw OAuthError(.invalidRequest, "Bad Request") }
        return Call.parameters(of: text[...]).filter { !$0.value.isEmpty }
    }
}
