internal import FCM

/// How many recipients get which text.
struct ClassCounts {
    /// By the key among `locales`; the message itself has `MessageClass.unnamed`. Empty where everybody gets
    /// the message itself.
    private(set) var locales: [String: Int] = [:]
    /// Empty in a campaign without variants.
    private(set) var variants: [String: Int] = [:]

    init(_ classes: Partition<MessageClass>) {
        if classes.states.allSatisfy({ $0 == MessageClass() }) { return }
        for (messageClass, count) in classes.counts {
            locales[messageClass.localeName(default: nil), default: 0] += count
            if let variant = messageClass.variant { variants[variant, default: 0] += count }
        }
    }

    /// Two members, or none if the campaign is not personal.
    var members: [String: JSONValue] {
        locales.isEmpty ? [:] : ["locales": Self.json(locales), "variants": Self.json(variants)]
    }

    /// Lines to stand below what they belong to.
    func text(indentedBy indent: Int) -> String {
        [("locales", locales), ("variants", variants)].filter { !$1.isEmpty }.map { word, counts in
            let parts = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return String(repeating: " ", count: indent) + "\(word): \(parts.joined(separator: ", "))\n"
        }.joined()
    }

    private static func json(_ counts: [String: Int]) -> JSONValue { .object(counts.mapValues { .int(Int64($0)) }) }
}
