import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The bytes of a TZif file in the layout of RFC 9636.
struct TZifSample {
    var version: UInt8 = UInt8(ascii: "2")
    var changes: [(at: Int64, type: UInt8)] = [(100, 1), (200, 0)]
    /// Seconds east of UTC.
    var types: [Int32] = [3600, 7200]
    var footer = "CET-1CEST,M3.5.0,M10.5.0/3"
    var leaps = 0

    var bytes: [UInt8] {
        guard version > 0 else { return block(version: 0, wide: false) }
        return block(version: version, wide: false) + block(version: version, wide: true)
            + Array("\n\(footer)\n".utf8)
    }

    private func block(version: UInt8, wide: Bool) -> [UInt8] {
        var bytes = Array("TZif".utf8) + [version] + Array(repeating: 0, count: 15)
        for count in [0, 0, leaps, changes.count, types.count, 4] { bytes += big(UInt32(count)) }
        for change in changes {
            bytes += wide ? big(UInt64(bitPattern: change.at)) : big(UInt32(truncatingIfNeeded: change.at))
        }
        bytes += changes.map(\.type)
        for type in types { bytes += big(UInt32(bitPattern: type)) + [0, 0] }
        bytes += Array("ABC\0".utf8)
        return bytes + Array(repeating: 0, count: leaps * (wide ? 12 : 8))
    }

