/// Makes keys and tokens that look random and never repeat.
struct OpaqueText: Sendable {
    /// The number of the last text.
    private(set) var number: Int

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    init(after number: Int) { self.number = number }

    /// Text of `[A-Za-z0-9_-]`.
    mutating func next(length: Int) -> String {
        number += 1
        var (bits, drawn) = (number.scrambled, 0)
        let characters = (0..<length).map { index in
            if index > 0, index.isMultiple(of: 10) {
                drawn += 1
                bits = (number.scrambled ^ UInt64(drawn)).scrambled
            }
            defer { bits >>= 6 }
            return Self.alphabet[Int(bits & 63)]
        }
        return String(decoding: characters, as: UTF8.self)
    }
}

extension Int {
    /// A one-to-one mapping of the number to one that looks random.
    var scrambled: UInt64 { UInt64(bitPattern: Int64(self)).scrambled }
}

extension UInt64 {
    /// The final mixing step of SplitMix64.
    fileprivate var scrambled: UInt64 {
        var value = self &* 0x9e37_79b9_7f4a_7c15
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
