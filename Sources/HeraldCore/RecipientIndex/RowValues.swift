/// The values of one row, as the sort entry of the row carries them: the number of its line in four bytes
/// (little-endian), then `FieldValues`.
enum RowValues {
    /// Lines of lists have at most 8 KiB, and each field has a length of two bytes. Values that need more are left out, so
    /// that they count as missing.
    static let maximumSize = lineSize + maximumFields * 2 + (8 << 10)
    /// How many fields an audience can declare.
    static let maximumFields = 100
    private static let lineSize = 4

    /// Begins the values of another row.
    static func begin(_ bytes: inout [UInt8], line: Int) {
        withUnsafeBytes(of: UInt32(clamping: line).littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Leaves out what is too long.
    ///
    /// - Parameter start: where the row's values begin.
    static func end(_ bytes: inout [UInt8], from start: Int = 0) {
        if bytes.count - start > maximumSize { bytes.removeSubrange((start + lineSize)...) }
    }

    /// The number of the row's line, and its values.
    static func parts(_ tail: UnsafeRawBufferPointer) -> (line: UInt32, values: UnsafeRawBufferPointer) {
        guard let start = tail.baseAddress, tail.count >= lineSize else { return (0, .init(start: nil, count: 0)) }
        let line = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
        return (line, .init(rebasing: tail[lineSize...]))
    }
}
