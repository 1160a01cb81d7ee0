/// What YAML 1.1 or 1.2 makes of a scalar that stands without quotes.
enum PlainScalar: Hashable {
    case string
    case null
    /// `true` and `false` in lower case, which both versions agree on.
    case bool(Bool)
    /// A decimal number that both versions agree on.
    case int(Int64)
    case double(Double)
    /// Something that one version, or a reader in a hurry, takes for what it may not be.
    case trap(String)

    init(_ text: String) {
        switch text {
        case "", "~", "null", "Null", "NULL": self = .null
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        case "True", "TRUE", "False", "FALSE", "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off",
            "OFF", "y", "Y", "n", "N":
            self = .trap("a boolean")
        default:
            // All that follows begins with a digit, a sign or a point.
            guard let first = text.utf8.first, first.isDigit || "+-.".utf8.contains(first) else {
                self = .string
                return
            }
            self = Self.number(text)
        }
    }

    private static func number(_ text: String) -> PlainScalar {
        let unsigned = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        let isDigits = !unsigned.isEmpty && unsigned.utf8.allSatisfy(\.isDigit)
        if isDigits, unsigned == "0" || unsigned.first != "0", text.first != "+", let value = Int64(text) {
            return .int(value)
        }
        if [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"].contains(unsigned) { return .trap("a number") }
        if text.wholeMatch(of: #/[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?/#) != nil {
            return .trap("a time in base 60")
        }
        if text.wholeMatch(of: #/[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?/#) != nil { return .trap("a date") }
        if text.wholeMatch(of: #/[-+]?0(x[0-9a-fA-F_]+|o[0-7_]+|b[01_]+)/#) != nil { return .trap("a number") }
        if text.wholeMatch(of: #/-?(0|[1-9][0-9]*)\.[0-9]+/#) != nil, let value = Double(text), value.isFinite {
            return .double(value)
        }
        if text.wholeMatch(of: #/[-+]?(\.[0-9_]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?/#) != nil {
            return .trap("a number")
        }
        return .string
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
