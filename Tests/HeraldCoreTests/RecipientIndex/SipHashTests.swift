import Testing

@testable import HeraldCore

struct SipHashTests {
    /// From the authors' table for SipHash-2-4-128: the key is 00 01 … 0f, and the input has this many of the bytes 00
    /// 01 02 ….
    @Test(arguments: [
        (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
    ])
    func `it gives what its authors say`(length: Int, expected: String) {
        let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        let digest = (0..<UInt8(length)).map { $0 }.withUnsafeBytes { hash.digest(of: $0) }
        var writer = ByteWriter()
        writer.put(digest.0)
        writer.put(digest.1)
        #expect(writer.bytes.hexadecimal == expected)
    }

    @Test func `every byte counts, and the length too`() {
        let hash = SipHash(key: (1, 2))
        var seen: Set<[UInt64]> = []
        for length in 0..<40 {
            var bytes = [UInt8](repeating: 0, count: length)
            for place in [nil] + bytes.indices.map(Int?.some) {
                if let place { bytes[place] = 1 }
                let digest = bytes.withUnsafeBytes { hash.digest(of: $0) }
                #expect(seen.insert([digest.0, digest.1]).inserted)
                if let place { bytes[place] = 0 }
            }
        }
    }
}
