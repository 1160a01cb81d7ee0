extension String {
    /// The text without the user and password of a database's address. People type addresses in places where none
    /// belongs, and errors repeat what was typed. What herald itself says of a database has neither.
    package var maskingPasswords: String {
        guard contains("@") || contains("=") else { return self }
        return replacing(#/(\b(?:postgres|pg|psql)[a-z+]*:)(?:(?! \(schema )[^\n])*@/#.ignoresCase()) { "\($0.1)//…@" }
            .replacing(#/\b((?:ssl)?password\s*=)[^\n]+/#.ignoresCase()) { "\($0.1)…" }
    }

    /// Whether a line of a file may hold a password: one with an address that has a user, or that is a database's.
    var mayHoldPassword: Bool {
        // Most lines have none of these, and compiling the pattern takes long. Beyond ASCII there are more letters that
        // count as theirs.
        let text = lowercased()
        let signs = ["@", "postgres", "pg", "psql", "password"]
        if utf8.allSatisfy({ $0 < 0x80 }), !signs.contains(where: text.contains) { return false }
        return firstMatch(of: #/:\S*@|:\/\/.*@|\b(?:postgres|pg|psql)[a-z+]*:/|password\s*[=:]/#.ignoresCase()) != nil
    }
}
