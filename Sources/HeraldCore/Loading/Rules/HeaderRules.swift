/// The rules for the headers of one platform.
struct HeaderRules {
    /// What a header's value must be.
    struct Value: Sendable {
        /// For use in a sentence: `'ttl' must be …`.
        let words: String
        /// The valid values, to suggest one for a typing mistake.
        var choices: [String] = []
        let isMet: @Sendable (String) -> Bool

        init(words: String, choices: [String] = [], isMet: @escaping @Sendable (String) -> Bool) {
            self.words = words
            self.choices = choices
            self.isMet = isMet
        }

        static func oneOf(_ choices: [String], words: String) -> Value {
            Value(words: words, choices: choices) { choices.contains($0) }
        }

        static func number(digits: Int, words: String) -> Value {
            Value(words: words) { (1...digits).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isDigit) }
        }

        /// What every value must be. A control character could end the header and begin another.
        static let line = Value(words: "on one line, without control characters") { value in
            !value.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }

        /// What HTTP itself requires of other values.
        static let http = Value(words: "in ASCII") { value in
            value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        }
    }

    /// The rule that a wrong value breaks.
    let rule: Rule
    /// By lowercased name.
    let known: [String: Value]
    /// The beginning of the platform's own headers. Others of that beginning are probably mistyped.
    let prefix: String?

    init(rule: Rule, prefix: String? = nil, _ known: [String: Value]) {
        self.rule = rule
        self.prefix = prefix
        self.known = known
    }

    func check(_ headers: Node?, _ findings: inout Findings) {
        var seen: [String: String] = [:]
        for entry in headers?.mapping ?? [] {
            let value = entry.value.scalar?.text ?? ""
            let name = entry.key.lowercased()
            if let other = seen.updateValue(entry.key, forKey: name) {
                findings.error(
                    rule, "'\(entry.key)' and '\(other)' are one header, and both would be sent", at: entry.keyRange,
                    help: "write its name the same way everywhere")
            } else if let wanted = [.line, known[name] ?? .http].first(where: { !$0.isMet(value) }) {
                let near =
                    wanted.choices.isEmpty ? nil : findings.advice.nearest(to: value, among: wanted.choices)
                findings.error(
                    rule, "'\(entry.key)' must be \(wanted.words)", at: entry.value.range,
                    help: near.map { "did you mean '\($0)'?" }, replacement: near)
            } else if entry.key.isEmpty || !entry.key.utf8.allSatisfy(\.isOfHeaderName) {
                findings.error(rule, "'\(entry.key)' cannot be a header's name", at: entry.keyRange)
            } else if let prefix, name.hasPrefix(prefix), known[name] == nil {
                let near = findings.advice.nearest(to: name, among: known.keys.sorted())
                findings.warning(
                    .apnsHeaderUnknown, "'\(entry.key)' is not a header that Apple knows", at: entry.keyRange,
                    help: near.map { "did you mean '\($0)'?" }
                        ?? "it has: \(known.keys.sorted().joined(separator: ", "))",
                    replacement: near)
            }
        }
    }
}
