/// A git commit that an apply or run was done from.
package struct AppliedCommit: Hashable, Sendable {
    /// 40 or 64 hexadecimal digits.
    package let id: String
    /// What git calls the committer's time.
    package let committed: Date

    /// `nil` if the text is no id of a commit.
    package init?(id: String, committed: Date) {
        guard [40, 64].contains(id.utf8.count), id.utf8.allSatisfy(Self.isDigit) else { return nil }
        (self.id, self.committed) = (id, committed)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
