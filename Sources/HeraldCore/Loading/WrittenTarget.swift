/// Whom a campaign is for, as one text: `topic:news`. Registrations cannot be written so.
package struct WrittenTarget: Hashable, Sendable {
    package static let kinds = ["topic", "audience", "group", "condition"]

    /// One of ``kinds``.
    let kind: String
    /// A name, or an expression for a condition.
    let value: String

    /// `nil` for a text in any other form.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        self.init(kind: parts[0], value: parts[1])
    }

    init?(kind: String, value: String) {
        guard Self.kinds.contains(kind) else { return nil }
        (self.kind, self.value) = (kind, value)
    }

    /// The line of a campaign file.
    var line: String { "target: {\(kind): \(value.inYAML)}" }
}

extension [String] {
    /// The line of a campaign file with these tags. Without tags there is none.
    var lineOfTags: [String] { isEmpty ? [] : ["tags: [\(map(\.inYAML).joined(separator: ", "))]"] }
}
