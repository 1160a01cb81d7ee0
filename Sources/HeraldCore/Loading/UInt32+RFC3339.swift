extension UInt32 {
    /// Reads an RFC 3339 time as whole seconds since 1970, which the type can hold until 2106. `Date(rfc3339:)` reads
    /// the same form, but too slowly for every row of a list. Fractions are cut off, and leap seconds are refused.
    init?(rfc3339 text: UnsafeBufferPointer<UInt8>) {
        var rest = text[...]
        guard let year = rest.number(4), rest.take("-"), let month = rest.number(2), rest.take("-"),
            let day = rest.number(2), rest.take("T", orSmall: "t"), let hour = rest.number(2), rest.take(":"),
            let minute = rest.number(2)
        else { return nil }
        var second = 0
        if rest.take(":") {
            guard let value = rest.number(2) else { return nil }
            second = value
            if rest.take(".") {
                guard rest.number(1) != nil else { return nil }
                while rest.number(1) != nil {}
            }
        }
        let local = LocalTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        var offset = 0
        if !rest.take("Z", orSmall: "z") {
            let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
            guard rest.take("+") || rest.take("-"), let hours = rest.number(2), rest.take(":"),
                let minutes = rest.number(2),
                hours < 24, minutes < 60
            else { return nil }
            offset = sign * (hours * 3600 + minutes * 60)
        }
        guard rest.isEmpty, local.isInCalendar else { return nil }
        self.init(exactly: local.secondsAsUTC - offset)
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// Removes a character from the start, in capitals or not. `false` if it is not there.
    fileprivate mutating func take(_ scalar: Unicode.Scalar, orSmall small: Unicode.Scalar? = nil) -> Bool {
        guard let first, first == UInt8(ascii: scalar) || small.map({ first == UInt8(ascii: $0) }) == true else {
            return false
        }
        removeFirst()
        return true
    }

    /// Removes exactly so many decimal digits from the start.
    fileprivate mutating func number(_ count: Int) -> Int? {
        guard self.count >= count, self[startIndex..<startIndex + count].allSatisfy(\.isDigit) else { return nil }
        defer { self = self[(startIndex + count)...] }
        return self[startIndex..<startIndex + count].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
