internal import Crypto
internal import HeraldCore

/// What a state contains, table by table, in a form in which two states can be compared.
package struct CopyDigest: Hashable, Sendable {
    private var parts: [String: Part] = [:]

    private struct Part: Hashable, Sendable {
        var count = 0
        var hash: [UInt8] = []
    }

    init(_ reader: any CopyReader) throws {
        var head = try reader.head()
        // A state in a file may get one when it is copied.
        head.workspace = nil
        parts["identity"] = Part(count: 1, hash: Array(SHA256.hash(data: Array("\(head)".utf8))))
        for table in CopiedTable.all {
            var (part, hash) = (Part(), SHA256())
            try reader.eachPart(of: table) { rows in
                part.count += rows.count
                for value in rows.joined() { Self.add(value, to: &hash) }
            }
            part.hash = Array(hash.finalize())
            parts[table.name] = part
        }
        for sets in CopiedSets.all {
            var (part, hash) = (Part(), SHA256())
            try reader.eachSet(of: sets) { owner, state, members in
                part.count += members.count
                Self.add(.int(owner), to: &hash)
                Self.add(.int(Int64(state)), to: &hash)
                for chunk in members.encodedChunks {
                    Self.add(.int(Int64(chunk.key)), to: &hash)
                    hash.update(data: chunk.bytes)
                }
            }
            part.hash = Array(hash.finalize())
            parts[sets.name] = part
        }
    }

    /// How many recipients it has.
    package var recipients: Int { parts["recipient"]?.count ?? 0 }

    /// The tables that differ, sorted.
    func differences(from other: CopyDigest) -> [String] {
        parts.keys.filter { parts[$0] != other.parts[$0] }.sorted()
    }

    private static func add(_ value: CopiedValue, to hash: inout SHA256) {
        func add(_ tag: UInt8, _ number: UInt64) {
            hash.update(data: [tag])
            withUnsafeBytes(of: number.littleEndian) { hash.update(bufferPointer: $0) }
        }
        switch value {
        case .null: add(0, 0)
        case .int(let number): add(1, UInt64(bitPattern: number))
        case .real(let number): add(2, number.bitPattern)
        case .text(let text):
            add(3, UInt64(text.utf8.count))
            hash.update(data: Array(text.utf8))
        }
    }
}
