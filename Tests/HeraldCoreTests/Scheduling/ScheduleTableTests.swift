import Foundation
import HeraldCore
import Testing

/// Every zone of the tz database and ten years of schedules, computed by `Tests/fixtures/make_schedules.py`.
struct ScheduleTableTests {
    @Test func `offsets and occurrences are those of another calculation`() throws {
        let table = try ScheduleTable()
        var wrong: [String] = []
        var alike: Set<String> = []
        var missing = 0
        for group in table.zones {
            for name in group.names {
                guard let zone = Zone(named: name) else {
                    missing += 1
                    continue
                }
                if let difference = group.difference(from: zone) {
                    wrong.append("\(name) \(difference)")
                } else {
                    alike.insert(name)
                }
            }
        }
        print("\(alike.count) zones compared, \(wrong.count) differ, \(missing) are not on this machine")
        #expect(alike.count >= 300)
        // Another version of the database may have other rules for some zones.
        if table.isOfThisMachine { #expect(wrong == []) }
        for row in table.rows where alike.contains(row.zone.name) {
            #expect(try row.differences() == [], "\(row)")
        }
    }
}

private struct ScheduleTable {
    var version = ""
    var zones: [ZoneGroup] = []
    var rows: [Row] = []

    static let begin = 1_767_225_600  // 2026-01-01T00:00:00Z
    static let end = 2_082_758_400  // 2036-01-01T00:00:00Z
    static let leapDay = 1_835_481_600  // 2028-03-01T00:00:00Z

    /// Whether this machine has the database that the table was computed from.
    var isOfThisMachine: Bool {
        Zone.folders.contains { folder in
            let start = FileManager.default.contents(atPath: "\(folder)/tzdata.zi")?.prefix(40) ?? Data()
            return String(decoding: start, as: UTF8.self).hasPrefix("# version \(version)\n")
        }
    }

    init(beside test: String = #filePath) throws {
        let folder = URL(filePath: test).deletingLastPathComponent().appending(path: "../../fixtures")
        let text = try String(contentsOf: folder.appending(path: "schedules.tsv"), encoding: .utf8)
        var groups: [String: ZoneGroup] = [:]
        for line in text.split(separator: "\n") {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            switch columns[0] {
            case "version": version = columns[1]
            case "zone":
                let group = try ZoneGroup(columns)
                zones.append(group)
                groups[group.names[0]] = group
            default: rows.append(try Row(columns, zone: try #require(groups[columns[1]])))
            }
        }
    }

    /// Zones with the same rules in these ten years.
    struct ZoneGroup {
        var names: [String]
        var first: Int
        var changes: [(at: Int, offset: Int)]

        init(_ columns: [String]) throws {
            names = columns[1].split(separator: " ").map(String.init)
            first = try #require(Int(columns[2]))
            changes = try columns[3].split(separator: " ").map { change in
                let parts = change.split(separator: ":")
                return (try #require(Int(parts[0])), try #require(Int(parts[1])))
            }
        }

        var name: String { names[0] }

        /// The first instant at which the zone has another offset. It checks each change, the second before it, and
        /// every tenth day.
        func difference(from zone: Zone) -> String? {
            let days = stride(from: ScheduleTable.begin, to: ScheduleTable.end, by: 10 * 86400)
            let instants = Array(days) + changes.flatMap { [$0.at - 1, $0.at] }
            for instant in instants {
                let expected = changes.last { $0.at <= instant }?.offset ?? first
                let actual = zone.offset(at: Date(timeIntervalSince1970: Double(instant)))
                if actual != expected { return "\(instant): \(actual), not \(expected)" }
            }
            return nil
        }
    }

    /// The occurrences of one schedule.
    struct Row: CustomStringConvertible {
        var zone: ZoneGroup
        var description: String
        var schedule: Schedule
        var isNearChanges: Bool
        var count: Int
        var digest: String

        init(_ columns: [String], zone: ZoneGroup) throws {
            self.zone = zone
            description = columns.joined(separator: " ")
            isNearChanges = columns[0] == "near"
            schedule = Schedule(
                .cron(try Cron(parsing: columns[2]), start: nil, end: nil),
                zone: try #require(Zone(named: zone.name)),
                dst: DST(
                    gap: try #require(DST.Gap(rawValue: columns[3])),
                    overlap: try #require(DST.Overlap(rawValue: columns[4]))))
            count = try #require(Int(columns[5]))
            digest = columns[6]
        }

        private var spans: [(Date, Date)] {
            let around = 36 * 3600
            let places = zone.changes.isEmpty ? [ScheduleTable.leapDay] : zone.changes.map(\.at)
            return
                (isNearChanges
                ? places.map { ($0 - around, $0 + around) } : [(ScheduleTable.begin, ScheduleTable.end)])
                .map { (Date(timeIntervalSince1970: Double($0)), Date(timeIntervalSince1970: Double($1))) }
        }

        func differences() throws -> [String] {
            var differences: [String] = []
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            var total = 0
            for (after, through) in spans {
                let times = schedule.occurrences(after: after, through: through, limit: .max)
                for byte in times.flatMap({ "\(Int($0.timeIntervalSince1970))\n".utf8 }) {
                    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
                }
                total += times.count
                if schedule.latest(after: after, through: through) != times.last { differences.append("latest") }
                if let first = times.first, schedule.next(after: after) != first { differences.append("next") }
            }
            if total != count { differences.append("\(total) occurrences") }
            let digits = String(hash, radix: 16)
            if String(repeating: "0", count: 16 - digits.count) + digits != digest { differences.append("other times") }
            return differences
        }
    }
}
