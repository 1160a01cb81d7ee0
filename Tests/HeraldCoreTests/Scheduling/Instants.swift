import Foundation
import HeraldCore
import Testing

extension Date {
    /// A time with its offset, as written in a test.
    static func at(_ text: String) throws -> Date { try #require(Date(rfc3339: text), "\(text)") }
}

extension Zone {
    /// A zone that every tz database has.
    static func known(_ name: String) throws -> Zone {
        try #require(Zone(named: name), "this machine has no time zone data: no \(name)")
    }
}

extension Schedule {
    static func cron(
        _ text: String, in zone: String = "UTC", _ gap: DST.Gap = .next, _ overlap: DST.Overlap = .first,
        start: String? = nil, end: String? = nil
    ) throws -> Schedule {
        Schedule(
            .cron(try Cron(parsing: text), start: try start.map { try .at($0) }, end: try end.map { try .at($0) }),
            zone: try .known(zone), dst: DST(gap: gap, overlap: overlap))
    }

    /// In UTC, in the form of occurrence ids.
    func times(after: String, through: String, limit: Int = .max) throws -> [String] {
        try occurrences(after: .at(after), through: .at(through), limit: limit).map(\.rfc3339)
    }
}
