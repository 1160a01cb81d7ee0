/// How far a run is: the current step, its figures, the rate, and the time left. Computed from reports and their times.
package struct RunProgress: Sendable {
    private var current: StepUnderWay?
    /// How many recipients of each step are done.
    private var done: [Int] = []
    private var noted: Duration = .zero
    /// How many of the current step were done at what time; the oldest first.
    private var samples: [(at: Duration, done: Int)] = []

    /// The rate is an average over this time.
    private static let window: Duration = .seconds(10)

    package init() {}

    /// - Parameter elapsed: Time since the run began; never decreases.
    package mutating func note(_ report: Report, at elapsed: Duration) {
        let figures = report.steps.map { $0.planned - $0.pending }
        let index = nextIndex(report.steps, figures)
        if index != current?.index {
            let earlier = index.flatMap { done.indices.contains($0) ? done[$0] : nil }
            samples = [(noted, earlier ?? 0)]
        }
        current = index.map { StepUnderWay(index: $0, step: report.steps[$0]) }
        if let current { samples.append((elapsed, current.done)) }
        if let first = samples.firstIndex(where: { $0.at >= elapsed - Self.window }) { samples.removeFirst(first) }
        (done, noted) = (figures, elapsed)
    }

    /// The step that moved last. If it is finished, the next unfinished one.
    private func nextIndex(_ steps: [StepReport], _ figures: [Int]) -> Int? {
        let moved = figures.indices.last { figures[$0] != (done.indices.contains($0) ? done[$0] : 0) }
        if !done.isEmpty, let moved { return moved }
        let isUnderWay = { (index: Int) in steps[index].pending > 0 && steps[index].stopped == nil }
        if let index = current?.index, isUnderWay(index) { return index }
        return steps.indices.first(where: isUnderWay) ?? current?.index
    }

    /// Recipients per second.
    private var rate: Double {
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return 0 }
        return Double(last.done - first.done) / (last.at - first.at).seconds
    }

    private var timeLeft: Duration? {
        guard let current, current.step.pending > 0, rate > 0 else { return nil }
        return .seconds(Double(current.step.pending) / rate)
    }

    // MARK: Text

    /// One line for a log: `tide-rome: 12,300 of 100,000 (1,240/s), 12 rejected, 0 unknown, about 1 min 11 s left`.
    package var line: String? {
        guard let current else { return nil }
        let step = current.step
        return "\(current.name): \(current.done.grouped) of \(step.planned.grouped) (\(rateText)), "
            + "\(step.rejected.grouped) rejected, \(step.unknown.grouped) unknown" + (eta.map { ", about \($0)" } ?? "")
    }

    /// One line of at most this many columns. A narrower line says less.
    package func bar(width: Int, _ style: TextStyle = .plain) -> String? {
        guard let current else { return nil }
        let name = String(current.name.prefix(Self.longestName))
        let share = "\(current.share) %"
        let eta = eta.map { [$0] } ?? []
        let outcomes = current.outcomes(.plain)
        let rest = [share, rateText, outcomes] + eta
        let room = width - Self.width([name] + rest) - Self.gap.count - "[]".count
        // Only a few sizes: a bar that changes size with the figures would flicker.
        if let size = Self.bars.first(where: { $0 <= room }) {
            let filled = size * current.share / 100
            let bar = "[\(String(repeating: "#", count: filled))\(String(repeating: "-", count: size - filled))]"
            return Self.joined([name, bar, share, rateText, current.outcomes(style)] + eta)
        }
        if Self.width([name] + rest) <= width {
            return Self.joined([name, share, rateText, current.outcomes(style)] + eta)
        }
        let shorter = [[name, share, rateText] + eta, [name, share], [share]]
        return shorter.first { Self.width($0) <= width }.map(Self.joined)
    }

    private static let bars = [30, 20, 10]
    private static let longestName = 40
    private static let gap = "  "

    private static func joined(_ parts: [String]) -> String { parts.joined(separator: gap) }
    private static func width(_ parts: [String]) -> Int { joined(parts).count }

    private var rateText: String { "\(Int(rate.rounded()).grouped)/s" }
    private var eta: String? { timeLeft.map { "\($0.roughText) left" } }
}

/// The current step, in words for people.
private struct StepUnderWay: Sendable {
    var index: Int
    var step: StepReport

    var done: Int { step.planned - step.pending }

    var name: String {
        if let occurrence = step.occurrence { return String(occurrence.prefix { $0 != "@" }) }
        let verb = String(step.action.rawValue.map { $0 == "_" ? " " : $0 })
        return "\(verb) \(step.topic ?? step.group ?? "")".printable
    }

    /// In percent; 100 only when nothing is left.
    var share: Int { step.planned == 0 ? 100 : done * 100 / step.planned }

    func outcomes(_ style: TextStyle) -> String {
        let rejected = "\(step.rejected.grouped) rejected"
        let unknown = "\(step.unknown.grouped) unknown"
        return "\(step.accepted.grouped) accepted, \(step.rejected > 0 ? style.red(rejected) : rejected), "
            + (step.unknown > 0 ? style.yellow(unknown) : unknown)
    }
}
