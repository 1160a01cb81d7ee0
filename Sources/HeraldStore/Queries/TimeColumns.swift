internal import Foundation

/// Writes times in rows of CSV as RFC 3339, as PostgreSQL gives them in ISO style and UTC. Everything else stays: a time
/// such as `infinity`, or of a year with five digits, is none that herald knows.
struct TimeColumns {
    /// Up to the last one with times.
    private let isTime: [Bool]
    private var row: [UInt8] = []

    /// - Parameter isTime: for each column, whether it is a `timestamp` or a `timestamptz`.
    init(_ isTime: [Bool]) {
        self.isTime = isTime.lastIndex(of: true).map { Array(isTime[...$0]) } ?? []
    }

    /// Passes on a row as PostgreSQL writes it, with its line break.
    mutating func rewrite(
        _ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        guard !isTime.isEmpty else { return try write(bytes) }
        // A time grows by one byte at most.
        let most = bytes.count + isTime.count
        if row.count < most { row = [UInt8](repeating: 0, count: most) }
        let count = row.withUnsafeMutableBytes { Self.rewrite(bytes, isTime, into: $0) }
        try row.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// - Returns: how many bytes of `row` are written.
    private static func rewrite(
        _ bytes: UnsafeRawBufferPointer, _ isTime: [Bool], into row: UnsafeMutableRawBufferPointer
    ) -> Int {
        var (start, taken, filled) = (0, 0, 0)
        func take(to end: Int) {
            UnsafeMutableRawBufferPointer(rebasing: row[filled...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[taken..<end]))
            (filled, taken) = (filled + end - taken, end)
        }
        for isTime in isTime where start < bytes.count {
            let field = UnsafeRawBufferPointer(rebasing: bytes[start..<end(of: start, in: bytes)])
            if isTime, let length = length(of: field) {
                take(to: start + length)
                row[filled - length + 10] = UInt8(ascii: "T")
                row[filled] = UInt8(ascii: "Z")
                (filled, taken) = (filled + 1, start + field.count)
            }
            start += field.count + 1
        }
        take(to: bytes.count)
        return filled
    }

    /// Where the field ends that begins there: at a comma, at the line break, or with the row.
    private static func end(of start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        var place = start
        if bytes[start] == UInt8(ascii: "\"") {
            var isQuoted = false
            while place < bytes.count, isQuoted || bytes[place] != UInt8(ascii: ",") {
                if bytes[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
                place += 1
            }
        } else {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            place =
                rest.baseAddress.flatMap { base in
                    memchr(base, Int32(UInt8(ascii: ",")), rest.count).map { start + (UnsafeRawPointer($0) - base) }
                } ?? bytes.count
        }
        let endsWithRow = place == bytes.count && bytes[place - 1] == UInt8(ascii: "\n")
        return endsWithRow ? place - 1 : place
    }

    /// A time as RFC 3339.
    static func text(_ time: String) -> String {
        var (columns, text) = (TimeColumns([true]), "")
        Array(time.utf8).withUnsafeBytes { bytes in
            columns.rewrite(bytes) { text = String(decoding: $0, as: UTF8.self) }
        }
        return text
    }

    /// The length of `2026-12-01 08:00:00.5`, without an offset of zero behind it. `nil` if it is something else.
    ///
    /// Each time of each row is asked, so it goes from byte to byte.
    private static func length(of field: UnsafeRawBufferPointer) -> Int? {
        var count = field.count
        if count > shortest, field[count - 3] == UInt8(ascii: "+"), field[count - 2] == UInt8(ascii: "0"),
            field[count - 1] == UInt8(ascii: "0")
        {
            count -= 3
        }
        guard count >= shortest else { return nil }
        for place in 0..<count {
            let isRight =
                switch place {
                case 4, 7: field[place] == UInt8(ascii: "-")
                case 10: field[place] == UInt8(ascii: " ")
                case 13, 16: field[place] == UInt8(ascii: ":")
                case shortest: field[place] == UInt8(ascii: ".") && count > shortest + 1
                default: (48...57).contains(field[place])
                }
            guard isRight else { return nil }
        }
        return count
    }

    /// Of `2026-12-01 08:00:00`.
    private static let shortest = 19
}
