internal import FCM

/// A stage of an occurrence that has opened.
package struct RecordedStage: Hashable, Sendable {
    package var share: StageShare
    package var opened: Date
    /// How many recipients are in it, but not in the stages before.
    package var planned: Int
    /// What had come of the occurrence before it opened.
    package var before = StageFigures()
    /// Since when nobody of it could start, or since when others were kept waiting for it if it goes on.
    package var settled: Date?
    /// Whether a run went on with it since it had settled. It soaks again from when nobody of it can start any more.
    package var goesOn = false
    /// What came of it, as far as the state was told; in a snapshot, by then. `nil` until it settles or halts.
    package var figures: StageFigures?
    /// When a person accepted what came of it, or had some of it tried again.
    package var accepted: Date?
    /// What had come of it by then. Only what came since is judged.
    package var excused = StageFigures()
    /// What the draw of the occurrence's stages begins with, as it was when the first of them opened
    /// (`Campaign.drawSeed`). `nil` if a herald opened it that did not note it.
    package var draw: String?

    package init(
        share: StageShare, opened: Date, planned: Int, before: StageFigures = StageFigures(), draw: String? = nil
    ) {
        (self.share, self.opened, self.planned, self.before, self.draw) = (share, opened, planned, before, draw)
    }

    /// Whether nobody of it can start any more.
    package var isOver: Bool { settled != nil && !goesOn }

    /// What a person accepted and what is still so. An unknown outcome that is tried again excuses no other one.
    ///
    /// - Parameter unknown: how many outcomes are unknown that may be those.
    func excused(unknown: Int) -> StageFigures {
        var still = excused
        still.unknown = min(still.unknown, unknown)
        return still
    }
}

// MARK: As text

/// Stores and snapshots keep the stages of an occurrence as one text: a stage a line, its parts apart by spaces, `-` for
/// what is not known. A stage that goes on has a `+` after the time at which it settled.
extension RecordedStage {
    package static func text(of stages: [RecordedStage]) -> String? {
        stages.isEmpty ? nil : stages.map(\.text).joined(separator: "\n")
    }

    /// - Returns: `nil` if it is no such text.
    package static func stages(in text: String?) -> [RecordedStage]? {
        guard let text else { return [] }
        var stages: [RecordedStage] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let stage = RecordedStage(String(line)), stages.last.map({ $0.share < stage.share }) ?? true else {
                return nil
            }
            stages.append(stage)
        }
        return stages
    }

    private var text: String {
        let parts: [String] = [
            "\(share.millionths)", Self.text(opened), "\(planned)", before.text,
            settled.map { Self.text($0) + (goesOn ? "+" : "") } ?? "-",
            figures?.text ?? "-", accepted.map(Self.text) ?? "-", excused.text,
        ]
        return (parts + [draw].compactMap(\.self)).joined(separator: " ")
    }

    private init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 8 || parts.count == 9 && parts[8].contains("#"), let millionths = Int(parts[0]),
            (0...1_000_000).contains(millionths), let opened = Self.date(parts[1]),
            let planned = Int(parts[2]), planned >= 0, let before = StageFigures(text: parts[3])
        else { return nil }
        self.init(share: StageShare(millionths: millionths), opened: opened, planned: planned, before: before)
        guard let excused = StageFigures(text: parts[7]) else { return nil }
        goesOn = parts[4].hasSuffix("+")
        settled = Self.date(goesOn ? String(parts[4].dropLast()) : parts[4])
        (accepted, self.excused) = (Self.date(parts[6]), excused)
        draw = parts.count == 9 ? parts[8] : nil
        figures = StageFigures(text: parts[5])
        guard parts[4] == "-" || settled != nil, parts[5] == "-" || figures != nil, parts[6] == "-" || accepted != nil
        else { return nil }
    }

    /// Seconds since 1970, with the fractions that `Date` has.
    private static func text(_ date: Date) -> String { "\(date.timeIntervalSince1970)" }

    private static func date(_ text: String) -> Date? {
        // Years 1 to 9999.
        guard let seconds = Double(text), (-62_135_596_800..<253_402_300_800).contains(seconds) else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }
}

extension StageFigures {
    fileprivate var text: String { "\(accepted)/\(rejected)/\(dead)/\(unknown)" }

    fileprivate init?(text: String) {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard numbers.count == 4, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        self.init(accepted: numbers[0], rejected: numbers[1], dead: numbers[2], unknown: numbers[3])
    }
}

extension StageFigures {
    /// What came of an occurrence.
    ///
    /// - Parameters:
    ///   - besides: recipients that are left out, because they are tried again.
    ///   - dead: recipients whose registration is dead.
    init(_ ledger: Ledger, besides: RecipientSet = [], dead: RecipientSet) {
        let count = { (members: RecipientSet) in members.subtracting(besides).count }
        let rejected = ledger[.rejected]
        let died = rejected.intersection(dead.union(ledger.codes[FailureCode.unregistered.rawValue]))
        self.init(
            accepted: count(ledger[.accepted]), rejected: count(rejected.subtracting(died)), dead: count(died),
            unknown: count(ledger.uncertain.union(ledger[.abandoned])))
    }

    /// The same as far as counts say it: who is dead by now without having been refused as such is rejected.
    init(_ counts: LedgerCounts) {
        let dead = counts.rejections[FailureCode.unregistered.rawValue, default: 0]
        self.init(
            accepted: counts[.accepted], rejected: counts[.rejected] - dead, dead: dead,
            unknown: counts.uncertain + counts[.abandoned])
    }
}
