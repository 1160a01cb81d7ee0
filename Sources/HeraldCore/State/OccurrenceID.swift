/// One firing of a campaign: `NAME@2026-12-01T08:00:00Z` or `NAME@once`, followed by `#N` from revision 2 on.
package struct OccurrenceID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package init(campaign: String, due: Date?, revision: Int) {
        let suffix = revision > 1 ? "#\(revision)" : ""
        rawValue = "\(campaign)@\(due.map(\.rfc3339) ?? "once")\(suffix)"
    }

    package var description: String { rawValue }

    package static func < (one: OccurrenceID, other: OccurrenceID) -> Bool { one.rawValue < other.rawValue }
}
