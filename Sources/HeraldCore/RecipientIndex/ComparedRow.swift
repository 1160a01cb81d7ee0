/// What audiences make of a row if it is the row that counts of its recipient. Only audiences with a comparison on their
/// way from the list are in it: they go by that row alone.
struct ComparedRow: Hashable, Sendable {
    /// The list, as the place among all lists of the first audience that names it in the same way.
    var list: Int
    /// The columns whose times the row brings, as places among the columns of the classifier.
    var times: [Int]
    /// Parents come before the audiences made from them.
    var takers: [Taker]

    struct Taker: Hashable, Sendable {
        var owner: RecipientIndex.Owner
        /// The place of the list among all lists. `nil` for an audience that is made from another.
        var list: Int?
        /// The place of that other audience among the takers, if that one compares, too.
        var parent: Int?
        var verdict: Verdict
    }

    enum Verdict: Hashable, Sendable {
        case out
        /// The value that this filter of the audience asks for is of another type.
        case wrongType(filter: Int)
        /// It is taken if it passes all of these.
        case by([TimeTest])
    }

    /// Compares a time of the row with the plan's time.
    struct TimeTest: Hashable, Sendable {
        /// The place of the filter in its audience.
        var filter: Int
        /// The place of the time among those that the row brings. `nil` for an empty value, which never passes.
        var time: Int?
        /// In seconds.
        var span: Int64
        var isWithin: Bool

        func passes(_ times: [Int64], at now: Int64) -> Bool {
            guard let time else { return false }
            return (times[time] >= now - span) == isWithin
        }
    }
}

extension Audience.Filter {
    /// - Parameters:
    ///   - place: that of the filter in its audience.
    ///   - time: as in `TimeTest`.
    func timeTest(at place: Int, of time: Int?) -> ComparedRow.TimeTest? {
        switch test {
        case .within(let span): .init(filter: place, time: time, span: span.components.seconds, isWithin: true)
        case .before(let span): .init(filter: place, time: time, span: span.components.seconds, isWithin: false)
        case .oneOf, .not, .atLeast, .below: nil
        }
    }
}

/// The times of a row, as they stand in front of its values in the tail of its entry: seconds since 1970, each in eight
/// bytes (little-endian).
enum RowTimes {
    private static let size = 8
    /// A line has at most 8 KiB, and a time at least 17 bytes.
    static let maximumSize = (8 << 10) / 17 * size

    static func append(_ time: Int64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: time.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// So many times, and what follows them.
    static func split(_ tail: UnsafeRawBufferPointer, _ count: Int) -> (times: [Int64], rest: UnsafeRawBufferPointer) {
        let times = (0..<count).map {
            Int64(littleEndian: tail.loadUnaligned(fromByteOffset: $0 * size, as: Int64.self))
        }
        return (times, UnsafeRawBufferPointer(rebasing: tail[(count * size)...]))
    }
}
