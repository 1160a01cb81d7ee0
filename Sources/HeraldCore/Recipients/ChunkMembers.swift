/// The members of one chunk, by their lower 16 bits. Few members are a sorted array, many are a bitmap of 8 KiB.
enum ChunkMembers: Sendable {
    case array([UInt16])
    case bits([UInt64], count: Int)

    /// The largest array. Beyond it, a bitmap is smaller.
    static let arrayLimit = 4096
    static let wordCount = 1024

    var count: Int {
        switch self {
        case .array(let values): values.count
        case .bits(_, let count): count
        }
    }

    var isEmpty: Bool { count == 0 }

    /// Ascending.
    var values: [UInt16] {
        switch self {
        case .array(let values): values
        case .bits(let words, let count):
            [UInt16](unsafeUninitializedCapacity: count) { values, size in
                for (index, word) in words.enumerated() {
                    var rest = word
                    while rest != 0, size < count {
                        values[size] = UInt16(index * 64 + rest.trailingZeroBitCount)
                        size += 1
                        rest &= rest - 1
                    }
                }
            }
        }
    }

    var last: UInt16? {
        switch self {
        case .array(let values): values.last
        case .bits(let words, _):
            words.lastIndex { $0 != 0 }.map { UInt16($0 * 64 + 63 - words[$0].leadingZeroBitCount) }
        }
    }

    func contains(_ value: UInt16) -> Bool {
        switch self {
        case .array(let values):
            let place = Self.place(of: value, in: values)
            return place < values.count && values[place] == value
        case .bits(let words, _):
            return words[Int(value >> 6)] & (1 << UInt64(value & 63)) != 0
        }
    }

    mutating func insert(_ value: UInt16) {
        switch consume self {
        case .array(var values):
            let place = Self.place(of: value, in: values)
            if place == values.count || values[place] != value { values.insert(value, at: place) }
            self = values.count > Self.arrayLimit ? Self(words: Self.words(values)) : .array(values)
        case .bits(var words, var count):
            let bit: UInt64 = 1 << UInt64(value & 63)
            if words[Int(value >> 6)] & bit == 0 { count += 1 }
            words[Int(value >> 6)] |= bit
            self = .bits(words, count: count)
        }
    }

    /// Returns `false` if it was not a member.
    mutating func remove(_ value: UInt16) -> Bool {
        guard contains(value) else { return false }
        switch consume self {
        case .array(var values):
            values.remove(at: Self.place(of: value, in: values))
            self = .array(values)
        case .bits(var words, let count):
            words[Int(value >> 6)] &= ~(1 << UInt64(value & 63))
            self = .bits(words, count: count - 1)
        }
        return true
    }

    init(sorted values: [UInt16]) {
        self = values.count > Self.arrayLimit ? Self(words: Self.words(values)) : .array(values)
    }

    /// - Parameter runs: ascending, with gaps between them.
    init(runs: [ClosedRange<UInt16>]) {
        let count = runs.reduce(0) { $0 + $1.count }
        guard count > Self.arrayLimit else {
            self = .array(runs.flatMap { $0 })
            return
        }
        var words = [UInt64](repeating: 0, count: Self.wordCount)
        for run in runs {
            let (first, last) = (Int(run.lowerBound), Int(run.upperBound))
            for index in (first >> 6)...(last >> 6) {
                let low = index == first >> 6 ? UInt64.max << UInt64(first & 63) : .max
                let high = index == last >> 6 ? UInt64.max >> UInt64(63 - last & 63) : .max
                words[index] |= low & high
            }
        }
        self = .bits(words, count: count)
    }

    /// How many runs (ranges without gaps) the members form.
    var runCount: Int {
        switch self {
        case .array(let values):
            var count = values.isEmpty ? 0 : 1
            for index in values.indices.dropFirst() where values[index] != values[index - 1] &+ 1 { count += 1 }
            return count
        case .bits(let words, _):
            var (count, carry) = (0, UInt64(0))
            for word in words {
                count += (word & ~(word << 1 | carry)).nonzeroBitCount
                carry = word >> 63
            }
            return count
        }
    }

    /// Calls `body` for each run, ascending, with its first member and how many more there are.
    func forEachRun(_ body: (_ first: UInt16, _ extra: UInt16) -> Void) {
        switch self {
        case .array(let values):
            var run: (first: UInt16, last: UInt16)?
            for value in values {
                if let known = run, value == known.last &+ 1, value != 0 {
                    run = (known.first, value)
                } else {
                    if let known = run { body(known.first, known.last - known.first) }
                    run = (value, value)
                }
            }
            if let known = run { body(known.first, known.last - known.first) }
        case .bits(let words, _): Self.forEachRun(words, body)
        }
    }

    /// Takes steps from the begin of a run to its end and from there to the next one, so long runs are fast.
    private static func forEachRun(_ words: [UInt64], _ body: (_ first: UInt16, _ extra: UInt16) -> Void) {
        var first: Int?
        for (index, word) in words.enumerated() {
            var place = 0
            while place < 64 {
                let rest = word >> UInt64(place)
                if let begun = first {
                    place += (~rest).trailingZeroBitCount
                    guard place < 64 else { continue }
                    body(UInt16(begun), UInt16(index * 64 + place - 1 - begun))
                    first = nil
                } else if rest == 0 {
                    place = 64
                } else {
                    place += rest.trailingZeroBitCount
                    first = index * 64 + place
                }
            }
        }
        if let first { body(UInt16(first), UInt16(words.count * 64 - 1 - first)) }
    }

    init(words: [UInt64]) {
        let count = words.reduce(0) { $0 + $1.nonzeroBitCount }
        let bits = Self.bits(words, count: count)
        self = count > Self.arrayLimit ? bits : .array(bits.values)
    }

    var words: [UInt64] {
        switch self {
        case .array(let values): Self.words(values)
        case .bits(let words, _): words
        }
    }

    private static func words(_ values: [UInt16]) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: wordCount)
        for value in values { words[Int(value >> 6)] |= 1 << UInt64(value & 63) }
        return words
    }

    /// The index of the value, or the index where it belongs.
    private static func place(of value: UInt16, in values: [UInt16]) -> Int {
        if let last = values.last, last < value { return values.count }
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
