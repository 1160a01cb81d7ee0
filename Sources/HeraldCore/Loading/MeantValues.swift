internal import FCM

/// Common other spellings of values. Only unambiguous ones are recognised.
extension Bool {
    /// `yes`, `On`, `TRUE`, or a word in quotes.
    init?(meantBy text: String) {
        switch text.lowercased() {
        case "true", "yes", "on", "y": self = true
        case "false", "no", "off", "n": self = false
        default: return nil
        }
    }
}

extension Int {
    /// A number in quotes, or one with `_` between the digits.
    init?(meantBy text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "_") }
        guard (1...18).contains(digits.count), digits.allSatisfy(\.isDigit),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        self.init(String(decoding: digits, as: UTF8.self))
    }
}

extension Duration {
    /// The correct spelling for `4 h`, `4H`, `90sec`, `2 days`.
    static func spelling(meantBy text: String) -> String? {
        guard let match = text.lowercased().wholeMatch(of: #/([0-9]{1,12})[ _]?([a-z]{1,12})/#),
            // Some write months so.
            match.2 != "m" || !text.hasSuffix("M")
        else { return nil }
        let unit: String
        switch match.2 {
        case "ms", "msec", "msecs", "millis", "millisecond", "milliseconds": unit = "ms"
        case "s", "sec", "secs", "second", "seconds": unit = "s"
        case "m", "min", "mins", "minute", "minutes": unit = "m"
        case "h", "hr", "hrs", "hour", "hours": unit = "h"
        case "d", "day", "days": unit = "d"
        default: return nil
        }
        let spelling = "\(match.1)\(unit)"
        return Duration(written: spelling) == nil ? nil : spelling
    }
}

extension String {
    /// The JSON number for `+1`, `.5`, `1.`, `1_000` or `0x1F`. A number with leading zeros may be octal or decimal.
    var numberMeant: String? {
        let isNegative = hasPrefix("-")
        var digits = filter { $0 != "_" }
        if isNegative || hasPrefix("+") { digits.removeFirst() }
        let radix: Int? =
            switch digits.prefix(2) {
            case "0x": 16
            case "0o": 8
            case "0b": 2
            default: nil
            }
        if let radix {
            guard let value = UInt64(digits.dropFirst(2), radix: radix) else { return nil }
            digits = String(value)
        }
        if digits.hasPrefix(".") { digits = "0" + digits }
        if let point = digits.firstIndex(of: "."), digits[point...].dropFirst().first?.isNumber != true {
            digits.remove(at: point)
        }
        let text = (isNegative ? "-" : "") + digits
        return JSONValue(digits: text) == nil ? nil : text
    }

    /// The text in YAML's double quotes.
    var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }
}
