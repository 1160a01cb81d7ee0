internal import FCM

extension Diagnostic {
    /// With nothing in our words that an author's mistake must not bring into them: a registration, or characters that
    /// a terminal obeys.
    package var presentable: Diagnostic {
        var copy = self
        copy.message = Registration.masking(message).printable
        copy.help = help.map { Registration.masking($0).printable }
        copy.notes = notes.map { Note(Registration.masking($0.message).printable, at: $0.range) }
        copy.fix = fix.flatMap { Registration.masking($0.text).printable == $0.text ? $0 : nil }
        return copy
    }
}

extension String {
    /// Fit for a terminal and a log: what would move the cursor, turn the writing or end the line is replaced, and a
    /// text that nobody would read to its end is cut.
    var printable: String {
        let limit = 1000
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) {
            let isHarmless =
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
                default: true
                }
            text.append(isHarmless ? scalar : "\u{FFFD}")
        }
        return String(text) + (unicodeScalars.count > limit ? "…" : "")
    }
}
