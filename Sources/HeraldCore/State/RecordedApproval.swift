/// What `herald approve` recorded of one campaign, audience, topic or group.
package struct RecordedApproval: Hashable, Sendable {
    /// The digest of what the files decided about it.
    package var digest: String
    /// How many recipients it had when it was reviewed. `nil` if the lists were not read.
    package var size: Int?
    /// Who approved it, as `--by` or the CI says.
    package var by: String
    package var at: Date

    package init(digest: String, size: Int?, by: String, at: Date) {
        (self.digest, self.size, self.by, self.at) = (digest, size, by, at)
    }
}
