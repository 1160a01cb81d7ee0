/// Writes times in rows of CSV as RFC 3339, as PostgreSQL gives them in ISO style and UTC. Everything else stays: a time
/// such as `infinity`, or of a year with five digits, is none that herald knows.
struct TimeColumns {
    private let isTime: [Bool]
    private let hasTimes: Bool
    private var row: [UInt8] = []

    /// - Parameter isTime: for each column, whether it is a `timestamp` or a `timestamptz`.
    init(_ isTime: [Bool]) {
        self.isTime = isTime
        hasTimes = isTime.contains(true)
    }

    /// Passes on a row, with its line break.
    mutating func rewrite(
        _ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        guard hasTimes else { return try write(bytes) }
        row.removeAll(keepingCapacity: true)
        var (column, start, taken, isQuoted) = (0, 0, 0, false)
        for (place, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard !isQuoted, byte == UInt8(ascii: ",") || place == bytes.count - 1 else { continue }
            let end = byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") ? place : place + 1
            if column < isTime.count, isTime[column], let length = Self.length(of: .init(rebasing: bytes[start..<end]))
            {
                row.append(contentsOf: bytes[taken..<start + length])
                row[row.count - length + 10] = UInt8(ascii: "T")
                row.append(UInt8(ascii: "Z"))
                taken = end
            }
            (column, start) = (column + 1, place + 1)
        }
        row.append(contentsOf: bytes[taken...])
        try row.withUnsafeBytes(write)
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
