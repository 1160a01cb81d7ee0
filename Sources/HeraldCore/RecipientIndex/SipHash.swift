/// SipHash-2-4 with 128 bits (Aumasson and Bernstein, 2012). Without the key nobody can make two registrations collide
/// on purpose. For the few bytes of a registration it is many times as fast as SHA-256.
struct SipHash: Equatable, Sendable {
    /// 16 bytes, little-endian.
    let key: (UInt64, UInt64)

    init(key: (UInt64, UInt64)) { self.key = key }

    static func == (one: SipHash, other: SipHash) -> Bool { one.key == other.key }

    func digest(of bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        var state = State(key)
        let whole = bytes.count & ~7
        var offset = 0
        while offset < whole {
            state.take(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        var shift: UInt64 = 0
        while offset < bytes.count {
            last |= UInt64(bytes[offset]) << shift
            shift += 8
            offset += 1
        }
        state.take(last)
        return state.finish()
    }

    private struct State {
        private var (v0, v1): (UInt64, UInt64)
        private var (v2, v3): (UInt64, UInt64)

        init(_ key: (UInt64, UInt64)) {
            v0 = key.0 ^ 0x736f_6d65_7073_6575
            v1 = key.1 ^ 0x646f_7261_6e64_6f6d ^ 0xee
            v2 = key.0 ^ 0x6c79_6765_6e65_7261
            v3 = key.1 ^ 0x7465_6462_7974_6573
        }

        mutating func take(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> (UInt64, UInt64) {
            v2 ^= 0xee
            for _ in 0..<4 { round() }
            let first = v0 ^ v1 ^ v2 ^ v3
            v1 ^= 0xdd
            for _ in 0..<4 { round() }
            return (first, v0 ^ v1 ^ v2 ^ v3)
        }

        private mutating func round() {
            v0 &+= v1
            v2 &+= v3
            v1 = rotated(v1, 13) ^ v0
            v3 = rotated(v3, 16) ^ v2
            v0 = rotated(v0, 32)
            v2 &+= v1
            v0 &+= v3
            v1 = rotated(v1, 17) ^ v2
            v3 = rotated(v3, 21) ^ v0
            v2 = rotated(v2, 32)
        }

        private func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word &<< bits | word &>> (64 - bits) }
    }
}
