/// Writes numbers and bytes one after the other. Numbers are little-endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ bytes: some Sequence<UInt8>) { self.bytes.append(contentsOf: bytes) }

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

/// Reads them back. It trusts nothing: anything unexpected throws.
struct ByteReader {
    struct Damage: Error {}

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func bytes(_ count: Int) throws(Damage) -> [UInt8] {
        guard count >= 0, count <= bytes.count - position else { throw Damage() }
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(Damage) -> Number {
        let size = MemoryLayout<Number>.size
        guard size <= bytes.count - position else { throw Damage() }
        defer { position += size }
        return Number(
            littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: Number.self) })
    }

    /// Reads the number of items that follow. Each must have at least `size` bytes.
    mutating func count(ofSize size: Int) throws(Damage) -> Int {
        let count = Int(try number(UInt32.self))
        guard count <= (bytes.count - position) / size else { throw Damage() }
        return count
    }

    mutating func require(_ expected: [UInt8]) throws(Damage) {
        guard try bytes(expected.count) == expected else { throw Damage() }
    }
}

extension Numbering {
    func write(to writer: inout ByteWriter) {
        let name = Array(lineage.utf8)
        writer.put(UInt32(name.count))
        writer.put(name)
        writer.put(version)
        writer.put(next)
    }

    init(from reader: inout ByteReader) throws(ByteReader.Damage) {
        let length = try reader.count(ofSize: 1)
        lineage = String(decoding: try reader.bytes(length), as: UTF8.self)
        version = try reader.bytes(Self.versionSize)
        next = try reader.number()
    }
}
