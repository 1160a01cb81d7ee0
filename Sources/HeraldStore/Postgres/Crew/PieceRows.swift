internal import Crypto
internal import HeraldCore

/// The rows of a piece's recipients as the state keeps them while a run goes: a checksum, and for each recipient, in
/// ascending order, its place in the slice in two bytes and the size of its values in four (little-endian), then the
/// values. The checksum is the beginning of the SHA-256 of all that follows.
///
/// The places are there because a piece that is given back has fewer members than before, and keeps its rows.
enum PieceRows {
    /// - Parameter rows: of recipients in the slice.
    static func bytes(_ rows: [RecipientID: FieldValues], ofSlice slice: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows.values.reduce(0) { $0 + 6 + $1.bytes.count })
        for (id, values) in rows.sorted(by: { $0.key < $1.key }) {
            append(UInt16(truncatingIfNeeded: Int64(id) - slice * size), to: &bytes)
            append(UInt32(truncatingIfNeeded: values.bytes.count), to: &bytes)
            bytes += values.bytes
        }
        return sealed(bytes)
    }

    /// With the checksum before them.
    static func sealed(_ bytes: [UInt8]) -> [UInt8] { checksum(of: bytes[...]) + bytes }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> [UInt8] { Array(SHA256.hash(data: bytes).prefix(8)) }

    /// `nil` for bytes that were not written so.
    static func read(_ bytes: [UInt8], ofSlice slice: Int64) -> [RecipientID: FieldValues]? {
        guard (0...Int64(RecipientID.max) / size).contains(slice) else { return nil }
        var rows: [RecipientID: FieldValues] = [:]
        var (rest, last) = (bytes.dropFirst(8), -1)
        guard bytes.count >= 8, checksum(of: rest).elementsEqual(bytes.prefix(8)) else { return nil }
        while !rest.isEmpty {
            guard let place = take(UInt16.self, from: &rest), let count = take(UInt32.self, from: &rest),
                Int(place) > last, place < size, count <= rest.count
            else { return nil }
            rows[RecipientID(slice * size) + RecipientID(place)] = FieldValues(bytes: Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
            last = Int(place)
        }
        return rows
    }

    /// How many numbers a slice has.
    private static var size: Int64 { Int64(RecipientSet.sliceBytes * 8) }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func take<Number: FixedWidthInteger>(_: Number.Type, from rest: inout ArraySlice<UInt8>) -> Number? {
        let size = MemoryLayout<Number>.size
        guard rest.count >= size else { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reversed().reduce(0) { $0 << 8 | Number($1) }
    }
}
