/// The plan as a comment on a pull request.
extension PlanDocument {
    /// GitHub takes 65,536 characters in a comment. Bytes are easy to count, and never fewer than characters.
    private static let markdownLimit = 60_000

    /// Less than 60,000 bytes. Entries that do not fit are counted.
    package var markdown: String {
        var text = "## herald plan\n\n\(conclusion.inMarkdown)\n"
        let figures = overview.figures
        let steps = plan.steps.map { step -> String in
            let line = Self.line(step, figures)
            return "| \(line.verb.inMarkdown) | \(line.subject.inMarkdown) | \(line.figures.inMarkdown) "
                + "| \(step.reason.inMarkdown) |\n"
        }
        let upcoming = overview.upcoming.map { upcoming -> String in
            let occurring = upcoming.occurring
            let recipients = figures.words(String(upcoming.recipients))
            return "| \(occurring.campaign.inMarkdown) | \("\(occurring.local)".inMarkdown) "
                + "\(occurring.zone.name.inMarkdown) | \(occurring.at.rfc3339) | \(upcoming.target.words.inMarkdown) "
                + "| \(recipients) | \(occurring.note.inMarkdown) |\n"
        }
        let guards = plan.refusals.map {
            "- **\($0.kind.rawValue.inMarkdown)**: \($0.message.inMarkdown); to allow it: \($0.override.inMarkdown)\n"
        }
        let missed = plan.missed.map { "- \($0.occurrence.rawValue.inMarkdown): \($0.reason.inMarkdown)\n" }
        let superseded = plan.superseded.map { "- \($0.occurrence.rawValue.inMarkdown): \($0.reason.inMarkdown)\n" }
        let held = plan.held.map {
            "- \($0.occurrence.rawValue.inMarkdown): \($0.reason.inMarkdown); \($0.resolve.inMarkdown)\n"
        }
        let sections: [(title: String, head: String, entries: [String])] = [
            ("Guards that need an override", "", guards),
            ("Guards that this plan cannot judge", "", overview.unjudged.map { "- \($0.words.inMarkdown)\n" }),
            ("Warnings", "", overview.warnings.map { "- \($0.inMarkdown)\n" }),
            ("Missed", "", missed), ("Superseded", "", superseded), ("Held", "", held),
            ("Steps", "| | what | how many | why |\n|---|---|---|---|\n", steps),
            (
                "Coming up", "| campaign | local time | UTC | to | recipients | |\n|---|---|---|---|---|---|\n",
                upcoming
            ),
        ]
        for section in sections where !section.entries.isEmpty {
            text += "\n### \(section.title)\n\n\(section.head)"
            var omitted = 0
            for entry in section.entries {
                // Leaves room to say what was cut.
                if text.utf8.count + entry.utf8.count < Self.markdownLimit - 1_000 {
                    text += entry
                } else {
                    omitted += 1
                }
            }
            if omitted > 0 { text += "\n… and \(omitted) more that do not fit here.\n" }
        }
        return text
    }
}

extension String {
    /// Escaped for a line or a table's cell: none of it acts as Markdown or HTML.
    var inMarkdown: String {
        var text = ""
        for character in printable.unicodeScalars {
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            // A mention or a link to an issue would notify people.
            case "@": text += "&#64;"
            case "#": text += "&#35;"
            case "\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "|", "~", "!":
                text += "\\"
                text.unicodeScalars.append(character)
            case "\n", "\r", "\t": text += " "
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
