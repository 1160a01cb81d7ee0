internal import FCM

extension Diagnostic {
    /// A copy that is safe to show: registrations and passwords in our own texts are masked, and characters that control a terminal
    /// are replaced.
    package var presentable: Diagnostic {
        var copy = self
        copy.message = Registration.masking(message.maskingPasswords).printable
        copy.help = help.map { Registration.masking($0.maskingPasswords).printable }
        copy.notes = notes.map { Note(Registration.masking($0.message.maskingPasswords).printable, at: $0.range) }
        copy.fix = fix.flatMap { Registration.masking($0.text.maskingPasswords).printable == $0.text ? $0 : nil }
        return copy
    }
}

extension String {
    /// The text in a form for terminals and logs. Characters that move the cursor, change the writing direction or end
    /// the line are replaced, and a very long text is cut.
    package var printable: String {
        let limit = 1000
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) {
            text.append(scalar.isPlain && scalar != "\n" ? scalar : "\u{FFFD}")
        }
        return String(text) + (unicodeScalars.count > limit ? "…" : "")
    }
}
