/// Which numbers a state has given. Two equal values mean equal tables of recipients, wherever they were read: what was
/// worked out with one holds for the other.
///
/// The serial cannot tell: giving numbers does not move it, and a backup that was put back counts the same serials again.
package struct Numbering: Hashable, Sendable {
    package var lineage: String
    /// 16 random bytes, drawn anew with every commit that gives a number or a newer registration.
    package var version: [UInt8]
    /// One more than the highest number given.
    package var next: RecipientID

    package static let versionSize = 16

    package init(lineage: String, version: [UInt8], next: RecipientID) {
        self.lineage = lineage
        self.version = version
        self.next = next
    }
}
