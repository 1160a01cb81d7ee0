/// What two chunks make together. If that is one of the two, it is that one: unchanged sets share their memory.
///
/// Arrays are combined as arrays: sets of few members, as of each time zone, would take most of the time to become
/// bitmaps and arrays again.
extension ChunkMembers {
    /// After so many words it checks whether it may stop. It divides `wordCount`.
    private static let blockCount = 64

    func union(_ other: ChunkMembers) -> ChunkMembers {
        switch (self, other) {
        case (.array(let values), .array(let others)): merged(values, other, others)
        case (.array(let values), .bits(let words, let count)): other.setting(values, in: words, count)
        case (.bits(let words, let count), .array(let values)): setting(values, in: words, count)
        case (.bits(let words, _), .bits(let others, _)): combined(words, other, others) { $0 | $1 }
        }
    }

    func subtracting(_ other: ChunkMembers) -> ChunkMembers {
        switch (self, other) {
        case (.array(let values), .array(let others)): limited(values, to: others, isIn: false)
        case (.array(let values), .bits(let words, _)): limited(values, to: words, isIn: false)
        case (.bits(let words, let count), .array(let values)): clearing(values, in: words, count)
        case (.bits(let words, _), .bits(let others, _)): combined(words, other, others) { $0 & ~$1 }
        }
    }

    func intersection(_ other: ChunkMembers) -> ChunkMembers {
        switch (self, other) {
        case (.array(let values), .array(let others)): limited(values, to: others, isIn: true)
        case (.array(let values), .bits(let words, _)): limited(values, to: words, isIn: true)
        case (.bits(let words, _), .array(let values)): other.limited(values, to: words, isIn: true)
        case (.bits(let words, _), .bits(let others, _)): combined(words, other, others) { $0 & $1 }
        }
    }

    static func == (one: ChunkMembers, other: ChunkMembers) -> Bool {
        switch (one, other) {
        case (.array(let values), .array(let others)): values == others
        case (.bits(let words, _), .bits(let others, _)): words == others
        default: one.count == other.count && one.values == other.values
        }
    }

    /// Those of this array that are in another, or those that are not.
    private func limited(_ values: [UInt16], to others: [UInt16], isIn: Bool) -> ChunkMembers {
        others.withUnsafeBufferPointer { others in
            var place = 0
            return limited(values) { value in
                while place < others.count, others[place] < value { place += 1 }
                return (place < others.count && others[place] == value) == isIn
            }
        }
    }

    /// Those of this array that are in a bitmap, or those that are not.
    private func limited(_ values: [UInt16], to words: [UInt64], isIn: Bool) -> ChunkMembers {
        words.withUnsafeBufferPointer { words in
            let keeps = { (value: UInt16) in (words[Int(value >> 6)] >> UInt64(value & 63) & 1 == 1) == isIn }
            return values.allSatisfy(keeps) ? self : limited(values, keeps)
        }
    }

    /// - Parameter keeps: is asked for one value after the other, ascending.
    @inline(__always)
    private func limited(_ values: [UInt16], _ keeps: (UInt16) -> Bool) -> ChunkMembers {
        let rest = [UInt16](unsafeUninitializedCapacity: values.count) { rest, count in
            for value in values where keeps(value) {
                rest[count] = value
                count += 1
            }
        }
        if rest.count == values.count { return self }
        // A few of many do not keep the memory of all.
        return .array(rest.count < values.count / 2 ? Array(rest[...]) : rest)
    }

    private func merged(_ values: [UInt16], _ other: ChunkMembers, _ others: [UInt16]) -> ChunkMembers {
        let all = [UInt16](unsafeUninitializedCapacity: values.count + others.count) { all, count in
            values.withUnsafeBufferPointer { values in
                others.withUnsafeBufferPointer { others in
                    var (one, two) = (0, 0)
                    while one < values.count || two < others.count {
                        let isOne = two == others.count || one < values.count && values[one] <= others[two]
                        let value = isOne ? values[one] : others[two]
                        if two < others.count, others[two] == value { two += 1 }
                        if isOne { one += 1 }
                        all[count] = value
                        count += 1
                    }
                }
            }
        }
        if all.count == values.count { return self }
        return all.count == others.count ? other : Self(sorted: all)
    }

    /// - Parameters:
    ///   - words: this bitmap.
    ///   - count: how many members it has.
    private func setting(_ values: [UInt16], in words: [UInt64], _ count: Int) -> ChunkMembers {
        guard values.contains(where: { words[Int($0 >> 6)] >> UInt64($0 & 63) & 1 == 0 }) else { return self }
        var (words, count) = (words, count)
        for value in values {
            let bit: UInt64 = 1 << UInt64(value & 63)
            if words[Int(value >> 6)] & bit == 0 { count += 1 }
            words[Int(value >> 6)] |= bit
        }
        return .bits(words, count: count)
    }

    private func clearing(_ values: [UInt16], in words: [UInt64], _ count: Int) -> ChunkMembers {
        guard values.contains(where: { words[Int($0 >> 6)] >> UInt64($0 & 63) & 1 == 1 }) else { return self }
        var words = words
        for value in values { words[Int(value >> 6)] &= ~(1 << UInt64(value & 63)) }
        return Self(words: words)
    }

    @inline(__always)
    private func combined(
        _ words: [UInt64], _ other: ChunkMembers, _ others: [UInt64], _ combine: (UInt64, UInt64) -> UInt64
    ) -> ChunkMembers {
        words.withUnsafeBufferPointer { words in
            others.withUnsafeBufferPointer { others in
                // Not 0 once the result has a member, differs from this set, and differs from the other.
                var (some, changed, differs) = (UInt64(0), UInt64(0), UInt64(0))
                for block in stride(from: 0, to: Self.wordCount, by: Self.blockCount) {
                    for index in block..<(block + Self.blockCount) {
                        let word = combine(words[index], others[index])
                        some |= word
                        changed |= word ^ words[index]
                        differs |= word ^ others[index]
                    }
                    if some != 0, changed != 0, differs != 0 { break }
                }
                if some == 0 { return .array([]) }
                if changed == 0 { return self }
                if differs == 0 { return other }
                return Self(
                    words: [UInt64](unsafeUninitializedCapacity: Self.wordCount) { result, size in
                        for index in 0..<Self.wordCount { result[index] = combine(words[index], others[index]) }
                        size = Self.wordCount
                    })
            }
        }
    }
}
