extension Registration {
    /// The text with every registration in it replaced, also percent-encoded ones.
    package static func masking(_ text: String) -> String {
        guard text.utf8.count >= 22 else { return text }
        var masked = ""
        var word = ""
        for character in text {
            if character.isASCII, character.isLetter || character.isNumber || "_:-".contains(character) {
                word.append(character)
            } else {
                masked += maskedWord(word)
                word = ""
                masked.append(character)
            }
        }
        return masked + maskedWord(word)
    }

    /// Masks a word of registration characters. A registration may follow a colon, as in `fid:…`.
    private static func maskedWord(_ word: String) -> String {
        let mask = "(a registration)"
        if Registration(word) != nil { return mask }
        guard word.contains(":") else { return word }
        return word.split(separator: ":", omittingEmptySubsequences: false)
            .map { Registration(String($0)) == nil ? String($0) : mask }
            .joined(separator: ":")
    }
}
