import FCM
import Foundation
import Testing

/// A kind of credential whose addresses are an emulator's.
struct CredentialKind: Sendable, CustomTestStringConvertible {
    let name: String
    /// The requests that get one token, in order: the last parts of their paths.
    let legs: [String]
    let file: @Sendable (_ host: String, _ folder: String) throws -> String

    var testDescription: String { name }

    static let all = [
        CredentialKind(name: "service_account", legs: ["/token"]) { host, _ in
            try ServiceAccountKey.file(tokens: "\(host)/token")
        },
        CredentialKind(name: "authorized_user", legs: ["/token"]) { host, _ in try text(user(host)) },
        CredentialKind(name: "external_account, file", legs: ["/v1/token"]) { host, folder in
            try text(external(host, source: ["file": .string("\(folder)/subject.txt")], isImpersonated: false))
        },
        CredentialKind(
            name: "external_account, URL, impersonation",
            legs: ["/computeMetadata/v1/project/project-id", "/v1/token", ":generateAccessToken"]
        ) { host, _ in
            // Stands for a source of identity tokens: it answers with a text, and only to who sends the header.
            let source: JSONValue = [
                "url": .string("\(host)/computeMetadata/v1/project/project-id"),
                "headers": ["Metadata-Flavor": "Google", "Authorization": .string("Bearer \(requestToken)")],
            ]
            return try text(external(host, source: source, isImpersonated: true))
        },
        CredentialKind(name: "impersonated_service_account, person", legs: ["/token", ":generateAccessToken"]) {
            host, _ in try text(impersonated(host, by: user(host)))
        },
        CredentialKind(name: "impersonated_service_account, account", legs: ["/token", ":generateAccessToken"]) {
            host, _ in
            let source = try JSONValue(parsing: ServiceAccountKey.file(tokens: "\(host)/token").utf8)
            return try text(impersonated(host, by: source))
        },
    ]

    private static let requestToken = "REQUEST-s3cret"
    static let subjectToken = "SUBJECT.s3cret.SIGNATURE"

    /// What must never be shown of these files.
    static let secrets = ["s3cret", "REFRESH-", "CLIENT-"]

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
