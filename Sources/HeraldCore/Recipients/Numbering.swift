/// Identifies the numbers that a state has given out. Equal values mean equal tables of recipients, wherever they were
/// read, so results worked out with one are valid for the other.
///
/// The state's serial is not enough: giving out numbers does not change it, and a restored backup counts through the
/// same serials again.
package struct Numbering: Hashable, Sendable {
    package var lineage: String
    /// 16 random bytes, drawn again by every commit that adds a recipient or a newer registration, or says that a
    /// registration died that is not its recipient's current one: which row of a list counts may be another one then.
    package var version: [UInt8]
    /// One more than the highest number given out.
    package var next: RecipientID

    package static let versionSize = 16

    package init(lineage: String, version: [UInt8], next: RecipientID) {
        self.lineage = lineage
        self.version = version
        self.next = next
    }
}
