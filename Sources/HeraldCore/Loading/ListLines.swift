/// The lines of a list with their numbers (from 1), without line breaks and byte order mark. Too long ones are reported.
struct ListLines: Sequence, IteratorProtocol {
    /// In bytes.
    static let maximumLength = 8 << 10

    private var rest: ArraySlice<UInt8>
    private var number = 0

    init(_ bytes: [UInt8], _ rows: inout RowFindings) {
        rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        var start = rest.startIndex
        var line = 1
        while start < rest.endIndex {
            let end = rest[start...].endOfLine
            let hasReturn = end > start && rest[end - 1] == UInt8(ascii: "\r")
            if end - start - (hasReturn ? 1 : 0) > Self.maximumLength {
                rows.add(line, "is longer than 8 KiB")
                rest = rest[..<start]
                break
            }
            start = end + 1
            line += 1
        }
    }

    mutating func next() -> (Int, ArraySlice<UInt8>)? {
        guard !rest.isEmpty else { return nil }
        number += 1
        let end = rest.endOfLine
        var line = rest[rest.startIndex..<end]
        rest = end < rest.endIndex ? rest[(end + 1)...] : []
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return (number, line)
    }
}

extension ArraySlice<UInt8> {
    /// Where its first line break stands, or its end.
    fileprivate var endOfLine: Int {
        withUnsafeBufferPointer { bytes in
            bytes[...].firstPlace(of: UInt8(ascii: "\n")).map { startIndex + $0 } ?? endIndex
        }
    }

    /// Without spaces and tabs at either end.
    var trimmed: ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return []
        }
        return self[first...last]
    }
}
