import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct StageDrawTests {
    private static func stages(_ shares: [String]) throws -> Stages {
        var stages = Stages()
        stages.shares = try shares.map { try #require(StageShare(written: $0)) }
        return stages
    }

    private static func share(of unit: String, _ draw: StageDraw) -> StageShare {
        Array(unit.utf8).withUnsafeBytes { draw.share(of: $0) }
    }

    /// The numbers are Python's: `int.from_bytes(hmac.new(b"herald.stage/1", seed + b"\0" + unit, sha256).digest()[:8])`.
    @Test(arguments: [
        ("tide#1", "once", "abc", "32.4315%", "32.4316%"),
        ("tide#2", "2026-12-01T08:00:00Z", "fid-0001", "80.4323%", "80.4324%"),
    ])
    func `the draw is the contract's`(
        _ seed: String, _ time: String, _ unit: String, _ below: String, _ from: String
    ) throws {
        let draw = StageDraw(try Self.stages([below, from, "100%"]), seed: seed, time: time)
        #expect(Self.share(of: unit, draw).text == from)
    }

    @Test func `each occurrence draws anew`() throws {
        let draws = try ["once", "2026-12-01T08:00:00Z"].map {
            StageDraw(try Self.stages(["50%", "100%"]), seed: "tide#1", time: $0)
        }
        let alike = (0..<1000).count { Self.share(of: "\($0)", draws[0]) == Self.share(of: "\($0)", draws[1]) }
        // 500 in the mean; seven standard deviations are 111.
        #expect((389...611).contains(alike))
    }

    @Test func `shares are as the file says`() throws {
        let draw = StageDraw(try Self.stages(["1%", "12.5%", "100%"]), seed: "shares#1", time: "once")
        var counts: [String: Int] = [:]
        for number in 0..<100_000 { counts[Self.share(of: "\(number)", draw).text, default: 0] += 1 }
        // Four standard deviations are 0.42 points at most.
        for (share, part) in [("1%", 0.01), ("12.5%", 0.115), ("100%", 0.875)] {
            #expect(abs(Double(counts[share] ?? 0) / 100_000 - part) < 0.0042, "\(counts)")
        }
    }

    @Test(arguments: [
        ("1%", 10_000), ("100%", 1_000_000), ("0.0001%", 1), ("12.5%", 125_000), ("99.9999%", 999_999),
    ])
    func `a share is read and written alike`(_ text: String, _ millionths: Int) throws {
        let share = try #require(StageShare(written: text))
        #expect(share.millionths == millionths && share.text == text)
    }

    @Test(arguments: [
        "", "010%", "0%", "0.0000%", "100.0001%", "101%", "1", "-1%", "1.23456%", "1,5%", "%", "٣%", "1 %",
    ])
    func `other texts are no shares`(_ text: String) { #expect(StageShare(written: text) == nil) }

    @Test(arguments: [
        // Fewer than 50 outcomes count as 50: one of 50 is 2 %.
        (StageFigures(accepted: 0, rejected: 1), nil as StageExcess.Kind?),
        (StageFigures(accepted: 0, rejected: 2), .rejected), (StageFigures(accepted: 98, rejected: 2), nil),
        (StageFigures(accepted: 97, rejected: 3), .rejected), (StageFigures(accepted: 95, dead: 5), nil),
        (StageFigures(accepted: 94, dead: 6), .dead), (StageFigures(accepted: 99, unknown: 1), nil),
        (StageFigures(accepted: 98, unknown: 2), .unknown), (StageFigures(accepted: 0, unknown: 1), .unknown),
        (StageFigures(), nil),
    ])
    func `figures over a limit`(_ figures: StageFigures, _ kind: StageExcess.Kind?) {
        #expect(StageLimits().exceeded(by: figures)?.kind == kind)
    }

    @Test func `a limit of zero allows nothing, and one of a hundred all`() {
        var limits = StageLimits()
        (limits.rejectedPercent, limits.deadPercent, limits.unknownPercent) = (0, 100, 100)
        #expect(limits.exceeded(by: StageFigures(accepted: 10_000, rejected: 1))?.kind == .rejected)
        #expect(limits.exceeded(by: StageFigures(dead: 70, unknown: 70)) == nil)
    }

    @Test(arguments: [
        "", "x", "10000 5 3 1/0/0/0 - - -", "10000 5 3 1/0/0/0 - - - 0/0/0/0 -", "-1 5 3 1/0/0/0 - - - 0/0/0/0",
        "10000 nan 3 1/0/0/0 - - - 0/0/0/0", "10000 1e300 3 1/0/0/0 - - - 0/0/0/0",
        "10000 5 -3 1/0/0/0 - - - 0/0/0/0", "10000 5 3 1/0/0 - - - 0/0/0/0", "10000 5 3 1/0/0/-2 - - - 0/0/0/0",
        "10000 5 3 1/0/0/0 x - - 0/0/0/0", "10000 5 3 1/0/0/0 - x - 0/0/0/0", "10000 5 3 1/0/0/0 - - - -",
        "20000 5 3 1/0/0/0 - - - 0/0/0/0\n10000 5 3 1/0/0/0 - - - 0/0/0/0", "9999999 5 3 1/0/0/0 - - - 0/0/0/0",
        "10000 5 3 1/0/0/0 - - - 0/0/0/0\n",
    ])
    func `other texts hold no stages`(_ text: String) { #expect(RecordedStage.stages(in: text) == nil) }
}
