extension String {
    /// The text as one word of a command that people copy into a shell: in quotes, if it needs them.
    package var shellWord: String {
        let isPlain = !isEmpty && utf8.allSatisfy { Self.plain.contains($0) }
        if isPlain { return self }
        // The command itself stands in single quotes in many sentences.
        if !contains(where: { "\"\\$`!".contains($0) }) { return "\"\(self)\"" }
        return "'" + replacing("'", with: "'\\''") + "'"
    }

    /// What no shell gives a meaning within a word.
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:,=%".utf8)
}
