/// What one process counted of a send that several processes share.
package struct Tally: Hashable, Sendable {
    package enum Figure: String, Hashable, Sendable, CaseIterable {
        case accepted, rejected, unknown
        /// Not tried again in this run, and without an outcome.
        case postponed
        case forgotten, doubted
        /// Reported as dead, whether forgotten or not.
        case dead
        case retries
        case duplicates
    }

    private var figures: [Figure: Int] = [:]

    package init() {}

    package subscript(_ figure: Figure) -> Int {
        get { figures[figure] ?? 0 }
        set { figures[figure] = newValue == 0 ? nil : newValue }
    }

    /// Recipients that need nothing more in this run.
    package var settled: Int { self[.accepted] + self[.rejected] + self[.unknown] + self[.postponed] }

    package static func + (one: Tally, other: Tally) -> Tally {
        var sum = one
        for (figure, count) in other.figures { sum[figure] += count }
        return sum
    }

    package static func - (one: Tally, other: Tally) -> Tally {
        var difference = one
        for (figure, count) in other.figures { difference[figure] -= count }
        return difference
    }
}

extension StepReport {
    /// Adds what other processes counted.
    mutating func add(_ tally: Tally) {
        accepted += tally[.accepted]
        rejected += tally[.rejected]
        unknown += tally[.unknown]
        forgotten += tally[.forgotten]
        doubted += tally[.doubted]
        retries += tally[.retries]
        possibleDuplicates += tally[.duplicates]
    }

    /// What it counts, apart from recipients that are postponed or dead.
    package var tally: Tally {
        var tally = Tally()
        tally[.accepted] = accepted
        tally[.rejected] = rejected
        tally[.unknown] = unknown
        tally[.forgotten] = forgotten
        tally[.doubted] = doubted
        tally[.retries] = retries
        tally[.duplicates] = possibleDuplicates
        return tally
    }
}
