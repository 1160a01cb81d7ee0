internal import FCM

/// Writes XML. Every value is escaped here, so none can act as markup.
struct MarkupWriter {
    private(set) var text = ""

    /// An element with text in it, or with what `content` writes.
    mutating func element(_ name: StaticString, _ value: String) { element(name, [:], value) }

    mutating func element(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>, _ value: String) {
        element(name, attributes) { $0.text += value.inMarkup }
    }

    mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ content: (inout MarkupWriter) -> Void = { _ in }
    ) {
        text += "<\(name)"
        for (name, value) in attributes { text += " \(name)=\"\(value.inMarkup)\"" }
        text += ">"
        content(&self)
        text += "</\(name)>"
    }

    /// Text and a line break.
    mutating func line(_ value: String) { text += value.inMarkup + "\n" }

    /// Writes our own markup, which needs no escaping.
    mutating func raw(_ ours: StaticString) { text += "\(ours)" }

    mutating func lineBreak() { text += "\n" }
}

extension String {
    /// Escaped for use in an element or in a quoted attribute.
    fileprivate var inMarkup: String { printable.escapedForMarkup }
}
