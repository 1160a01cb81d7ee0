import FCM

@testable import FCMClient

/// Credential files as Google's programs write them, by Google's documentation.
enum CredentialSamples {
    static let kinds = ["service_account", "authorized_user", "external_account", "impersonated_service_account"]
    static let account = "sender@tide-app-prod.iam.gserviceaccount.com"
    static let audience =
        "//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/ci/providers/github"
    static let impersonation =
        "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/\(account):generateAccessToken"
    static let secrets = ["d-CLIENTSECRET", "1//REFRESHTOKEN", "SUBJECT.TOKEN.SIGNATURE", "REQUESTTOKEN"]

    /// What `gcloud auth application-default login` writes.
    static let user: [String: JSONValue] = [
        "type": "authorized_user", "account": "pat@example.com", "client_id": "764.apps.googleusercontent.com",
        "client_secret": "d-CLIENTSECRET", "refresh_token": "1//REFRESHTOKEN", "quota_project_id": "tide-billing",
        "universe_domain": "googleapis.com",
    ]

    /// What `gcloud iam workload-identity-pools create-cred-config` writes for a file.
    static let external: [String: JSONValue] = [
        "type": "external_account", "audience": .string(audience), "universe_domain": "googleapis.com",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": "https://sts.googleapis.com/v1/token",
        "service_account_impersonation_url": .string(impersonation),
        "credential_source": ["file": "/var/run/token", "format": ["type": "text"]],
    ]

    /// What `gcloud auth application-default login --impersonate-service-account` writes.
    static let impersonated: [String: JSONValue] = [
        "type": "impersonated_service_account", "delegates": ["hop@tide-app-prod.iam.gserviceaccount.com"],
        "service_account_impersonation_url": .string(impersonation), "source_credentials": .object(user),
    ]

    static func file(_ kind: String) throws -> [String: JSONValue] {
        switch kind {
        case "service_account": try KeyFile.members()
        case "authorized_user": user
        case "external_account": external
        default: impersonated
        }
    }
}
