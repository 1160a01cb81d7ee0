internal import Foundation
package import HeraldCore

/// Writes a list piece by piece to an open file.
package final class ListWriter {
    /// No list is larger, in bytes.
    package static let limit = 4 << 30

    private let file: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    private var filled = 0
    private var size = 0
    private let growing: GrowingList?

    /// - Parameters:
    ///   - file: open for writing, and stays open.
    ///   - growing: told how long the file is, for whoever reads it meanwhile.
    package init(_ file: Int32, _ growing: GrowingList? = nil) { (self.file, self.growing) = (file, growing) }

    deinit { buffer.deallocate() }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(QueryError) {
        size += bytes.count
        guard size <= Self.limit else { throw .tooLarge }
        if filled + bytes.count > buffer.count { try flush() }
        guard bytes.count <= buffer.count else {
            try put(bytes)
            growing?.grew(to: size)
            return
        }
        UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: bytes)
        filled += bytes.count
    }

    func write(_ byte: UInt8) throws(QueryError) {
        if filled == buffer.count { try flush() }
        size += 1
        buffer[filled] = byte
        filled += 1
    }

    /// Call it when all is written.
    package func flush() throws(QueryError) {
        try put(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
        filled = 0
        growing?.grew(to: size)
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws(QueryError) {
        var rest = bytes
        while !rest.isEmpty {
            let written = Foundation.write(file, rest.baseAddress, rest.count)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .unwritable }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }
}

// MARK: CSV

extension ListWriter {
    /// Writes one field of a CSV row as PostgreSQL does: NULL as nothing, an empty text as `""`.
    func write(field: UnsafeRawBufferPointer?, isFirst: Bool) throws(QueryError) {
        if !isFirst { try write(UInt8(ascii: ",")) }
        guard let field else { return }
        let needsQuotes =
            field.isEmpty
            || field.contains { byte in
                byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n")
                    || byte == UInt8(ascii: "\r")
            }
        guard needsQuotes else { return try write(field) }
        try write(UInt8(ascii: "\""))
        for byte in field {
            if byte == UInt8(ascii: "\"") { try write(byte) }
            try write(byte)
        }
        try write(UInt8(ascii: "\""))
    }

    func endRow() throws(QueryError) { try write(UInt8(ascii: "\n")) }
}
