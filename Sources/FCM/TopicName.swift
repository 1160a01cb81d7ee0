/// A topic's bare name, without `/topics/`: 1–900 characters of `[a-zA-Z0-9-_.~%]`, case-sensitive.
package struct TopicName: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// FCM's limit on the length of a topic name, in characters.
    package static let maximumLength = 900

    package let rawValue: String

    package init?(rawValue: String) {
        guard (1...Self.maximumLength).contains(rawValue.utf8.count),
            rawValue.unicodeScalars.allSatisfy(Self.isAllowed)
        else { return nil }
        self.rawValue = rawValue
    }

    package static func isAllowed(_ character: Unicode.Scalar) -> Bool {
        switch character {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "~", "%": true
        default: false
        }
    }

    package var description: String { rawValue }

    package static func < (one: TopicName, other: TopicName) -> Bool {
        one.rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }
}
