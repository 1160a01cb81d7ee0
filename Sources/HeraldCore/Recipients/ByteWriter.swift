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

    /// What is not read yet.
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }

    /// Lends the next bytes, so that they are not copied.
    mutating func read<Value>(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
        guard count >= 0, count <= bytes.count else { throw Damage() }
        defer { bytes.removeFirst(count) }
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    mutating func bytes(_ count: Int) throws(Damage) -> [UInt8] {
        guard count >= 0, count <= bytes.count else { throw Damage() }
        defer { bytes.removeFirst(count) }
        return Array(bytes.prefix(count))
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(Damage) -> Number {
        let size = MemoryLayout<Number>.size
        guard size <= bytes.count else { throw Damage() }
        defer { bytes.removeFirst(size) }
        return Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: Number.self) })
    }

    /// Reads the number of items that follow. Each must have at least `size` bytes.
    mutating func count(ofSize size: Int) throws(Damage) -> Int {
        let count = Int(try number(UInt32.self))
        guard count <= bytes.count / size else { throw Damage() }
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
