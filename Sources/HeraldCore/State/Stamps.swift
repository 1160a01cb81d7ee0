/// What a run, or a command that changes the state, leaves in the state, and outside of it in a report or a witness.
/// A state without it went back, or is another copy.
package struct Stamp: Hashable, Sendable {
    /// Counts from 1 in each state. A copy that goes on by itself gives out the same numbers.
    package var number: Int64
    /// Random, so that two histories never have the same one at one number.
    package var id: String

    package init(number: Int64, id: String) {
        self.number = number
        self.id = id
    }
}

/// The newest stamps of a state, without a gap.
package struct Stamps: Hashable, Sendable {
    /// Nothing is known about stamps up to this number.
    private var floor: Int64 = 0
    private var ids: [String] = []

    /// How many are kept. Whoever was away for longer is not judged by them.
    package static let kept = 500
    /// No state gets as far.
    package static let numbers: Range<Int64> = 1..<1 << 62

    package init() {}

    /// - Parameter stamps: in the order of their numbers. `nil` if they have a gap or no possible number.
    package init?(_ stamps: [Stamp]) {
        guard let first = stamps.first else { return }
        floor = first.number - 1
        ids = stamps.map(\.id)
        for (place, stamp) in stamps.enumerated() {
            guard Self.numbers.contains(stamp.number), stamp.number == first.number + Int64(place) else { return nil }
        }
    }

    package var last: Stamp? { ids.last.map { Stamp(number: floor + Int64(ids.count), id: $0) } }

    /// - Parameter number: the highest one elsewhere, if the state is to count as the newest from now on. All earlier
    ///   stamps are forgotten then.
    mutating func add(_ id: String, outgrowing number: Int64?) {
        if let number { (floor, ids) = (max(floor + Int64(ids.count), number), []) }
        ids.append(id)
        let excess = ids.count - Self.kept
        guard excess > 0 else { return }
        ids.removeFirst(excess)
        floor += Int64(excess)
    }

    /// Whether the state has that stamp for sure.
    package func include(_ stamp: Stamp) -> Bool { id(at: stamp.number) == stamp.id }

    /// Whether the state lacks that stamp for sure.
    package func lack(_ stamp: Stamp) -> Bool { stamp.number > floor && !include(stamp) }

    private func id(at number: Int64) -> String? {
        guard number > floor, number - floor <= Int64(ids.count) else { return nil }
        return ids[Int(number - floor) - 1]
    }
}

/// The stamps of a state, and which state it is.
package struct History: Hashable, Sendable {
    package var lineage: String
    package var stamps: Stamps

    package init(lineage: String, stamps: Stamps) {
        self.lineage = lineage
        self.stamps = stamps
    }
}

extension RecordedState {
    package var history: History { History(lineage: identity.lineage, stamps: stamps) }
}
