extension String {
    /// As one word of a command that people copy into a shell. Most words stay as they are.
    package var shellWord: String {
        if !isEmpty, !hasPrefix("~"), !hasPrefix("#"), utf8.allSatisfy(\.isOfShellWord) { return self }
        // On a terminal nothing but single quotes takes the meaning of an exclamation mark away. In a sentence, whose own
        // quotes are single, double ones are easier to read.
        if utf8.contains(UInt8(ascii: "!")) {
            let inside = replacing("'", with: #"'\''"#)
            return "'\(inside)'"
        }
        let special = #"\"$`"#.unicodeScalars
        var word = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if special.contains(scalar) { word.append("\\") }
            word.append(scalar)
        }
        return "\"\(String(word))\""
    }
}

extension UInt8 {
    /// Whether a shell takes it as it is, within a word.
    fileprivate var isOfShellWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "@%+=:,./_-~#".utf8.contains(self)
        }
    }
}
