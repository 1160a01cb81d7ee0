/// Why Google's token endpoints refuse a credential (RFC 6749 §5.2, RFC 8693 §2.2.2).
package enum SignInCode: String, Hashable, Sendable, CaseIterable {
    case invalidGrant = "invalid_grant"
    case invalidClient = "invalid_client"
    case unauthorizedClient = "unauthorized_client"
    case invalidRequest = "invalid_request"
    case invalidScope = "invalid_scope"
    case invalidTarget = "invalid_target"
    case accessDenied = "access_denied"
    case deletedClient = "deleted_client"
    case unsupportedGrantType = "unsupported_grant_type"
}
