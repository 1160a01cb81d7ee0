/// How a send opens up: to a part of its recipients first, and to more while all is well.
package struct Stages: Hashable, Sendable {
    /// They rise, and the last one is everybody.
    package var shares: [StageShare] = [.everybody]
    /// An audience that gets the message before anybody else.
    package var seeds: Located<String>?
    package var soak = Soak.time(.seconds(900))
    package var limits = StageLimits()

    /// How long nothing starts after a stage before the next one opens.
    package enum Soak: Hashable, Sendable {
        case time(Duration)
        /// Until a person says that it goes on.
        case manual

        /// As files write it.
        package var written: String { if case .time(let time) = self { time.written } else { "manual" } }
    }

    /// The most seeds. They are people who look at their phones, not a list.
    package static let mostSeeds = 1000

    package init() {}

    /// The stages in their order, seeds included.
    package var all: [StageShare] { (seeds == nil ? [] : [.seeds]) + shares }

    /// The stage after one. `nil` after the last.
    func next(after share: StageShare) -> StageShare? { shares.first { $0 > share } }

    /// How long all stages take at least, apart from sending. `nil` where a person decides.
    var soaking: Duration? {
        guard case .time(let soak) = soak else { return nil }
        return soak * (all.count - 1)
    }
}

/// A stage, named by the share of the recipients to which it and all before it open the send.
package struct StageShare: Hashable, Comparable, Sendable {
    /// Millionths. 0 for seeds, who have a stage of their own.
    package let millionths: Int

    package init(millionths: Int) { self.millionths = millionths }

    package static let seeds = StageShare(millionths: 0)
    package static let everybody = StageShare(millionths: 1_000_000)

    package static func < (one: StageShare, other: StageShare) -> Bool { one.millionths < other.millionths }

    /// Reads `1%`, `12.5%`, with at most four digits after the point.
    init?(written text: String) {
        guard text.utf8.last == UInt8(ascii: "%") else { return nil }
        let parts = text.utf8.dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) }),
            parts[0].count <= 3, parts[0].count == 1 || parts[0].first != UInt8(ascii: "0"),
            parts.count == 1 || parts[1].count <= 4
        else { return nil }
        let zeros = 4 - (parts.dropFirst().first?.count ?? 0)
        let digits = Array(parts.joined()) + [UInt8](repeating: UInt8(ascii: "0"), count: zeros)
        let millionths = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard (1...1_000_000).contains(millionths) else { return nil }
        self.init(millionths: millionths)
    }

    /// Reads what documents write.
    init?(documented text: String) {
        if text == Self.seeds.text { self = .seeds } else { self.init(written: text) }
    }

    /// As files and documents write it: `1%`, `seeds`.
    package var text: String { self == .seeds ? "seeds" : "\(number)%" }

    /// In a sentence: `1 %`, `seeds`.
    package var words: String { self == .seeds ? "seeds" : "\(number) %" }

    private var number: String {
        let (whole, fraction) = millionths.quotientAndRemainder(dividingBy: 10_000)
        if fraction == 0 { return "\(whole)" }
        var digits = String(fraction + 10_000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}

/// How many outcomes of a stage may be bad, in percent of them. Above that nothing more starts.
package struct StageLimits: Hashable, Sendable {
    /// Refused messages, without those to dead registrations.
    package var rejectedPercent = 2
    package var deadPercent = 5
    package var unknownPercent = 1

    /// Fewer outcomes are judged as if they were that many.
    static let fewestOutcomes = 50

    package init() {}

    /// The first limit that the figures are over. `nil` if they are over none.
    func exceeded(by figures: StageFigures) -> StageExcess? {
        let all = max(Self.fewestOutcomes, figures.outcomes)
        let judged: [(StageExcess.Kind, Int, Int)] = [
            (.rejected, figures.rejected, rejectedPercent), (.dead, figures.dead, deadPercent),
            (.unknown, figures.unknown, unknownPercent),
        ]
        return judged.first { $1 * 100 > $2 * all }.map {
            StageExcess(kind: $0, count: $1, outcomes: figures.outcomes, limit: $2)
        }
    }
}

/// What came of a stage so far.
package struct StageFigures: Hashable, Sendable {
    package var accepted = 0
    /// Without the dead.
    package var rejected = 0
    package var dead = 0
    package var unknown = 0

    package init(accepted: Int = 0, rejected: Int = 0, dead: Int = 0, unknown: Int = 0) {
        (self.accepted, self.rejected, self.dead, self.unknown) = (accepted, rejected, dead, unknown)
    }

    package var outcomes: Int { accepted + rejected + dead + unknown }

    package static func + (one: Self, other: Self) -> Self {
        .init(
            accepted: one.accepted + other.accepted, rejected: one.rejected + other.rejected,
            dead: one.dead + other.dead, unknown: one.unknown + other.unknown)
    }

    /// What came since. A person may settle outcomes of before, so that there are fewer of them.
    package static func - (one: Self, other: Self) -> Self {
        .init(
            accepted: max(0, one.accepted - other.accepted), rejected: max(0, one.rejected - other.rejected),
            dead: max(0, one.dead - other.dead), unknown: max(0, one.unknown - other.unknown))
    }
}

/// A limit of a stage that its figures are over.
package struct StageExcess: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case rejected, dead, unknown
    }

    package var kind: Kind
    package var count: Int
    package var outcomes: Int
    /// Percent.
    package var limit: Int

    /// Without the stage: `12 of 100 were rejected, more than 2 %`.
    package var words: String {
        let verb =
            switch kind {
            case .rejected: "were rejected"
            case .dead: "are dead"
            case .unknown: "have an unknown outcome"
            }
        let few = outcomes < StageLimits.fewestOutcomes ? " of \(StageLimits.fewestOutcomes)" : ""
        return "\(count.grouped) of \(outcomes.grouped) \(verb), more than \(limit) %\(few)"
    }
}
