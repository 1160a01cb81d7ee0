/// A `google.protobuf.Duration` in its JSON form: seconds with up to nine decimal places and an `s`.
struct ProtoDuration: Hashable, Comparable, Sendable {
    let seconds: Int64
    /// From 0 to 999,999,999, with the sign of the seconds.
    let nanoseconds: Int64

    private static let maximumSeconds: Int64 = 315_576_000_000

    static func seconds(_ seconds: Int64) -> ProtoDuration { ProtoDuration(seconds: seconds, nanoseconds: 0) }

    private init(seconds: Int64, nanoseconds: Int64) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    init?(_ text: String) {
        guard text.utf8.last == UInt8(ascii: "s") else { return nil }
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = text.utf8.dropFirst(isNegative ? 1 : 0).dropLast()
            .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) }),
            let seconds = Int64(String(Substring(parts[0]))), seconds <= Self.maximumSeconds
        else { return nil }
        var nanoseconds: Int64 = 0
        if parts.count == 2 {
            guard parts[1].count <= 9 else { return nil }
            for index in 0..<9 {
                let digit = index < parts[1].count ? parts[1][parts[1].index(parts[1].startIndex, offsetBy: index)] : 48
                nanoseconds = nanoseconds * 10 + Int64(digit - 48)
            }
        }
        self.init(
            seconds: isNegative ? -seconds : seconds, nanoseconds: isNegative ? -nanoseconds : nanoseconds)
    }

    static func < (one: ProtoDuration, other: ProtoDuration) -> Bool {
        (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
    }
}

extension String {
    /// Whether it is an RFC 3339 time with an offset or `Z`.
    var isTimestamp: Bool {
        let bytes = Array(utf8)
        guard bytes.count >= 20 else { return false }
        let shape = Array("0000-00-00T00:00:00".utf8)
        for (byte, wanted) in zip(bytes, shape) {
            let fits = wanted == UInt8(ascii: "0") ? byte.isDigit : byte == wanted
            guard fits else { return false }
        }
        var rest = bytes[shape.count...]
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: \.isDigit)
            guard (1...9).contains(digits.count) else { return false }
            rest = rest.dropFirst(digits.count + 1)
        }
        guard bytes.isOfTheCalendar else { return false }
        if rest.elementsEqual([UInt8(ascii: "Z")]) { return true }
        guard rest.count == 6, let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
            return false
        }
        return zip(rest.dropFirst(), "00:00".utf8).allSatisfy { byte, wanted in
            wanted == UInt8(ascii: "0") ? byte.isDigit : byte == wanted
        }
    }
}

extension [UInt8] {
    /// Whether the `0000-00-00T00:00:00` at the beginning is an existing date and time.
    fileprivate var isOfTheCalendar: Bool {
        func number(_ range: Range<Int>) -> Int { self[range].reduce(0) { $0 * 10 + Int($1) - 48 } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return year > 0 && days.indices.contains(month - 1) && (1...days[month - 1]).contains(day)
            && number(11..<13) < 24 && number(14..<16) < 60 && number(17..<19) < 60
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