    private func big(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

struct TZifTests {
    @Test func `reads the changes and the rule behind them`() throws {
        let zone = Zone(name: "Test", rules: try #require(ZoneRules(tzif: TZifSample().bytes)))
        let offsets = try [
            "1970-01-01T00:01:39Z", "1970-01-01T00:01:40Z", "1970-01-01T00:03:20Z",
            "1970-03-29T00:59:59Z", "1970-03-29T01:00:00Z", "1970-10-25T00:59:59Z", "1970-10-25T01:00:00Z",
        ]
        .map { zone.offset(at: try .at($0)) }
        #expect(offsets == [3600, 7200, 3600, 3600, 7200, 7200, 3600])
    }

    @Test func `version 1 ends with its last change`() throws {
        let zone = Zone(name: "Test", rules: try #require(ZoneRules(tzif: TZifSample(version: 0).bytes)))
        #expect(try zone.offset(at: .at("1970-01-01T00:02:00Z")) == 7200)
        #expect(try zone.offset(at: .at("2026-07-01T00:00:00Z")) == 3600)
    }

    @Test func `an empty footer leaves the last offset`() throws {
        let zone = Zone(name: "Test", rules: try #require(ZoneRules(tzif: TZifSample(footer: "").bytes)))
        #expect(try zone.offset(at: .at("2026-07-01T00:00:00Z")) == 3600)
    }

    @Test func `a zone may have nothing but its rule`() throws {
        let sample = TZifSample(changes: [], types: [3600])
        let zone = Zone(name: "Test", rules: try #require(ZoneRules(tzif: sample.bytes)))
        #expect(try zone.offset(at: .at("1950-07-01T00:00:00Z")) == 7200)
        #expect(try zone.offset(at: .at("1950-01-01T00:00:00Z")) == 3600)
    }

    @Test(arguments: [
        TZifSample(version: UInt8(ascii: "1")), TZifSample(changes: [(100, 2)]),
        TZifSample(changes: [(200, 1), (100, 0)]),
        TZifSample(changes: [(100, 1), (100, 0)]), TZifSample(changes: [(.min, 1)]), TZifSample(changes: [(.max, 1)]),
        TZifSample(types: []), TZifSample(types: [3600, .min]), TZifSample(types: [3600, 26 * 3600 + 1]),
        TZifSample(footer: "CET"), TZifSample(footer: "CET-1CEST"), TZifSample(footer: "CET-25"),
        TZifSample(footer: "CET-1CEST,M3.5.0"), TZifSample(footer: "CET-1CEST,M13.5.0,M10.5.0"),
        TZifSample(footer: "CET-1CEST,M3.0.0,M10.5.0"), TZifSample(footer: "CET-1CEST,M3.5.7,M10.5.0"),
        TZifSample(footer: "CET-1CEST,J0,J365"), TZifSample(footer: "CET-1CEST,366,J365"),
        TZifSample(footer: "CET-1CEST,M3.5.0/168,M10.5.0"), TZifSample(footer: "CET-1CEST,M3.5.0,M10.5.0x"),
        TZifSample(footer: "<CET-1"), TZifSample(footer: "C-1"), TZifSample(footer: "CÉT-1"), TZifSample(leaps: 1),
    ])
    func `refuses a damaged file`(_ sample: TZifSample) { #expect(ZoneRules(tzif: sample.bytes) == nil) }

    @Test(arguments: [
        ("EST5EDT,M3.2.0,M11.1.0", [2026: ["2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"]]),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", [2027: ["2027-03-28T01:00:00Z", "2027-10-31T01:00:00Z"]]),
        ("IST-2IDT,M3.4.4/26,M10.5.0", [2026: ["2026-03-27T00:00:00Z", "2026-10-24T23:00:00Z"]]),
        (
            "XXX0YYY-2,J60,59",
            [
                2027: ["2027-03-01T02:00:00Z", "2027-03-01T00:00:00Z"],
                2028: ["2028-03-01T02:00:00Z", "2028-02-29T00:00:00Z"],
            ]
        ),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", [2026: ["2026-10-03T16:00:00Z", "2026-04-04T16:00:00Z"]]),
    ])
    func `a rule says when the clocks change`(_ text: String, _ years: [Int: [String]]) throws {
        let rule = try #require(PosixRule(text))
        for (year, times) in years {
            #expect(rule.changes(in: year).map { Date(wholeSeconds: $0.at).rfc3339 } == times)
        }
    }

    @Test func `summer can last all year`() throws {
        let rule: PosixRule = try #require(PosixRule("XXX3EDT4,0/0,J365/23"))
        let rules = ZoneRules(changes: [], offsets: [-10800], rule: rule)
        let zone = Zone(name: "Test", rules: rules)
        for text in ["2026-01-01T02:59:59Z", "2026-01-01T03:00:00Z", "2026-07-01T00:00:00Z", "2027-01-01T03:00:00Z"] {
            #expect(try zone.offset(at: .at(text)) == -14400)
        }
        var daily = try Schedule.cron("0 0 * * *")
        daily.zone = zone
        #expect(try daily.times(after: "2025-12-30T05:00:00Z", through: "2026-01-03T05:00:00Z").count == 4)
    }

    @Test func `broken bytes never crash it`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededRandom(seed: seed)
        let rome = FileManager.default.contents(atPath: "\(Zone.folders[0])/Europe/Rome").map { Array($0) }
        let originals = [TZifSample().bytes, TZifSample(version: 0).bytes] + (rome.map { [$0] } ?? [])
        var readable = 0
        for round in 0..<6000 {
            var bytes = originals[round % originals.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes = Array(bytes.prefix(place))
                case 1 where !bytes.isEmpty: bytes.remove(at: place)
                case 2: bytes.insert(.random(in: .min ... .max, using: &random), at: min(place, bytes.count))
                // The place where a footer may be
                case 3 where bytes.count > 30:
                    bytes[bytes.count - 1 - Int.random(in: 0..<30, using: &random)] = .random(
                        in: 32...127, using: &random)
                default: if !bytes.isEmpty { bytes[place] = .random(in: .min ... .max, using: &random) }
                }
            }
            guard let rules = ZoneRules(tzif: bytes) else { continue }
            readable += 1
            var schedule = try Schedule.cron("30 2 * * *", in: "UTC", .next, .both)
            schedule.zone = Zone(name: "Test", rules: rules)
            let start = Date(wholeSeconds: Int.random(in: -62_135_596_800...253_402_300_799, using: &random))
            let times = schedule.occurrences(after: start, through: start.addingTimeInterval(86400 * 400), limit: 500)
            #expect(times == times.sorted() && Set(times).count == times.count, "seed \(seed), round \(round)")
            _ = schedule.zone.instants(of: schedule.zone.local(at: start))
            _ = schedule.latest(after: .distantPast, through: start)
        }
        #expect(readable > 100, "seed \(seed)")
    }
}

extension TZifSample: CustomTestStringConvertible {
    var testDescription: String { "\(version) \(changes) \(types) \(footer) \(leaps)" }
}
