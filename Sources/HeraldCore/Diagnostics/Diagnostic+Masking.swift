internal import FCM

extension Diagnostic {
    /// Registrations that an author put where none belongs do not come back in our words.
    package var masked: Diagnostic {
        var copy = self
        copy.message = Registration.masking(message)
        copy.help = help.map { Registration.masking($0) }
        copy.notes = notes.map { Note(Registration.masking($0.message), at: $0.range) }
        return copy
    }
}

extension Registration {
    /// The text with every registration in it replaced.
    static func masking(_ text: String) -> String {
        guard text.utf8.count >= 22 else { return text }
        var masked = ""
        var word = ""
        let take = {
            masked += Registration(word) == nil ? word : "(a registration)"
            word = ""
        }
        for character in text {
            if character.isASCII, character.isLetter || character.isNumber || "_:-".contains(character) {
                word.append(character)
            } else {
                take()
                masked.append(character)
            }
        }
        take()
        return masked
    }
}
