/// One firing of a campaign: `NAME@2026-12-01T08:00:00Z`, in local time `NAME@2026-12-01T09:00`, or `NAME@once`, followed
/// by `#N` from revision 2 on.
package struct OccurrenceID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package init(campaign: String, due: Date?, revision: Int) {
        self.init(campaign, due.map(\.rfc3339) ?? "once", revision)
    }

    package init(campaign: String, local: LocalTime, revision: Int) {
        self.init(campaign, local.shortText, revision)
    }

    private init(_ campaign: String, _ time: String, _ revision: Int) {
        rawValue = "\(campaign)@\(time)\(revision > 1 ? "#\(revision)" : "")"
    }

    /// Stands for a test of a campaign, of which the state has no occurrence.
    package static func test(of campaign: String) -> OccurrenceID { OccurrenceID(rawValue: "\(campaign)@test") }

    /// Whether it stands for a test.
    package var isTest: Bool { self == .test(of: campaign) }

    package var description: String { rawValue }

    /// The name that its campaign had when it was planned first.
    package var campaign: String { String(rawValue.prefix { $0 != "@" }) }

    /// When its time comes to the last clock that it is for. `nil` if it has none.
    package var lastInstant: Date? {
        let time = String(rawValue.drop { $0 != "@" }.dropFirst().prefix { $0 != "#" })
        return Date(rfc3339: time) ?? LocalTime(written: time)?.lastInstant
    }

    package static func < (one: OccurrenceID, other: OccurrenceID) -> Bool { one.rawValue < other.rawValue }
}
