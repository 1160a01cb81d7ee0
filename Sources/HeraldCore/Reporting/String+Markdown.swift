internal import FCM

/// Texts of files in a comment on GitHub or GitLab. Nothing in them becomes a link, a mention, a reference to an issue
/// or a commit, an image or markup: everything that could is put into a code span, where neither Markdown nor the forge
/// looks for such things. Escaping is not enough: forges look for mentions after they have read escapes.
extension String {
    /// For a line that is not in a table.
    var inMarkdown: String { words(inTable: false) }

    /// For a cell of a table.
    var inCell: String { words(inTable: true) }

    /// For an HTML element, in which Markdown is not read.
    var inElement: String { "<code>\(printable.escapedForMarkup)</code>" }

    /// For an HTML comment. Different texts stay different, and none can end it: bytes other than letters, digits, `.`,
    /// `_`, `/` and single `-` are written as numbers.
    var inComment: String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "-") where !text.isEmpty && !text.hasSuffix("-"): text += "-"
            default: text += "%" + [byte].hexadecimal
            }
        }
        return text
    }

    /// A code block that holds any text. It ends with a line break.
    var codeBlock: String {
        let fence = String(repeating: "`", count: max(3, longestRun(of: UInt8(ascii: "`")) + 1))
        return "\(fence)text\n\(self)\n\(fence)\n"
    }

    private func words(inTable: Bool) -> String {
        var text = ""
        /// Words that stand in one code span, and what comes after the span.
        var code: (words: [Substring], end: Substring) = ([], "")
        func flush() {
            guard !code.words.isEmpty else { return }
            text += "\(code.words.joined(separator: " ").codeSpan(inTable: inTable))\(code.end)"
            code = ([], "")
        }
        for word in printable.split(separator: " ") {
            if word.isPlain(beginning: text.isEmpty) {
                flush()
                text += "\(text.isEmpty ? "" : " ")\(word)"
                continue
            }
            let (start, core, end) = word.withoutQuotes
            if !code.words.isEmpty, code.end.isEmpty, start.isEmpty {
                code.words.append(core)
            } else {
                flush()
                text += "\(text.isEmpty ? "" : " ")\(start)"
                code.words = [core]
            }
            code.end = end
        }
        flush()
        return text
    }

    /// It goes scalar by scalar: a backtick or a bar and a mark behind it are one character.
    private func codeSpan(inTable: Bool) -> String {
        let backtick = UInt8(ascii: "`")
        let fence = String(repeating: "`", count: longestRun(of: backtick) + 1)
        // One space is taken away at each end. Without it, a backtick there would belong to the fence.
        let pad = utf8.first == backtick || utf8.last == backtick ? " " : ""
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            // In a table a bar ends the cell, also in a code span, unless a backslash stands before it. That backslash
            // is not shown. An invisible space separates it from a backslash of the text.
            if inTable, scalar == "|" {
                if text.last == "\\" { text.append("\u{200B}") }
                text.append("\\")
            }
            text.append(scalar)
        }
        return fence + pad + String(text) + pad + fence
    }

    private func longestRun(of byte: UInt8) -> Int {
        var (longest, run) = (0, 0)
        for other in utf8 {
            run = other == byte ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }
}

extension Substring {
    /// Whether it is a word, a number, a date or a time of day: nothing that a forge could take for more.
    ///
    /// - Parameter isFirst: Whether a line may begin with it, where "1." would begin a list.
    fileprivate func isPlain(beginning isFirst: Bool) -> Bool {
        let core = withoutQuotes.core
        if isFirst, let last = utf8.last, ".)".utf8.contains(last), utf8.count > 1,
            utf8.dropLast().allSatisfy(\.isDigit)
        {
            return false
        }
        // A regular expression is compiled at each use, which took a fifth of a review.
        let shape = String(decoding: core.utf8.map { $0.isDigit ? UInt8(ascii: "0") : $0 }, as: UTF8.self)
        if shape == "0000-00-00" || shape == "00:00" { return true }
        var before: UInt8 = 0
        var digits = 0
        for (byte, after) in zip(core.utf8, Array(core.utf8.dropFirst()) + [0]) {
            switch byte {
            case _ where byte.isLetter || byte.isDigit: break
            case UInt8(ascii: "'"), UInt8(ascii: "."), UInt8(ascii: ","):
                if !before.isLetter && !before.isDigit || !after.isLetter && !after.isDigit { return false }
            case UInt8(ascii: "-"), UInt8(ascii: "/"): if !before.isLetter || !after.isLetter { return false }
            case 0x80...: break
            default: return false
            }
            // Seven digits of a commit's id are enough to refer to it.
            digits = byte.isHexadecimal ? digits + 1 : 0
            if digits >= 7 { return false }
            before = byte
        }
        return !core.utf8.map { $0 | 0x20 }.contains("www".utf8)
    }

    /// The word without the punctuation around it.
    fileprivate var withoutQuotes: (start: Substring, core: Substring, end: Substring) {
        let core = drop { "('\"“".contains($0) }
        var end = core.endIndex
        while end > core.startIndex, ")'\"”,.;:?%…".contains(core[core.index(before: end)]) {
            end = core.index(before: end)
        }
        return (self[..<core.startIndex], core[..<end], core[end...])
    }
}

extension UInt8 {
    /// Of ASCII, or a part of any other character: none of those has a meaning in Markdown.
    fileprivate var isLetter: Bool { 0x61...0x7A ~= self | 0x20 || self >= 0x80 }
    fileprivate var isHexadecimal: Bool { isDigit || 0x61...0x66 ~= self | 0x20 }
}
