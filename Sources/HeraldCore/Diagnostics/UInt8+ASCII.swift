extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isLowercaseLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    var isUppercaseLetter: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}

extension String {
    /// Whether it has up to a hundred letters and digits of ASCII, and none or more of `signs` after the first.
    func isName(with signs: String) -> Bool {
        var isFirst = true
        for byte in utf8 {
            let isLetterOrDigit = byte.isDigit || byte.isLowercaseLetter || byte.isUppercaseLetter
            guard isLetterOrDigit || !isFirst && signs.utf8.contains(byte) else { return false }
            isFirst = false
        }
        return (1...100).contains(utf8.count)
    }
}
