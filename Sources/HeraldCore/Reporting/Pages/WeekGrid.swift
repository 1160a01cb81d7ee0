internal import FCM

/// Sends as weeks of days. A week begins on Monday.
struct WeekGrid {
    private var sends: [Int: [CalendarEntry]]
    private let today: Int

    /// - Parameter today: The day that is marked.
    init(_ entries: [CalendarEntry], today: LocalTime) {
        sends = Dictionary(grouping: entries) { $0.local.dayNumber }
        self.today = today.dayNumber
    }

    /// So many sends of a campaign are shown on one day, and the others counted.
    private static let mostOnOneDay = 3

    /// The Mondays of the weeks that are shown: those with a send.
    private var mondays: [Int] { Set(sends.keys.map(Self.monday)).sorted() }

    private static func monday(before day: Int) -> Int { day - (Gregorian.weekday(ofDay: day) + 6) % 7 }

    /// The days of all weeks that a month has a part of.
    static func days(ofMonth month: Int, in year: Int) -> ClosedRange<Int> {
        let first = Gregorian.days(year: year, month: month, day: 1)
        let last = first + Gregorian.length(ofMonth: month, in: year) - 1
        return monday(before: first)...monday(before: last) + 6
    }

    var values: [JSONValue] {
        mondays.map { monday in
            let first = Gregorian.date(ofDay: monday)
            return [
                "heading": .string("Week of \(first.day) \(Self.months[first.month - 1]) \(first.year)"),
                "days": .array((monday..<monday + 7).map(day)),
            ]
        }
    }

    private func day(_ day: Int) -> JSONValue {
        let date = Gregorian.date(ofDay: day)
        let all = Dictionary(grouping: sends[day] ?? [], by: \.campaign).values.flatMap(Self.shortened)
        let sends = all.sorted { $0.rank < $1.rank }
        return [
            "date": .string("\(date.year.digits(4))-\(date.month.digits(2))-\(date.day.digits(2))"),
            "name": .string("\(Self.weekdays[Gregorian.weekday(ofDay: day)]) \(date.day)"),
            "isToday": .bool(day == today), "sends": .array(sends.map(\.values)),
        ]
    }

    /// The sends of one campaign on one day. Many become one with their number.
    private static func shortened(_ entries: [CalendarEntry]) -> [CalendarEntry] {
        guard entries.count > mostOnOneDay else { return entries }
        let sorted = entries.sorted { ($0.local, $0.at) < ($1.local, $1.at) }
        guard var first = sorted.first, let last = sorted.last else { return entries }
        first.others = "and \((entries.count - 1).grouped) more" + (last.isDue ? "" : " until \(last.local.clock)")
        return [first]
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// `December 2026`
    static func name(ofMonth month: Int, in year: Int) -> String { "\(months[month - 1]) \(year)" }
}

/// A send as a calendar of a page shows it.
struct CalendarEntry {
    /// By the clock that the campaign goes by.
    var local: LocalTime
    /// Whether a run would send it now, however long ago it was due.
    var isDue = false
    var at: Date
    var campaign: String
    /// Whose clock it is. `nil` where readers know that.
    var clock: String?
    var target: String?
    var recipients = ""
    /// What became of it. `nil` for one that is to come.
    var outcome: String?
    var note = ""
    /// Where the campaign's own page is.
    var address: String?
    /// How many more the campaign has that day.
    var others: String?

    /// In which order they stand.
    var rank: (LocalTime, Date, String, String) { (local, at, campaign, outcome ?? "") }

    var values: JSONValue {
        [
            "clock": .string(isDue ? "now" : local.clock), "campaign": .string(campaign),
            "zone": clock.map { .string($0) } ?? .null,
            "target": target.map { .string("to \($0)") } ?? .null,
            "recipients": recipients.isEmpty ? .null : .string(recipients),
            "outcome": outcome.map { .string($0) } ?? .null, "note": note.isEmpty ? .null : .string(note),
            "href": address.map { .string($0) } ?? .null, "others": others.map { .string($0) } ?? .null,
        ]
    }
}

extension CalendarEntry {
    init(_ upcoming: PlanOverview.Upcoming, in overview: PlanOverview) {
        let occurring = upcoming.occurring
        self.init(
            local: occurring.local, at: occurring.at, campaign: occurring.campaign,
            clock: occurring.last == nil ? occurring.zone.name : "on each clock", target: upcoming.target.words,
            recipients: upcoming.words(overview.figures), note: overview.note(of: upcoming))
    }
}

extension LocalTime {
    /// The day, counted from 1970-01-01.
    var dayNumber: Int { Gregorian.days(year: year, month: month, day: day) }
}
