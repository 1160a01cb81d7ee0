/// What a person may know about a credential: it has no secret.
package struct CredentialSummary: Hashable, Sendable {
    /// The `type` in the credential's file, or `metadata_server`.
    package var kind: String
    /// The email or principal that requests are made as, if the credential says.
    package var account: String?
    /// The project that the credential names. The workspace's project counts, whatever this is.
    package var project: String?
    /// The project that the credential's file names for quota and billing.
    package var quotaProject: String?

    package init(kind: String, account: String? = nil, project: String? = nil, quotaProject: String? = nil) {
        self.kind = kind
        self.account = account
        self.project = project
        self.quotaProject = quotaProject
    }

    /// Whether a project may have this id or number.
    package static func isProject(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-.:".utf8.contains(byte)
            }
    }
}
