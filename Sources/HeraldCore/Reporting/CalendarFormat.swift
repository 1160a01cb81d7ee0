/// How a calendar is shown.
package enum CalendarFormat: String, CaseIterable, Sendable {
    case text, json, ics
}

extension CalendarDocument {
    /// The only switch over these formats. The result ends with a line break.
    package func rendered(as format: CalendarFormat, _ stamp: Stamp, _ style: TextStyle = .plain) -> String {
        switch format {
        case .text: text(style)
        case .json: json.prettyText
        case .ics: iCalendar(stamp)
        }
    }
}
