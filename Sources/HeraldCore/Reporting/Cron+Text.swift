extension Cron {
    /// For people: `Mon 09:03`, `every day 08:00 and 20:00`, `day 1 of each month 07:30`. `nil` if it is not that simple.
    var spoken: String? {
        let times = hours.listed.flatMap { hour in
            minutes.listed.map { minute in "\(Self.two(hour)):\(Self.two(minute))" }
        }
        guard times.count <= 4, let days = spokenDays else { return nil }
        let last = times.last ?? ""
        return "\(days) " + (times.count > 1 ? times.dropLast().joined(separator: ", ") + " and " : "") + last
    }

    private var spokenDays: String? {
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let isAnyMonth = months.values == Field.Kind.month.all
        switch (daysOfMonth.isAny, daysOfWeek.isAny) {
        case (true, true): return isAnyMonth ? "every day" : nil
        // The week begins with Monday.
        case (true, false) where !daysOfWeek.isStarred && isAnyMonth:
            return daysOfWeek.listed.sorted { ($0 + 6) % 7 < ($1 + 6) % 7 }.map { names[$0] }.joined(separator: ", ")
        case (false, true) where !daysOfMonth.isStarred && isAnyMonth && daysOfMonth.listed.count <= 5:
            return "day \(daysOfMonth.listed.map { "\($0)" }.joined(separator: ", ")) of each month"
        default: return nil
        }
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Cron.Field {
    fileprivate var listed: [Int] { kind.range.filter(contains) }

    /// Whether it allows every day, so that the other field alone chooses the days.
    fileprivate var isAny: Bool { isStarred && values == kind.all }
}
