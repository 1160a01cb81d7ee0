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
            if column < isTime.count, isTime[column], let length = Self.length(of: bytes[start..<end]) {
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
    private static func length(of field: Slice<UnsafeRawBufferPointer>) -> Int? {
        var field = field
        if field.suffix(3).elementsEqual("+00".utf8) { field = field.dropLast(3) }
        let form = "dddd-dd-dd dd:dd:dd".utf8
        guard field.count >= form.count else { return nil }
        for (byte, wanted) in zip(field, form)
        where wanted == UInt8(ascii: "d") ? !(48...57).contains(byte) : byte != wanted { return nil }
        let rest = field.dropFirst(form.count)
        guard rest.isEmpty || rest.first == UInt8(ascii: ".") && rest.count > 1 else { return nil }
        return rest.dropFirst().allSatisfy { (48...57).contains($0) } ? field.count : nil
    }
}
