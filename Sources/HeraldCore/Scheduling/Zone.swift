/// A time zone of the system's tz database. Zones with equal names are equal.
package struct Zone: Sendable {
    /// The IANA name, such as `Europe/Rome`.
    package let name: String
    private let rules: ZoneRules

    package static let utc = Zone(name: "UTC", rules: .utc)

    /// All clocks of the world, as far as they differ from UTC: from -12:00 to +14:00, in the quarters of an hour that
    /// zones are set by.
    static let everywhere = (-48...56).map { Zone(offset: $0 * 900) }
    /// By how much clocks are set forward and back in summer and winter. Those of `everywhere` never are.
    static let clockChange = Duration.seconds(3600)

    /// The places where systems keep the database.
    package static let folders = [
        "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo",
    ]

    /// The instants that a local time stands for in a zone.
    package enum Instants: Hashable, Sendable {
        case one(Date)
        /// The local time is skipped. `next` is the first instant after the gap.
        case gap(next: Date)
        case overlap(first: Date, second: Date)
    }

    package init(name: String, rules: ZoneRules) {
        self.name = name
        self.rules = rules
    }

    /// `nil` if the system has no such zone. UTC works without a database.
    package init?(named name: String) {
        if name == Self.utc.name {
            self = .utc
            return
        }
        guard Self.isName(name) else { return nil }
        for folder in Self.folders {
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)"), data.count <= 1 << 20 else {
                continue
            }
            guard let rules = ZoneRules(tzif: Array(data)) else { return nil }
            self.init(name: name, rules: rules)
            return
        }
        return nil
    }

    /// The same offset from UTC at all times.
    ///
    /// - Parameter offset: seconds east of UTC.
    package init(offset: Int) {
        let distance = Swift.abs(offset)
        let clock = "\((distance / 3600).digits(2)):\((distance / 60 % 60).digits(2))"
        let name = offset == 0 ? "UTC" : "UTC\(offset < 0 ? "-" : "+")\(clock)"
        self.init(name: name, rules: ZoneRules(changes: [], offsets: [offset], rule: nil))
    }

    /// Seconds east of UTC.
    package func offset(at instant: Date) -> Int { stretch(at: instant.wholeSeconds).offset }

    package func local(at instant: Date) -> LocalTime {
        LocalTime(secondsAsUTC: instant.wholeSeconds + offset(at: instant))
    }

    package func instants(of local: LocalTime) -> Instants {
        let clock = local.secondsAsUTC
        var found: [Int] = []
        var gapEnd: Int?
        // Two days are more than any UTC offset.
        var instant = clock - 2 * 86400
        while instant < clock + 2 * 86400 {
            let stretch = stretch(at: instant)
            if (clock - stretch.offset) >= stretch.start, (clock - stretch.offset) < stretch.end {
                found.append(clock - stretch.offset)
            }
            if clock >= stretch.start + stretch.offsetBefore, clock < stretch.start + stretch.offset {
                gapEnd = stretch.start
            }
            instant = stretch.end
        }
        switch (found.first, found.last) {
        case (let first?, let last?) where first < last:
            return .overlap(first: Date(wholeSeconds: first), second: Date(wholeSeconds: last))
        case (let one?, _): return .one(Date(wholeSeconds: one))
        // The clock never shows this time, so it was skipped.
        default: return .gap(next: Date(wholeSeconds: gapEnd ?? clock - stretch(at: clock).offset))
        }
    }

    func stretch(at instant: Int) -> ZoneRules.Stretch { rules.stretch(at: instant) }
}

extension Zone: Hashable {
    package static func == (one: Zone, other: Zone) -> Bool { one.name == other.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Zone {
    /// The names in the system's database in order, for suggestions. A few may belong to files that are not zones.
    package static func names() -> [String] {
        for folder in folders {
            let names = names(in: folder, below: "")
            if !names.isEmpty { return names.sorted() }
        }
        return [utc.name]
    }

    /// The release of the system's database, such as `2026a`. `nil` if the system does not tell.
    package static var databaseVersion: String? {
        for folder in folders {
            // Debian and Red Hat have the first file, the BSDs and macOS the second. Both name the release in the first
            // line.
            for (file, prefix) in [("tzdata.zi", "# version "), ("+VERSION", "")] {
                guard let data = FileManager.default.contents(atPath: "\(folder)/\(file)") else { continue }
                let line = data.prefix { $0 != UInt8(ascii: "\n") }.prefix(80)
                if let release = release(in: String(decoding: line, as: UTF8.self), after: prefix) { return release }
            }
        }
        return nil
    }

    /// The release in a line such as `# version 2026a` or `2026a-dirty`. Every start of herald calls this, so there is no
    /// regular expression here: compiling one takes longer than all else in it.
    static func release(in line: String, after prefix: String) -> String? {
        guard line.hasPrefix(prefix) else { return nil }
        let release = line.dropFirst(prefix.count)
        let year = release.utf8.prefix(4)
        let letters = release.utf8.dropFirst(4).prefix(while: \.isLowercaseLetter)
        guard year.count == 4, year.allSatisfy(\.isDigit), letters.count <= 2,
            ["", "-dirty"].contains(release[letters.endIndex...])
        else { return nil }
        return String(release)
    }

    private static func names(in folder: String, below prefix: String) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return entries.flatMap { entry -> [String] in
            let name = prefix + entry
            guard isName(name), name != "posix", name != "right" else { return [] }
            var isFolder = false
            guard FileManager.default.fileExists(atPath: "\(folder)/\(entry)", isDirectory: &isFolder) else {
                return []
            }
            return isFolder ? names(in: "\(folder)/\(entry)", below: "\(name)/") : [name]
        }
    }

    /// Whether a name can be in the database, and cannot lead to another file. Names for the system's local time are
    /// refused, because they mean another zone on every machine.
    private static func isName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isWord = { (part: Substring.UTF8View) in
            !part.isEmpty
                && part.allSatisfy {
                    switch Unicode.Scalar($0) {
                    case "a"..."z", "A"..."Z", "0"..."9", "_", "-", "+": true
                    default: false
                    }
                }
        }
        return name.utf8.count <= 100 && (1...4).contains(parts.count) && parts.allSatisfy(isWord)
            && !["localtime", "posixrules"].contains(name) && !name.hasPrefix("posix/") && !name.hasPrefix("right/")
    }
}
