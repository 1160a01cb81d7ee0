/// Suggests a fix for a file that YAML cannot read: most often a text needs quotes. A fix is suggested only if the file
/// can be read with it.
struct SyntaxAdvice {
    /// Larger files are not read again just for better advice.
    private static let maximumSize = 1 << 18
    /// The most fixes that are tried; each takes another reading.
    private static let maximumGuesses = 16

    private let source: SourceText

    /// `nil` where reading again would take too long.
    init?(_ source: SourceText) {
        guard source.bytes.count <= Self.maximumSize else { return nil }
        self.source = source
    }

    func improve(_ diagnostics: inout [Diagnostic]) {
        for index in diagnostics.indices where diagnostics[index].rule == .yamlSyntax {
            if let better = better(diagnostics[index]) { diagnostics[index] = better }
        }
    }

    /// A text that YAML takes for something else.
    private struct Suspect {
        var line: Int
        /// Columns from 0, in Unicode scalars.
        var columns: Range<Int>
        var text: String

        var range: TextRange {
            TextRange(
                start: .init(line: line, column: columns.lowerBound + 1),
                end: .init(line: line, column: columns.upperBound + 1))
        }
    }

    private func better(_ diagnostic: Diagnostic) -> Diagnostic? {
        guard let place = diagnostic.range.text?.start else { return nil }
        // More quotes would only change what the text says.
        if YAMLComposer.isAboutEscapes(diagnostic.message) { return joiningHalves(diagnostic, at: place) }
        for suspect in suspects(at: place).prefix(Self.maximumGuesses)
        where isMended(by: suspect.text.quoted, insteadOf: suspect, atLeastTo: place.line) {
            let place = SourceRange(file: diagnostic.range.file, text: suspect.range)
            if suspect.text.isUnclosed {
                let closed = suspect.text.first == "\"" ? suspect.text + "\"" : nil
                return .error(
                    .yamlSyntax, "the quote is not closed", at: place,
                    help: closed.map { "write \($0)" }
                        ?? "close it, or write \(suspect.text.quoted) if it is an apostrophe", replacement: closed)
            }
            return .error(
                .yamlSyntax, "text \(Self.reason(suspect.text)) needs quotes", at: place,
                help: "write \(suspect.text.quoted)", replacement: suspect.text.quoted)
        }
        return nil
    }

    /// What JSON writes beyond U+FFFF is two escapes, of which YAML takes neither. All that follow in the line are joined.
    private func joiningHalves(_ diagnostic: Diagnostic, at place: TextRange.Position) -> Diagnostic? {
        let halves = #/\\u([dD][89abAB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})/#
        guard let line = source.lines([place.line], upTo: 4096)[place.line] else { return nil }
        let pairs = line.matches(of: halves).map { line.columns(of: $0.output.0) }
            .filter { $0.upperBound >= place.column }
        guard let first = pairs.first, let last = pairs.last else { return nil }
        let columns = first.lowerBound..<last.upperBound
        let written = Suspect(line: place.line, columns: columns, text: line.part(columns))
        let joined = written.text.replacing(halves) { match in
            let units = [match.output.1, match.output.2].compactMap { UInt16($0, radix: 16) }
            return String(decoding: units, as: UTF16.self)
        }
        guard isMended(by: joined, insteadOf: written, atLeastTo: place.line) else { return nil }
        return .error(
            .yamlSyntax, "YAML does not take the two halves in which JSON writes an emoji",
            at: SourceRange(file: diagnostic.range.file, text: written.range), help: "write \(joined)",
            replacement: joined)
    }

    private static func reason(_ text: String) -> String {
        if let first = text.first, "*&!%@`|>-?[]{}\"',".contains(first) { return "that begins with \(first)" }
        if text.contains(": ") { return "that holds a colon and a space" }
        return text.contains(" #") ? "that holds a space and a #" : "that YAML reads otherwise"
    }

    /// The values on the line of the mistake and on the line above: a missing end is noticed only on the next line.
    private func suspects(at place: TextRange.Position) -> [Suspect] {
        let numbers = Set((max(1, place.line - 3)...place.line))
        let lines = source.lines(numbers, upTo: 4096)
        return lines.sorted { $0.key > $1.key }.flatMap { number, line in
            Self.suspects(in: line).map { Suspect(line: number, columns: $0, text: line.part($0)) }
        }
    }

    private static func suspects(in line: String) -> [Range<Int>] {
        // A value that goes to the end of its line.
        let whole = line.firstMatch(of: #/^\s*(?:- +)*[A-Za-z0-9_.-]+:\s+(?<text>\S.*?)\s*$/#)
            .map { line.columns(of: $0.output.text) }
        // A value within braces or brackets. It ends at the next of these, or at a comma before a key.
        let inner = line.matches(
            of: #/[{,]\s*[A-Za-z0-9_.-]+:\s+(?<text>[^\s{}\[\]"'][^{}\[\]"]*?)\s*(?=[}\]]|,\s*[A-Za-z0-9_.-]+:)/#
        )
        .map { line.columns(of: $0.output.text) }
        // An entry of a list.
        let entry = line.firstMatch(of: #/^\s*(?:- +)+(?<text>\S.*?)\s*$/#).map { line.columns(of: $0.output.text) }
        // A bracket or a quote in it that is never closed does not belong to a text.
        return (inner + [whole, entry].compactMap(\.self)).filter {
            line.part($0).isBalanced && !line.part($0).isInQuotes
        }
    }

    private func isMended(by text: String, insteadOf suspect: Suspect, atLeastTo line: Int) -> Bool {
        var lines = source.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            Array($0)
        }
        guard lines.indices.contains(suspect.line - 1) else { return false }
        let scalars = Array(String(decoding: lines[suspect.line - 1], as: UTF8.self).unicodeScalars)
        guard suspect.columns.upperBound <= scalars.count else { return false }
        let part = { (part: ArraySlice<Unicode.Scalar>) in String(String.UnicodeScalarView(part)) }
        let mended =
            part(scalars[..<suspect.columns.lowerBound]) + text + part(scalars[suspect.columns.upperBound...])
        lines[suspect.line - 1] = Array(mended.utf8)
        let again = SourceText(file: source.file, bytes: Array(lines.joined(separator: [UInt8(ascii: "\n")])))
        return YAMLComposer.documents(in: again).diagnostics.allSatisfy {
            $0.rule != .yamlSyntax || ($0.range.text?.start.line ?? 0) > line
        }
    }
}

extension String {
    fileprivate func columns(of part: Substring) -> Range<Int> {
        let start = unicodeScalars.distance(from: startIndex, to: part.startIndex)
        return start..<start + part.unicodeScalars.count
    }

    /// Whether it begins with a quote and has no other quote.
    fileprivate var isUnclosed: Bool {
        guard let first, first == "\"" || first == "'" else { return false }
        return !dropFirst().contains(first)
    }

    /// Whether it is one text between quotes.
    fileprivate var isInQuotes: Bool { wholeMatch(of: #/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/#) != nil }

    fileprivate var isBalanced: Bool {
        let count = { (character: Character) in self.count { $0 == character } }
        if first != "[", first != "{" { return true }
        return count("[") == count("]") && count("{") == count("}") && count("\"").isMultiple(of: 2)
    }

    fileprivate func part(_ columns: Range<Int>) -> String {
        String(String.UnicodeScalarView(unicodeScalars.dropFirst(columns.lowerBound).prefix(columns.count)))
    }
}
