/// The lines of a list with their numbers (from 1), without line breaks and byte order mark. Empty ones are left out, too
/// long ones are reported.
struct ListLines: Sequence, IteratorProtocol {
    /// In bytes.
    static let maximumLength = 8 << 10

    private var rest: ArraySlice<UInt8>
    private var number = 0

    init(_ bytes: [UInt8], _ rows: inout RowFindings) {
        rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        guard let (line, start) = rest.withUnsafeBufferPointer({ Self.firstTooLong($0) }) else { return }
        rows.add(line, "is longer than 8 KiB")
        rest = rest.prefix(start)
    }

    /// The number of the first line that is too long, and where it begins.
    private static func firstTooLong(_ bytes: UnsafeBufferPointer<UInt8>) -> (line: Int, start: Int)? {
        var (line, start) = (1, 0)
        while start < bytes.count {
            let end = bytes[start] == UInt8(ascii: "\n") ? start : bytes[start...].endOfLine
            let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
            if end - start - (hasReturn ? 1 : 0) > maximumLength { return (line, start) }
            (line, start) = (line + 1, end + 1)
        }
        return nil
    }

    mutating func next() -> (Int, ArraySlice<UInt8>)? {
        let (empty, length) = rest.withUnsafeBufferPointer { bytes in
            let empty = bytes.firstIndex { $0 != UInt8(ascii: "\n") } ?? bytes.count
            return (empty, bytes[empty...].endOfLine - empty)
        }
        rest = rest.dropFirst(empty)
        guard !rest.isEmpty else { return nil }
        number += empty + 1
        var line = rest.prefix(length)
        rest = rest.dropFirst(length + 1)
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return (number, line)
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// Where its first line break stands, or its end.
    fileprivate var endOfLine: Int { firstPlace(of: UInt8(ascii: "\n")) ?? endIndex }
}

extension ArraySlice<UInt8> {
    /// Without spaces and tabs at either end.
    var trimmed: ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return []
        }
        return self[first...last]
    }
}
