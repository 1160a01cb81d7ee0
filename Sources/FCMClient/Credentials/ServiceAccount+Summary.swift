extension ServiceAccount {
    /// What a person may know about it.
    package var summary: CredentialSummary {
        CredentialSummary(kind: "service_account", account: email, project: projectID)
    }
}
