import FCMClient

/// The credential that requests to a destination are signed in with, without its secrets.
struct FoundAccount {
    let summary: CredentialSummary
    /// Where it is from: a variable or a key of herald.yaml, with the path.
    let origin: String

    /// What to do about a credential that cannot be read, if its error does not say it.
    static let remedy = "Look at the file's path and at who may read it, or get it anew."

    /// `nil` if the destination gets none.
    static func find(_ destination: Destination) throws -> FoundAccount? {
        try destination.account().map {
            FoundAccount(summary: $0.summary, origin: destination.credentialName ?? "a file")
        }
    }
}
