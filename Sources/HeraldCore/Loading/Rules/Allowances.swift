/// The comments of a file that silence a warning: `# herald: allow RULE reason`, on the line it is about or above it.
struct Allowances {
    private struct Allowance {
        var rule: String
        var hasReason: Bool
        /// The comment's lines and columns.
        var range: TextRange
        var lines: ClosedRange<Int>
        var isUsed = false
    }

    private static let marker = Array("herald:".utf8)
    private let file: String
    private var allowances: [Allowance] = []

    /// `nil` where the file has no such comment, as nearly every one.
    init?(_ source: SourceText, _ documents: [Node]) {
        guard source.bytes.hasComment(Self.marker) else { return nil }
        file = source.file
        var texts: [TextRange] = []
        for document in documents { document.collectTexts(&texts) }
        let lines = source.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let comment = Self.comment(in: String(decoding: line, as: UTF8.self), line: index + 1) else {
                continue
            }
            // Within a text it is no comment.
            if texts.contains(where: { $0.start <= comment.range.start && comment.range.start < $0.end }) { continue }
            var allowance = comment
            if allowance.lines.upperBound > index + 1 {
                // Several may stand above one line.
                var next = index + 1
                while next < lines.count, lines[next].first(where: { !$0.isSpace }) == UInt8(ascii: "#") { next += 1 }
                allowance.lines = (index + 1)...(next + 1)
            }
            allowances.append(allowance)
        }
        if allowances.isEmpty { return nil }
    }

    /// The diagnostics without the silenced warnings, and with what is wrong about the allowances themselves.
    mutating func apply(to diagnostics: [Diagnostic]) -> [Diagnostic] {
        var kept = diagnostics.filter { diagnostic in
            guard diagnostic.severity == .warning, diagnostic.range.file == file, let text = diagnostic.range.text
            else {
                return true
            }
            var isKept = true
            for index in allowances.indices
            where allowances[index].rule == diagnostic.rule.rawValue
                && allowances[index].lines.contains(text.start.line)
            {
                allowances[index].isUsed = true
                isKept = false
            }
            return isKept
        }
        for allowance in allowances {
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

    private static func comment(in line: String, line number: Int) -> Allowance? {
        let scalars = Array(line.unicodeScalars)
        let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" || scalar == "\r" }
        for index in scalars.indices where scalars[index] == "#" && (index == 0 || isSpace(scalars[index - 1])) {
            let rest = scalars[(index + 1)...].drop(while: isSpace)
            let words = rest.split(whereSeparator: isSpace).map { String(String.UnicodeScalarView($0)) }
            guard words.count >= 2, words[0] == "herald:", words[1] == "allow" else { continue }
            let isAlone = scalars[..<index].allSatisfy(isSpace)
            let end = (scalars.lastIndex { !isSpace($0) } ?? index) + 2
            return Allowance(
                rule: words.count > 2 ? words[2] : "", hasReason: words.count > 3,
                range: TextRange(
                    start: .init(line: number, column: index + 1), end: .init(line: number, column: end)),
                lines: number...(isAlone ? number + 1 : number))
        }
        return nil
    }
}

extension Node {
    fileprivate func collectTexts(_ ranges: inout [TextRange]) {
        switch content {
        case .scalar: ranges.append(range)
        case .sequence(let nodes): for node in nodes { node.collectTexts(&ranges) }
        case .mapping(let entries):
            for entry in entries {
                ranges.append(entry.keyRange)
                entry.value.collectTexts(&ranges)
            }
        }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension [UInt8] {
    /// Whether a `#` stands somewhere in it with this text behind it.
    fileprivate func hasComment(_ text: [UInt8]) -> Bool {
        withUnsafeBufferPointer { bytes in
            var rest = bytes[...]
            while let start = rest.firstIndex(of: UInt8(ascii: "#")) {
                rest = bytes[(start + 1)...]
                if rest.drop(while: \.isSpace).starts(with: text) { return true }
            }
            return false
        }
    }
}
