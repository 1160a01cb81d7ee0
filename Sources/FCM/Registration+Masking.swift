extension Registration {
    private static let mask = "(a registration)"

    /// The text with every registration in it replaced, also percent-encoded ones.
    ///
    /// - Parameter isHidden: whether a word of a registration's characters is replaced.
    package static func masking(
        _ text: String, where isHidden: (String) -> Bool = { Registration($0) != nil }
    ) -> String {
        guard text.utf8.count >= 22 else { return text }
        var masked = ""
        var word = ""
        for character in text {
            if character.isASCII, character.isLetter || character.isNumber || "_:-".contains(character) {
                word.append(character)
            } else {
                masked += maskedWord(word, isEscaped: masked.last == "\\", isHidden)
                word = ""
                masked.append(character)
            }
        }
        return masked + maskedWord(word, isEscaped: masked.last == "\\", isHidden)
    }

    /// Masks a word of registration characters. A registration may follow a colon, as in `fid:…`.
    ///
    /// - Parameter isEscaped: whether the word follows a backslash, so that it may begin with an escape's letter and
    ///   digits: `n`, `x1b`, `u001b`.
    private static func maskedWord(_ word: String, isEscaped: Bool, _ isHidden: (String) -> Bool) -> String {
        if isHidden(word) { return mask }
        for length in isEscaped ? [1, 3, 5] : [] {
            let rest = String(word.dropFirst(length))
            let masked = maskedWord(rest, isEscaped: false, isHidden)
            if masked != rest { return "\(word.prefix(length))\(masked)" }
        }
        guard word.contains(":") else { return word }
        return word.split(separator: ":", omittingEmptySubsequences: false)
            .map { isHidden(String($0)) ? mask : String($0) }
            .joined(separator: ":")
    }
}
