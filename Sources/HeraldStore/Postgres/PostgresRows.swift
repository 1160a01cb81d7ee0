internal import CLibPQ
internal import Foundation

/// The rows of one answer, in PostgreSQL's binary format.
final class PostgresRows {
    private let result: OpaquePointer

    /// - Parameter result: is cleared with this object.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    var all: some Sequence<PostgresRow> { (0..<Int32(count)).lazy.map { PostgresRow(rows: self, index: $0) } }

    var first: PostgresRow? { count > 0 ? PostgresRow(rows: self, index: 0) : nil }

    fileprivate func value(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
        guard column < PQnfields(result), PQgetisnull(result, row, column) == 0,
            let start = PQgetvalue(result, row, column)
        else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
    }
}

/// A row. Columns count from 0.
struct PostgresRow {
    fileprivate let rows: PostgresRows
    fileprivate let index: Int32

    func isNull(_ column: Int32) -> Bool { rows.value(index, column) == nil }

    func int(_ column: Int32) throws -> Int64 { try Int64(bitPattern: word(column)) }

    func double(_ column: Int32) throws -> Double { try Double(bitPattern: word(column)) }

    func optionalDouble(_ column: Int32) throws -> Double? {
        try rows.value(index, column) == nil ? nil : double(column)
    }

    func optionalInt(_ column: Int32) throws -> Int64? { try rows.value(index, column) == nil ? nil : int(column) }

    func uuid(_ column: Int32) throws -> UUID {
        let bytes = try bytes(column)
        guard bytes.count == 16 else { throw StateDamage(detail: "an identifier has another type") }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    func bool(_ column: Int32) throws -> Bool {
        let bytes = try bytes(column)
        guard bytes.count == 1 else { throw StateDamage(detail: "a truth value has another type") }
        return bytes[0] != 0
    }

    func text(_ column: Int32) throws -> String {
        // The server checks encodings, but a damaged table may hold anything.
        guard let text = String(validating: try bytes(column), as: UTF8.self) else {
            throw StateDamage(detail: "a text is not UTF-8")
        }
        return text
    }

    func optionalText(_ column: Int32) throws -> String? { try rows.value(index, column) == nil ? nil : text(column) }

    /// Valid as long as the rows are.
    func bytes(_ column: Int32) throws -> UnsafeRawBufferPointer {
        guard let bytes = rows.value(index, column) else { throw StateDamage(detail: "a value is missing") }
        return bytes
    }

    func optionalBytes(_ column: Int32) throws -> [UInt8]? {
        try rows.value(index, column) == nil ? nil : Array(bytes(column))
    }

    /// A bit string's bits, eight a byte. Valid as long as the rows are.
    func bits(_ column: Int32) throws -> UnsafeRawBufferPointer {
        let bytes = try bytes(column)
        guard bytes.count > 4, bytes.count - 4 == Int(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))) / 8 else {
            throw StateDamage(detail: "a set is no string of bits")
        }
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst(4))
    }

    private func word(_ column: Int32) throws -> UInt64 {
        let bytes = try bytes(column)
        guard bytes.count == 8 else { throw StateDamage(detail: "a number has another type") }
        return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }
}
