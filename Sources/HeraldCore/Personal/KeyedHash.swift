internal import Crypto

/// HMAC-SHA256 (RFC 2104) of many units that begin alike: the first 8 bytes, big-endian. A class, because one reference is
/// counted faster than several.
final class KeyedHash: Sendable {
    /// The inner hash has read the key and what all units begin with, the outer one the key.
    private let (inner, outer): (SHA256, SHA256)

    /// - Parameters:
    ///   - key: at most 64 bytes.
    ///   - prefix: what all units begin with, before a zero byte.
    init(key: String, prefix: String) {
        let key = Array(key.utf8.prefix(SHA256.blockByteCount))
        let padded = { (byte: UInt8) in
            (0..<SHA256.blockByteCount).map { ($0 < key.count ? key[$0] : 0) ^ byte }
        }
        (inner, outer) = (Self.hash(of: padded(0x36) + Array(prefix.utf8) + [0]), Self.hash(of: padded(0x5C)))
    }

    func number(of unit: UnsafeRawBufferPointer) -> UInt64 {
        var (inner, outer) = (inner, outer)
        inner.update(bufferPointer: unit)
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize().withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    private static func hash(of bytes: [UInt8]) -> SHA256 {
        var hash = SHA256()
        hash.update(data: bytes)
        return hash
    }
}
