extension Zone {
    /// Reads a zone as lists write it: a name of the tz database, links too, or an offset: `+02:00`, `+0200`, `UTC+2`,
    /// `GMT-03:30`, `Z`. `nil` for anything else.
    package init?(written text: String) {
        if let offset = Self.offset(written: text) {
            self.init(offset: offset)
        } else {
            self.init(named: text)
        }
    }

    /// In seconds east of UTC. Zones in use are from -12 to +14 hours; more than that is a mistake.
    ///
    /// Every plan reads those that lists name, so there is no regular expression here: compiling one takes longer than all
    /// else about them.
    static func offset(written text: String) -> Int? {
        if text == "Z" { return 0 }
        var rest = text.utf8[...]
        let isNamed = rest.starts(with: "UTC".utf8) || rest.starts(with: "GMT".utf8)
        if isNamed { rest.removeFirst(3) }
        guard let sign = rest.popFirst(), [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign) else { return nil }
        var parts = rest.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        if parts.count == 1, rest.count > 2 { parts = [rest.dropLast(2), rest.suffix(2)] }
        guard let hours = parts[0].twoDigits, parts.count <= 2 else { return nil }
        let minutes = parts.count == 1 ? 0 : parts[1].count == 2 ? parts[1].twoDigits : nil
        // A bare offset is written in full, so that no other number is taken for one.
        guard let minutes, isNamed || parts[0].count == 2 && parts.count == 2, hours <= 14, minutes < 60 else {
            return nil
        }
        let offset = (hours * 60 + minutes) * 60
        guard offset <= 14 * 3600 else { return nil }
        return sign == UInt8(ascii: "-") ? -offset : offset
    }
}

extension Substring.UTF8View {
    /// A number of one or two digits.
    var twoDigits: Int? {
        (1...2).contains(count) && allSatisfy(\.isDigit) ? reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } : nil
    }
}
