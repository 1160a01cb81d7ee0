internal import Crypto
internal import Foundation
internal import GRDB

extension ChunkTable {
    /// Shows whether a row's set is the one that herald wrote, in its place. Bits that flipped may still be a valid set.
    func checksum(_ id: Int64, _ state: Int, _ chunk: Int64, _ bytes: UnsafeRawBufferPointer) -> Int64 {
        var hash = SHA256()
        withUnsafeBytes(of: (id.littleEndian, Int64(state).littleEndian, chunk.littleEndian)) {
            hash.update(bufferPointer: $0)
        }
        hash.update(bufferPointer: bytes)
        return hash.finalize().withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
    }

    func verify(_ checksum: Int64, _ id: Int64, _ state: Int, _ chunk: Int64, _ bytes: UnsafeRawBufferPointer) throws {
        guard checksum == self.checksum(id, state, chunk, bytes) else {
            throw StateDamage(detail: "\(name) has a set that is not as it was written (wrong checksum)")
        }
    }

    /// Writes the checksums of all rows.
    func seal(_ db: Database) throws {
        let function = DatabaseFunction("chunk_checksum", argumentCount: 4) { values in
            guard let id = Int64.fromDatabaseValue(values[0]), let state = Int.fromDatabaseValue(values[1]),
                let chunk = Int64.fromDatabaseValue(values[2]), let bytes = Data.fromDatabaseValue(values[3])
            else { return nil }
            return bytes.withUnsafeBytes { checksum(id, state, chunk, $0) }
        }
        db.add(function: function)
        defer { db.remove(function: function) }
        try db.execute(sql: "UPDATE \(name) SET checksum = chunk_checksum(\(owner), state, chunk, bytes)")
    }
}
