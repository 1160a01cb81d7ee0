extension UnsafeRawBufferPointer {
    /// Where the first invalid UTF-8 sequence begins. Decoding would need memory for the whole file once more.
    var firstInvalidUTF8: Int? {
        var at = 0
        while at < count {
            // Most files are ASCII, so eight bytes are checked at a time.
            if at + 8 <= count, loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
                at += 8
                continue
            }
            guard let length = lengthOfScalar(at: at) else { return at }
            at += length
        }
        return nil
    }

    /// The well-formed sequences of Unicode's table 3-7.
    private func lengthOfScalar(at start: Int) -> Int? {
        let first = self[start]
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch first {
            case 0x00...0x7F: (1, 0...0)
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0...0)
            }
        guard length > 0, start + length <= count else { return nil }
        guard length > 1 else { return 1 }
        guard second.contains(self[start + 1]) else { return nil }
        for offset in 2..<Swift.max(2, length) where !(0x80...0xBF).contains(self[start + offset]) { return nil }
        return length
    }
}
