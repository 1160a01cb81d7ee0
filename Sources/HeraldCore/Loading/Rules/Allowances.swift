/// A file's comments that silence a warning: `# herald: allow RULE reason`, on the line of the warning or above it.
struct Allowances {
    private struct Allowance {
        var rule: String
        var hasReason: Bool
        /// The comment's lines and columns.
        var range: TextRange
        /// The lines whose warnings it silences.
        var lines: ClosedRange<Int>
        var isUsed = false
        /// Whether it turned out to be part of a text, and no comment.
        var isText = false

        /// - Parameter text: what follows the `#`, to the line's end.
        init(_ text: String, at place: Place) {
            let scalars = text.unicodeScalars
            let words = scalars.split(whereSeparator: \.isBlank).map { String($0) }
            rule = words.count > 2 ? words[2] : ""
            hasReason = words.count > 3
            let length = scalars.lastIndex { !$0.isBlank }.map {
                scalars.distance(from: scalars.startIndex, to: $0) + 1
            }
            range = TextRange(
                start: .init(line: place.line, column: place.column),
                end: .init(line: place.line, column: place.column + 1 + (length ?? 0)))
            lines = place.line...place.line
        }

        mutating func extend(to line: Int) { lines = lines.lowerBound...max(line, lines.upperBound) }
    }

    /// A byte of the file, and what is before it on its line.
    private struct Place {
        private var counted: Int
        private(set) var line = 1
        private(set) var column = 1
        /// Whether only blanks are before it.
        private(set) var isAlone = true
        /// Whether a `#` here begins a comment, unless it is inside a text.
        private(set) var mayBeginComment = true

        init(in bytes: UnsafeBufferPointer<UInt8>) {
            counted = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        }

        mutating func advance(to index: Int, in bytes: UnsafeBufferPointer<UInt8>) {
            for byte in bytes[counted..<index] {
                mayBeginComment = byte.isBlank || byte == UInt8(ascii: "\n")
                if byte == UInt8(ascii: "\n") {
                    (line, column, isAlone) = (line + 1, 1, true)
                } else {
                    if !byte.isBlank { isAlone = false }
                    // A byte 10xxxxxx continues a character.
                    if byte & 0b1100_0000 != 0b1000_0000 { column += 1 }
                }
            }
            counted = index
        }
    }

    /// For one file. Real files have fewer, and each is compared with each warning.
    private static let limit = 1000
    /// In bytes. Longer reasons belong elsewhere.
    private static let maximumLength = 1000
    private let file: String
    /// Sorted by place.
    private var allowances: [Allowance]

    /// `nil` if the file has no such comment, as nearly every file.
    init?(_ source: SourceText) {
        file = source.file
        allowances = source.bytes.withUnsafeBufferPointer { Self.read($0) }
        if allowances.isEmpty { return nil }
    }

    /// The first ``limit`` of them, including those inside texts.
    private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> [Allowance] {
        var allowances: [Allowance] = []
        // Allowances above the line that they are about, which is the next line without a comment.
        var waiting: [Int] = []
        var lastComment = 0
        var place = Place(in: bytes)
        var rest = bytes[...]
        while allowances.count < limit, let index = rest.firstPlace(of: UInt8(ascii: "#")) {
            rest = bytes[(index + 1)...]
            place.advance(to: index, in: bytes)
            if place.isAlone {
                if place.line > lastComment + 1 {
                    for index in waiting { allowances[index].extend(to: lastComment + 1) }
                    waiting = []
                }
                lastComment = place.line
            }
            guard place.mayBeginComment, let text = Self.text(behind: rest) else { continue }
            if place.isAlone { waiting.append(allowances.count) }
            allowances.append(Allowance(text, at: place))
        }
        for index in waiting { allowances[index].extend(to: lastComment + 1) }
        return allowances
    }

    /// What follows `herald: allow`, if the `#` is followed by that.
    private static func text(behind mark: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        let text = mark.prefix(maximumLength)
        var rest = text.drop(while: \.isBlank)
        for word in ["herald:", "allow"] {
            guard rest.starts(with: word.utf8) else { return nil }
            rest = rest.dropFirst(word.utf8.count)
            guard let next = rest.first else { break }
            guard next.isBlank || next == UInt8(ascii: "\n") else { return nil }
            rest = rest.drop(while: \.isBlank)
        }
        return String(decoding: text[..<(text.firstPlace(of: UInt8(ascii: "\n")) ?? text.endIndex)], as: UTF8.self)
    }

    /// Drops those inside a text of the document, which are not comments.
    mutating func spareTexts(of document: Node) {
        document.eachText { range in
            var (index, end) = (0, allowances.count)
            while index < end {
                let middle = (index + end) / 2
                if allowances[middle].range.start < range.start { index = middle + 1 } else { end = middle }
            }
            while index < allowances.count, allowances[index].range.start < range.end {
                allowances[index].isText = true
                index += 1
            }
        }
    }

    /// The diagnostics without the silenced warnings, plus what is wrong with the allowances themselves.
    mutating func apply(to diagnostics: [Diagnostic]) -> [Diagnostic] {
        var kept = diagnostics.filter { diagnostic in
            guard diagnostic.severity != .error, diagnostic.range.file == file, let text = diagnostic.range.text
            else {
                return true
            }
            var isKept = true
            for index in allowances.indices
            where !allowances[index].isText && allowances[index].rule == diagnostic.rule.rawValue
                && allowances[index].lines.contains(text.start.line)
            {
                allowances[index].isUsed = true
                isKept = false
            }
            return isKept
        }
        for allowance in allowances where !allowance.isText {
            let range = SourceRange(file: file, text: allowance.range)
            if Rule(rawValue: allowance.rule) == nil {
                let near = suggestion(for: allowance.rule, among: Rule.allCases.map(\.rawValue))
                kept.append(
                    .warning(
                        .allowUnused, "there is no rule '\(allowance.rule)' to allow", at: range,
                        help: near.map { "did you mean '\($0)'?" }))
            } else if !allowance.isUsed {
                kept.append(
                    .warning(
                        .allowUnused, "nothing here is allowed by this: no warning of '\(allowance.rule)'", at: range,
                        help: "take the comment out; errors cannot be silenced"))
            } else if !allowance.hasReason {
                kept.append(
                    .warning(
                        .allowReason, "the comment does not say why '\(allowance.rule)' is allowed", at: range,
                        help: "write the reason behind the rule's name"))
            }
        }
        return kept
    }
}

extension Node {
    fileprivate func eachText(_ body: (TextRange) -> Void) {
        switch content {
        case .scalar: body(range)
        case .sequence(let nodes): for node in nodes { node.eachText(body) }
        case .mapping(let entries):
            for entry in entries {
                body(entry.keyRange)
                entry.value.eachText(body)
            }
        }
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { Unicode.Scalar(self).isBlank }
}

extension Unicode.Scalar {
    fileprivate var isBlank: Bool { self == " " || self == "\t" || self == "\r" }
}
