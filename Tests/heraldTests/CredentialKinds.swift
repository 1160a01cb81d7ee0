import FCM
import Foundation
import Testing

/// A kind of credential whose addresses are an emulator's.
struct CredentialKind: Sendable, CustomTestStringConvertible {
    let name: String
    /// The requests that get one token, in order.
    let legs: [SignInLeg]
    var isSecure = true
    /// `nil` for the metadata server, which needs none.
    let file: (@Sendable (_ host: String, _ folder: String) throws -> String)?

    var testDescription: String { name }
    /// Whether a time is signed with the clock of this machine.
    var signsTime: Bool { legs.contains { $0.name == SignInLeg.assertion.name } }

    /// The file's text.
    func text(_ host: String, _ folder: String) throws -> String {
        let file = try #require(file)
        return try file(host, folder)
    }

    /// How often each endpoint is asked for that many tokens.
    func signIns(_ tokens: Int) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: legs.map { ($0.endpoint, tokens) })
    }

    /// What names it to herald.
    func environment(_ host: String, _ folder: String) -> [String: String] {
        if file != nil { return ["GOOGLE_APPLICATION_CREDENTIALS": "\(folder)/credential.json"] }
        return [
            "HOME": folder, "NO_GCE_CHECK": "", "GCE_METADATA_HOST": host.replacing("http://", with: ""),
        ]
    }

    /// Those that have a file.
    static let all = [
        CredentialKind(name: "service_account", legs: [.assertion]) { host, _ in
            try ServiceAccountKey.file(tokens: "\(host)/token")
        },
        CredentialKind(name: "authorized_user", legs: [.refresh]) { host, _ in try text(user(host)) },
        CredentialKind(name: "external_account, file", legs: [.exchange]) { host, folder in
            try text(external(host, source: ["file": .string("\(folder)/subject.txt")], isImpersonated: false))
        },
        CredentialKind(
            name: "external_account, URL, impersonation", legs: [.identity, .exchange, .impersonation]
        ) { host, _ in
            // As google-github-actions/auth writes it.
            let source: JSONValue = [
                "url": .string("\(host)/oidc/token?audience=https%3A%2F%2Fiam.example"),
                "headers": ["Authorization": .string("Bearer \(requestToken)")],
                "format": ["type": "json", "subject_token_field_name": "value"],
            ]
            return try text(external(host, source: source, isImpersonated: true))
        },
        CredentialKind(name: "impersonated_service_account, person", legs: [.refresh, .impersonation]) {
            host, _ in try text(impersonated(host, by: user(host)))
        },
        CredentialKind(name: "impersonated_service_account, account", legs: [.assertion, .impersonation]) {
            host, _ in
            let source = try JSONValue(parsing: ServiceAccountKey.file(tokens: "\(host)/token").utf8)
            return try text(impersonated(host, by: source))
        },
    ]

    /// It speaks plain HTTP, so the emulator does, too.
    static let metadata = CredentialKind(name: "metadata server", legs: [.metadata], isSecure: false, file: nil)

    private static let requestToken = "REQUEST-s3cret"
    static let subjectToken = "SUBJECT.s3cret.SIGNATURE"

    /// What must never be shown of these files.
    static let secrets = ["s3cret", "REFRESH-", "CLIENT-"] + jsonWebTokens
    /// The begins of signed assertions, and of the identity that the emulator gives to a job: their headers in base64.
    private static let jsonWebTokens = ["eyJhbGci", "eyJ0eXAi", "eyJraWQi"]

    private static func user(_ host: String) -> JSONValue {
        [
            "type": "authorized_user", "client_id": "1.apps.googleusercontent.com", "client_secret": "CLIENT-s3cret",
            "refresh_token": "1//REFRESH-s3cret", "token_uri": .string("\(host)/token"),
        ]
    }

    private static func impersonation(_ host: String) -> JSONValue {
        .string("\(host)/v1/projects/-/serviceAccounts/\(ServiceAccountKey.email):generateAccessToken")
    }

    private static func impersonated(_ host: String, by source: JSONValue) -> JSONValue {
        [
            "type": "impersonated_service_account", "delegates": [], "source_credentials": source,
            "service_account_impersonation_url": impersonation(host),
        ]
    }

    private static func external(_ host: String, source: JSONValue, isImpersonated: Bool) -> JSONValue {
        var file: [String: JSONValue] = [
            "type": "external_account", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
            "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/providers/git",
            "token_url": .string("\(host)/v1/token"), "credential_source": source,
        ]
        if isImpersonated { file["service_account_impersonation_url"] = impersonation(host) }
        return .object(file)
    }

    private static func text(_ file: JSONValue) throws -> String { String(decoding: try file.bytes(), as: UTF8.self) }
}
