/// A device group's `notification_key_name`: 1–255 printable characters without spaces. The name identifies the group,
/// because FCM may hand out a new key at any time.
package struct GroupName: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// In Unicode scalars.
    package static let maximumLength = 255

    package let rawValue: String

    package init?(rawValue: String) {
        guard (1...Self.maximumLength).contains(rawValue.unicodeScalars.count),
            rawValue.unicodeScalars.allSatisfy(Self.isAllowed)
        else { return nil }
        self.rawValue = rawValue
    }

    /// Whether the character is printable and not a space.
    package static func isAllowed(_ character: Unicode.Scalar) -> Bool {
        switch character.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }

    package var description: String { rawValue }

    package static func < (one: GroupName, other: GroupName) -> Bool {
        one.rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }
}
