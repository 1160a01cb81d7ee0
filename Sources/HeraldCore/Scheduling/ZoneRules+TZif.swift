extension ZoneRules {
    /// Reads a TZif file (RFC 9636), versions 1 to 4. `nil` if it is damaged or counts leap seconds, which herald does
    /// not support.
    package init?(tzif bytes: [UInt8]) {
        var reader = TZifReader(rest: bytes[...])
        guard var header = reader.header() else { return nil }
        var block = reader.block(header, timeSize: 4)
        if header.version >= 2 {
            // The first block is for readers with 32-bit times. The second one repeats all of it.
            guard block != nil || header.typeCount == 0, let second = reader.header() else { return nil }
            header = second
            block = reader.block(header, timeSize: 8)
        }
        guard let block, header.leapCount == 0 else { return nil }
        var rule: PosixRule?
        if header.version >= 2 {
            guard let footer = reader.footer() else { return nil }
            if !footer.isEmpty {
                guard let read = PosixRule(footer) else { return nil }
                rule = read
            }
        }
        self.init(changes: block.changes, offsets: block.offsets, rule: rule)
    }
}

private struct TZifReader {
    var rest: ArraySlice<UInt8>

    struct Header {
        var version: Int
        var markCounts: [Int]
        var leapCount: Int
        var changeCount: Int
        var typeCount: Int
        var designationCount: Int
    }

    mutating func header() -> Header? {
        guard let magic = take(4), magic.elementsEqual("TZif".utf8), let version = take(1)?.first, take(15) != nil
        else { return nil }
        let isLater = version != 0
        guard !isLater || (UInt8(ascii: "2")...UInt8(ascii: "9")).contains(version) else { return nil }
        var counts: [Int] = []
        for _ in 0..<6 {
            guard let count = number(4) else { return nil }
            counts.append(Int(UInt32(truncatingIfNeeded: count)))
        }
        return Header(
            version: isLater ? Int(version - UInt8(ascii: "0")) : 1, markCounts: [counts[0], counts[1]],
            leapCount: counts[2], changeCount: counts[3], typeCount: counts[4], designationCount: counts[5])
    }

    /// The changes of a block, with the offsets before and after them.
    mutating func block(_ header: Header, timeSize: Int) -> (changes: [Int], offsets: [Int])? {
        let parts = [
            header.changeCount * timeSize, header.changeCount, header.typeCount * 6, header.designationCount,
            header.leapCount * (timeSize + 4), header.markCounts[0], header.markCounts[1],
        ]
        let total = parts.reduce(0, +)
        guard let bytes = take(total) else { return nil }
        var inner = TZifReader(rest: bytes)
        guard let times = inner.take(parts[0]), let indices = inner.take(parts[1]), let types = inner.take(parts[2]),
            (1...256).contains(header.typeCount), header.markCounts.allSatisfy({ $0 == 0 || $0 == header.typeCount })
        else { return nil }
        guard let offsets = Self.offsets(types, header) else { return nil }
        var timeReader = TZifReader(rest: times)
        var block = (changes: [Int](), offsets: [offsets[0]])
        for index in indices {
            guard let time = timeReader.number(timeSize), time.magnitude < ZoneRules.limit, Int(index) < offsets.count,
                block.changes.last.map({ $0 < time }) ?? true
            else { return nil }
            block.changes.append(time)
            block.offsets.append(offsets[Int(index)])
        }
        return block
    }

    private static func offsets(_ types: ArraySlice<UInt8>, _ header: Header) -> [Int]? {
        var reader = TZifReader(rest: types)
        var offsets: [Int] = []
        for _ in 0..<header.typeCount {
            guard let offset = reader.number(4), let flags = reader.take(2), let isSummer = flags.first,
                let designation = flags.last, (-25 * 3600...26 * 3600).contains(offset), isSummer <= 1,
                designation < header.designationCount
            else { return nil }
            offsets.append(offset)
        }
        return offsets
    }

    /// The text between the two line breaks after the last block.
    mutating func footer() -> String? {
        let line = UInt8(ascii: "\n")
        guard take(1)?.first == line, let end = rest.firstIndex(of: line) else { return nil }
        return String(validating: rest[..<end], as: Unicode.ASCII.self)
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Big-endian, two's complement.
    private mutating func number(_ size: Int) -> Int? {
        guard let bytes = take(size), let first = bytes.first else { return nil }
        return bytes.dropFirst().reduce(Int(Int8(bitPattern: first))) { $0 << 8 | Int($1) }
    }
}
