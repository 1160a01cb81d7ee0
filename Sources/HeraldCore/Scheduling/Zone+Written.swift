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
    private static func offset(written text: String) -> Int? {
        if text == "Z" { return 0 }
        let pattern = #/(UTC|GMT)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?/#
        guard let match = text.wholeMatch(of: pattern), let hours = Int(match.3) else { return nil }
        let minutes = match.4.flatMap { Int($0) } ?? 0
        // A bare offset is written in full, so that no other number is taken for one.
        guard match.1 != nil || match.3.count == 2 && match.4 != nil, hours <= 14, minutes < 60 else { return nil }
        let offset = (hours * 60 + minutes) * 60
        guard offset <= 14 * 3600 else { return nil }
        return match.2 == "-" ? -offset : offset
    }
}
