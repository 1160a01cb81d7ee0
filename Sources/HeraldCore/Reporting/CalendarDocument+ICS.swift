internal import FCM

/// The calendar as a calendar program reads it (RFC 5545). Times are in UTC, so that the file needs no time zone.
extension CalendarDocument {
    /// What an event needs beside its occurrence.
    package struct Stamp: Sendable {
        /// Part of the event's id: two workspaces may have campaigns of the same name.
        var project: String
        /// When the calendar is made.
        var made: Date

        package init(project: String, made: Date) { (self.project, self.made) = (project, made) }
    }

    func iCalendar(_ stamp: Stamp) -> String {
        var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//herald//herald calendar//EN", "CALSCALE:GREGORIAN"]
        lines += occurrences.isEmpty ? Self.utc : occurrences.flatMap { Self.event($0, stamp) }
        return (lines + ["END:VCALENDAR"]).map(\.folded).joined()
    }

    /// A calendar has at least one component (RFC 5545, 3.6), also without events.
    private static let utc = [
        "BEGIN:VTIMEZONE", "TZID:UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0000",
        "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE",
    ]

    /// An event without an end ends when it begins, so that a send does not block a person's time.
    private static func event(_ occurring: Occurring, _ stamp: Stamp) -> [String] {
        let clock = occurring.last == nil ? occurring.zone.name : "on each recipient's clock"
        let local = "\(occurring.local.description.replacing("T", with: " ")) \(clock)"
        let note = occurring.note.isEmpty ? "" : "\n\(occurring.note)"
        return [
            "BEGIN:VEVENT", "UID:\(uid(of: occurring, in: stamp.project))", "DTSTAMP:\(stamp.made.basicText)",
            "DTSTART:\(occurring.at.basicText)",
        ] + (occurring.last.map { ["DTEND:\($0.basicText)"] } ?? []) + [
            "SUMMARY:\(occurring.campaign.escaped)",
            "DESCRIPTION:\("\(occurring.occurrence)\n\(local)\(note)".escaped)",
            "TRANSP:TRANSPARENT", "END:VEVENT",
        ]
    }

    /// The same for the same occurrence in every export, so that calendar programs do not show it twice.
    private static func uid(of occurring: Occurring, in project: String) -> String {
        "\(occurring.occurrence.rawValue.percentEncodedSegment)@\(project.percentEncodedSegment).herald"
    }
}

extension Date {
    /// `20261201T080000Z`
    fileprivate var basicText: String {
        let time = LocalTime(secondsAsUTC: wholeSeconds)
        return "\(time)Z".filter { $0 != "-" && $0 != ":" }
    }
}

extension String {
    /// The value of a `TEXT` property (RFC 5545, 3.3.11). Control characters are not allowed in it.
    fileprivate var escaped: String {
        var text = String.UnicodeScalarView()
        for scalar in visible.unicodeScalars {
            switch scalar {
            case "\\", ";", ",": text += ["\\", scalar]
            case "\n": text += ["\\", "n"]
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    /// The line with its end. A line has at most 75 octets; what is more goes on in the next one, behind a space
    /// (RFC 5545, 3.1). No character is cut in two.
    fileprivate var folded: String {
        var text = ""
        var octets = 0
        for scalar in unicodeScalars {
            let size = UTF8.width(scalar)
            if octets + size > 75 {
                text += "\r\n "
                octets = 1
            }
            text.unicodeScalars.append(scalar)
            octets += size
        }
        return text + "\r\n"
    }
}
