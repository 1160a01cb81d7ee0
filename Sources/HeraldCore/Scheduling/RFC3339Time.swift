/// A time as RFC 3339 writes it, with its offset. Seconds may be left out. Leap seconds are refused.
struct RFC3339Time {
    /// Since 1970.
    let seconds: Int
    /// What the digits after the point add.
    let nanoseconds: Int

    /// Fast enough for each row of a list.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var rest = text[...]
        guard let year = rest.number(4), rest.take("-"), let month = rest.number(2), rest.take("-"),
            let day = rest.number(2), rest.take("T", orSmall: "t"), let hour = rest.number(2), rest.take(":"),
            let minute = rest.number(2)
        else { return nil }
        var second = 0
        var nanoseconds = 0
        if rest.take(":") {
            guard let value = rest.number(2) else { return nil }
            second = value
            if rest.take(".") {
                guard let value = rest.fraction() else { return nil }
                nanoseconds = value
            }
        }
        let local = LocalTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard let offset = rest.offset(), rest.isEmpty, local.isInCalendar else { return nil }
        seconds = local.secondsAsUTC - offset
        self.nanoseconds = nanoseconds
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

    /// Removes one to nine digits after a point, in billionths.
    fileprivate mutating func fraction() -> Int? {
        let count = prefix(10).prefix(while: \.isDigit).count
        guard (1...9).contains(count), let value = number(count) else { return nil }
        return (count..<9).reduce(value) { value, _ in value * 10 }
    }

    /// Removes the offset from UTC, in seconds.
    fileprivate mutating func offset() -> Int? {
        if take("Z", orSmall: "z") { return 0 }
        let sign = first == UInt8(ascii: "-") ? -1 : 1
        guard take("+") || take("-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24,
            minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
