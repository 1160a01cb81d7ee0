/// A comment as a forge reads it, as far as code goes (CommonMark 0.31, 4.5, 4.7 and 6.1; GFM 4.10). It shares nothing
/// with what writes comments.
struct ReadMarkdown {
    /// What stands outside code and is neither herald's own markup nor plain text.
    private(set) var problems: [String] = []

    init(_ text: String) {
        var fence = 0
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).map({ Array($0.utf8) })
            .enumerated()
        {
            let run = line.prefix { $0 == UInt8(ascii: "`") }.count
            if fence > 0 {
                if run >= fence, run == line.count { fence = 0 }
            } else if run >= 3, !line.dropFirst(run).contains(UInt8(ascii: "`")) {
                fence = run
            } else {
                read(line, number)
            }
        }
        if fence > 0 { problems.append("a code block has no end") }
    }

    private mutating func read(_ line: [UInt8], _ number: Int) {
        let isRow = line.first == UInt8(ascii: "|")
        let cells = isRow ? Self.cells(line) : [line]
        for cell in cells {
            let rest = String(decoding: Self.withoutCode(cell), as: UTF8.self)
            if let wrong = Self.wrong(in: rest, isFirst: number == 0) {
                problems.append("\(wrong) in ‘\(String(decoding: line, as: UTF8.self))’")
            }
        }
    }

    /// A backslash keeps any sign of ASCII from ending a cell.
    private static func cells(_ line: [UInt8]) -> [[UInt8]] {
        var cells: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in line {
            if byte == UInt8(ascii: "|"), !isEscaped { cells.append([]) } else { cells[cells.count - 1].append(byte) }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return cells
    }

    /// A run of backticks is ended by the next run of the same length.
    private static func withoutCode(_ text: [UInt8]) -> [UInt8] {
        var (rest, place) = ([UInt8](), 0)
        func run(at place: Int) -> Int { text[place...].prefix { $0 == UInt8(ascii: "`") }.count }
        while place < text.count {
            let length = run(at: place)
            if length == 0 {
                rest.append(text[place])
                place += 1
                continue
            }
            var end = place + length
            while end < text.count, run(at: end) != length { end += max(1, run(at: end)) }
            if end < text.count {
                place = end + length
            } else {
                rest += text[place..<(place + length)]
                place += length
            }
        }
        return rest
    }

    private static func wrong(in line: String, isFirst: Bool) -> String? {
        let mark = #/<!-- herald: [A-Za-z0-9._%\/]*(-[A-Za-z0-9._%\/]+)*-? -->/#.matchingSemantics(.unicodeScalar)
        if isFirst, line.wholeMatch(of: mark) != nil { return nil }
        var text = line
        // A forge reads scalars, and a mark that combines with a sign leaves the sign what it is.
        let folded = #/<details><summary><code>([^<>]*)<\/code><\/summary>/#.matchingSemantics(.unicodeScalar)
        if let summary = text.wholeMatch(of: folded) {
            // In an element only entities are read, and mentions are not looked for in code.
            let rest = summary.1.replacing(#/&(amp|lt|gt|quot|#39);/#, with: "")
            return rest.contains("&") ? "an ampersand" : nil
        }
        if text == "</details>" || text == "---" || text.wholeMatch(of: #/[-:]+/#) != nil { return nil }
        text = text.replacing(#/^#{2,3} /#, with: "").replacing(#/^( {2})?- /#, with: "").replacing("<br>", with: "")
            .replacing("**", with: "")
        if text.wholeMatch(of: #/ *([0-9]+[.)]|[-+=>])( .*)?/#) != nil { return "a list or a quote" }
        if let sign = text.unicodeScalars.first(where: { #"@#<>&[]*_~`\|!$^{}="#.unicodeScalars.contains($0) }) {
            return "the sign \(sign)"
        }
        for pattern in ["://", "www", "mailto:", "gh-"] where text.lowercased().contains(pattern) { return pattern }
        if text.contains(#/[0-9a-fA-F]{7}/#) { return "a commit" }
        if text.contains(#/[A-Za-z]-[0-9]/#) { return "a reference" }
        if text.contains(#/:[A-Za-z0-9_+\-]+:/#), !text.contains(#/[0-9]{2}:[0-9]{2}/#) { return "an emoji" }
        return nil
    }
}
