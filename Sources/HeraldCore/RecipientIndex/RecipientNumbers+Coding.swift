internal import Crypto

/// The encoded form: what made it, what it is valid for, the number of entries, the entries as this machine lays them
/// out, and a SHA-256 over all of that. It never leaves the machine. It is written and read in blocks because it is too
/// large to be in memory twice.
extension RecipientNumbers {
    private static let title = Array("herald numbers".utf8)
    private static let digestSize = 32
    /// In entries.
    private static let blockSize = 16_384

    /// - Parameters:
    ///   - maker: SHA-256 of what must be the same when it is read.
    ///   - write: appends some bytes.
    package func write(
        by maker: [UInt8], for numbering: Numbering, to write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var hash = SHA256()
        func put(_ bytes: UnsafeRawBufferPointer) throws {
            hash.update(bufferPointer: bytes)
            try write(bytes)
        }
        try Self.head(maker, numbering, hash: self.hash, count: count).withUnsafeBytes(put)
        var block: [Entry] = []
        block.reserveCapacity(Self.blockSize)
        try forEach { entry in
            block.append(entry)
            if block.count < Self.blockSize { return }
            try block.withUnsafeBytes(put)
            block.removeAll(keepingCapacity: true)
        }
        try block.withUnsafeBytes(put)
        try Array(hash.finalize()).withUnsafeBytes(write)
    }

    /// `nil` for bytes that are not exactly what `write(by:for:to:)` writes for the same numbering.
    ///
    /// - Parameters:
    ///   - size: the number of bytes.
    ///   - read: fills a buffer with the next bytes. It returns less than the buffer's size only at the end.
    package init?(
        size: Int, by maker: [UInt8], for numbering: Numbering, from read: (UnsafeMutableRawBufferPointer) throws -> Int
    ) {
        let headSize = Self.head(maker, numbering, hash: SipHash(key: (0, 0)), count: 0).count
        let (count, rest) = (size - headSize - Self.digestSize).quotientAndRemainder(
            dividingBy: MemoryLayout<Entry>.size)
        guard rest == 0, (0...Self.limit).contains(count) else { return nil }
        do {
            let head = try Self.bytes(headSize, read)
            var reader = ByteReader(head.suffix(24))
            let key: (UInt64, UInt64) = (try reader.number(), try reader.number())
            guard head == Self.head(maker, numbering, hash: SipHash(key: key), count: count) else { return nil }
            var hash = SHA256()
            hash.update(data: head)
            var builder = Builder(count)
            var last: UInt64 = 0
            for begin in stride(from: 0, to: count, by: Self.blockSize) {
                let block = try Self.block(min(Self.blockSize, count - begin), read)
                block.withUnsafeBytes { hash.update(bufferPointer: $0) }
                for entry in block {
                    guard last <= entry.key, entry.key <= Self.lastKey, (1..<numbering.next).contains(entry.id) else {
                        return nil
                    }
                    builder.append(entry)
                    last = entry.key
                }
            }
            guard try Self.bytes(Self.digestSize, read) == Array(hash.finalize()) else { return nil }
            self = builder.finish(SipHash(key: key))
        } catch { return nil }
    }

    private static func head(_ maker: [UInt8], _ numbering: Numbering, hash: SipHash, count: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(title)
        writer.put(maker)
        numbering.write(to: &writer)
        writer.put(hash.key.0)
        writer.put(hash.key.1)
        writer.put(UInt64(count))
        return writer.bytes
    }

    private static func bytes(
        _ count: Int, _ read: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try read(UnsafeMutableRawBufferPointer(buffer))
            guard filled == count else { throw ByteReader.Damage() }
        }
    }

    private static func block(
        _ count: Int, _ read: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> [Entry] {
        try [Entry](unsafeUninitializedCapacity: count) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            guard try read(bytes) == bytes.count else { throw ByteReader.Damage() }
            filled = count
        }
    }
}
