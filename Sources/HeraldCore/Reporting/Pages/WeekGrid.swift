internal import FCM

/// Coming sends as weeks of days. A week begins on Monday.
struct WeekGrid {
    private var sends: [Int: [PlanOverview.Upcoming]]
    private let today: Int

    /// - Parameter today: The day that is marked.
    init(_ upcoming: [PlanOverview.Upcoming], today: LocalTime) {
        sends = Dictionary(grouping: upcoming) { $0.occurring.local.dayNumber }
        self.today = today.dayNumber
    }

    /// The Mondays of the weeks that are shown: those with a send.
    private var mondays: [Int] { Set(sends.keys.map(Self.monday)).sorted() }

    private static func monday(before day: Int) -> Int { day - (Gregorian.weekday(ofDay: day) + 6) % 7 }

    func values(_ figures: PlanOverview.Figures) -> [JSONValue] {
        mondays.map { monday in
            let first = Gregorian.date(ofDay: monday)
            return [
                "heading": .string("Week of \(first.day) \(Self.months[first.month - 1]) \(first.year)"),
                "days": .array((monday..<monday + 7).map { day($0, figures) }),
            ]
        }
    }

    private func day(_ day: Int, _ figures: PlanOverview.Figures) -> JSONValue {
        let date = Gregorian.date(ofDay: day)
        let sends = (sends[day] ?? []).sorted {
            ($0.occurring.local, $0.occurring.at) < ($1.occurring.local, $1.occurring.at)
        }
        return [
            "date": .string("\(date.year.digits(4))-\(date.month.digits(2))-\(date.day.digits(2))"),
            "name": .string("\(Self.weekdays[Gregorian.weekday(ofDay: day)]) \(date.day)"),
            "isToday": .bool(day == today),
            "sends": .array(sends.map { Self.send($0, figures) }),
        ]
    }

    private static func send(_ upcoming: PlanOverview.Upcoming, _ figures: PlanOverview.Figures) -> JSONValue {
        let occurring = upcoming.occurring
        let noun = upcoming.recipients == 1 ? "recipient" : "recipients"
        let recipients = figures.words(
            upcoming.recipients, isCounted: upcoming.isCounted, as: "\(upcoming.recipients.grouped) \(noun)")
        return [
            "clock": .string(occurring.local.clock), "campaign": .string(occurring.campaign),
            "zone": .string(occurring.last == nil ? occurring.zone.name : "on each clock"),
            "target": .string("to \(upcoming.target.words)"),
            "recipients": recipients.isEmpty ? .null : .string(recipients),
            "note": occurring.note.isEmpty ? .null : .string(occurring.note),
        ]
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

extension LocalTime {
    /// The day, counted from 1970-01-01.
    fileprivate var dayNumber: Int { Gregorian.days(year: year, month: month, day: day) }
}
