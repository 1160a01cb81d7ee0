/// Finds texts in messages that end at a `#`, because it begins a comment though it was meant as part of the text.
struct CutTexts {
    /// The ends of texts before a `#` that does not look like a comment: `we are #1`.
    private var certain: Set<TextRange.Position> = []
    /// The ends of texts one space before a comment. YAML linters ask for two spaces, and so do we, to be sure.
    private var likely: Set<TextRange.Position> = []

    /// How many suspicious places are checked at most. A file written by hand has a few.
    private static let limit = 100_000

    /// `nil` if no `#` in the file can have cut a text.
    init?(_ source: SourceText) {
        source.bytes.withUnsafeBufferPointer { bytes in
            // Lines and columns are counted only up to a suspicious place, and most files have none.
            var (counted, line, column) = (0, 1, 1)
            var rest = bytes[...]
            while let index = rest.firstPlace(of: UInt8(ascii: "#")), certain.count + likely.count < Self.limit {
                rest = bytes[(index + 1)...]
                var end = index
                while end > 0, bytes[end - 1] == UInt8(ascii: " ") || bytes[end - 1] == UInt8(ascii: "\t") { end -= 1 }
                guard end < index, end > 0, bytes[end - 1] != UInt8(ascii: "\n") else { continue }
                let next = rest.first ?? 0
                let isCertain = next > UInt8(ascii: " ") && next != UInt8(ascii: "#")
                guard isCertain || index - end == 1 else { continue }
                for byte in bytes[counted..<end] {
                    if byte == UInt8(ascii: "\n") {
                        (line, column) = (line + 1, 1)
                    } else if byte & 0b1100_0000 != 0b1000_0000 {
                        // A byte 10xxxxxx continues a character.
                        column += 1
                    }
                }
                counted = end
                let position = TextRange.Position(line: line, column: column)
                if isCertain { certain.insert(position) } else { likely.insert(position) }
            }
        }
        if certain.isEmpty, likely.isEmpty { return nil }
    }

    private static let shown: Set<String> = [
        "title", "subtitle", "body", "ticker", "alert", "title_loc_args", "body_loc_args", "loc-args",
        "title-loc-args", "subtitle-loc-args",
    ]

    func check(_ document: Node, _ findings: inout Findings) {
        for entry in document.mapping ?? [] where ["message", "locales", "variants"].contains(entry.key) {
            check(entry.value, isShown: false, &findings)
        }
    }

    private func check(_ node: Node, isShown: Bool, _ findings: inout Findings) {
        switch node.content {
        case .mapping(let entries):
            for entry in entries { check(entry.value, isShown: Self.shown.contains(entry.key), &findings) }
        case .sequence(let nodes):
            for node in nodes { check(node, isShown: isShown, &findings) }
        case .scalar(let scalar):
            guard scalar.isPlain, !scalar.text.isEmpty,
                certain.contains(node.range.end) || isShown && likely.contains(node.range.end)
            else { return }
            findings.warning(
                .cutText, "the text ends before the #: a space and a # begin a comment", at: node.range,
                help: "put the text into quotes, or two spaces before a comment that is one")
        }
    }
}
