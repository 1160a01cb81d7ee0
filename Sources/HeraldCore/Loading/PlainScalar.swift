/// How YAML 1.1 or 1.2 reads a scalar without quotes.
enum PlainScalar: Hashable {
    case string
    case null
    /// `true` and `false` in lower case. Both versions agree on them.
    case bool(Bool)
    /// A decimal number on which both versions agree.
    case int(Int64)
    case double(Double)
    /// A text that one version, or a hasty reader, takes for something else. The value says for what.
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
            // All other forms begin with a digit, a sign or a point.
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
        if isBase60(unsigned.utf8) { return .trap("a time in base 60") }
        if isDate(text.utf8) { return .trap("a date") }
        if isRadix(unsigned.utf8) { return .trap("a number") }
        if text.first != "+", isFraction(unsigned.utf8), let value = Double(text), value.isFinite {
            return .double(value)
        }
        return isNumber(unsigned.utf8) ? .trap("a number") : .string
    }

    // These are written by hand because regular expressions are too slow for a list with a million scalars. Each
    // function matches the form in its comment, without a sign.

    /// `[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`
    private static func isBase60(_ text: Substring.UTF8View) -> Bool {
        var rest = text
        guard rest.first?.isDigit == true else { return false }
        rest.skip { $0.isDigitOrLine }
        var parts = 0
        while rest.take(":") {
            let digits = rest.skip { $0.isDigit }
            guard digits.count == 1 || digits.count == 2 && digits.first.map({ $0 <= UInt8(ascii: "5") }) == true
            else { return false }
            parts += 1
        }
        if rest.take(".") { rest.skip { $0.isDigitOrLine } }
        return parts > 0 && rest.isEmpty
    }

    /// `[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?`
    private static func isDate(_ text: String.UTF8View) -> Bool {
        var rest = text[...]
        guard rest.skip({ $0.isDigit }).count == 4, rest.take("-"), 1...2 ~= rest.skip({ $0.isDigit }).count,
            rest.take("-"), 1...2 ~= rest.skip({ $0.isDigit }).count
        else { return false }
        return rest.isEmpty || rest.first.map("Tt \t".utf8.contains) == true && !rest.contains(UInt8(ascii: "\n"))
    }

    /// `0(x[0-9a-fA-F_]+|o[0-7_]+|b[01_]+)`
    private static func isRadix(_ text: Substring.UTF8View) -> Bool {
        var rest = text
        guard rest.take("0"), let radix = rest.popFirst(), !rest.isEmpty else { return false }
        let digits: StaticString
        switch radix {
        case UInt8(ascii: "x"): digits = "0123456789abcdefABCDEF_"
        case UInt8(ascii: "o"): digits = "01234567_"
        case UInt8(ascii: "b"): digits = "01_"
        default: return false
        }
        return digits.withUTF8Buffer { digits in rest.allSatisfy(digits.contains) }
    }

    /// `(0|[1-9][0-9]*)\.[0-9]+`
    private static func isFraction(_ text: Substring.UTF8View) -> Bool {
        var rest = text
        let whole = rest.skip { $0.isDigit }
        guard let first = whole.first, whole.count == 1 || first != UInt8(ascii: "0"), rest.take(".") else {
            return false
        }
        return !rest.isEmpty && rest.allSatisfy(\.isDigit)
    }

    /// `(\.[0-9_]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?`
    private static func isNumber(_ text: Substring.UTF8View) -> Bool {
        var rest = text
        if rest.first?.isDigit == true {
            rest.skip { $0.isDigitOrLine }
            if rest.take(".") { rest.skip { $0.isDigitOrLine } }
        } else {
            guard rest.take("."), !rest.skip({ $0.isDigitOrLine }).isEmpty else { return false }
        }
        if rest.isEmpty { return true }
        guard rest.take("e") || rest.take("E") else { return false }
        if !rest.take("-") { _ = rest.take("+") }
        return !rest.isEmpty && rest.allSatisfy(\.isDigit)
    }
}

extension Substring.UTF8View {
    /// Removes this character from the start. `false` if it is not there.
    fileprivate mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: scalar) else { return false }
        removeFirst()
        return true
    }

    /// Removes matching characters from the start and returns them.
    @discardableResult
    fileprivate mutating func skip(_ isWanted: (UInt8) -> Bool) -> Substring.UTF8View {
        let end = firstIndex { !isWanted($0) } ?? endIndex
        defer { self = self[end...] }
        return self[..<end]
    }
}

extension UInt8 {
    fileprivate var isDigitOrLine: Bool { isDigit || self == UInt8(ascii: "_") }
}
