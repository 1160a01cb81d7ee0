/// The room that a platform gives to one text of a notification.
///
/// Platforms cut by width, which depends on font, screen and settings. `columns` is an approximation of it: how many
/// characters of average width fit into one line. Wide characters, such as those of Chinese and most emoji, count
/// twice, and marks that are drawn on top of others do not count.
struct TextFrame: Hashable, Sendable {
    var lines: Int
    var columns: Int

    /// The text in lines. A word that is longer than a line is broken. What does not fit is left out, and an ellipsis
    /// shows it.
    func fit(_ text: String) -> FittedText {
        var rest = Self.lines(of: text, keepsBreaks: lines > 1)[...]
        var fitted: [String] = []
        while let line = rest.first, fitted.count < lines {
            let (taken, left) = split(line)
            rest = rest.dropFirst()
            if let left { rest = [left] + rest }
            fitted.append(String(taken))
        }
        var hidden = rest.reduce(0) { $0 + $1.count }
        if !rest.isEmpty, let last = fitted.popLast() {
            let kept = shortened(last)
            hidden += last.count - kept.count
            fitted.append(kept + "…")
        }
        return FittedText(lines: fitted, hidden: hidden, direction: .init(of: text))
    }

    /// A single line shows a line break as a space. White space at the end takes no room.
    private static func lines(of text: String, keepsBreaks: Bool) -> [Substring] {
        let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
        let lines = text[..<end].split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return keepsBreaks ? lines : [Substring(lines.joined(separator: " "))]
    }

    /// As much of a line as fits, and what is left of it. The space between them is part of neither.
    private func split(_ line: Substring) -> (taken: Substring, left: Substring?) {
        var width = 0
        var space: Substring.Index?
        for index in line.indices {
            if line[index] == " ", index > line.startIndex { space = index }
            width += line[index].columns
            guard width > columns else { continue }
            if let space { return (line[..<space], line[line.index(after: space)...]) }
            // A single character that is too wide still takes a line, so that each line takes something.
            let end = index > line.startIndex ? index : line.index(after: index)
            return (line[..<end], end < line.endIndex ? line[end...] : nil)
        }
        return (line, nil)
    }

    /// As much of a line as leaves room for an ellipsis.
    private func shortened(_ line: String) -> String {
        var line = line
        var width = line.reduce(0) { $0 + $1.columns }
        while let last = line.last, width >= columns || last == " " {
            width -= last.columns
            line.removeLast()
        }
        return line
    }
}

/// A text as a platform shows it.
package struct FittedText: Hashable, Sendable {
    package var lines: [String]
    /// How many characters, as people count them, are in none of the lines.
    package var hidden: Int
    package var direction: TextDirection

    package var isCut: Bool { hidden > 0 }
}

extension Character {
    /// The width in columns.
    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        // The variation selector makes an emoji of a character that would be a plain sign without it.
        let isEmoji = first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}")
        return isEmoji || first.isWide ? 2 : 1
    }
}

extension Unicode.Scalar {
    /// The large blocks of Unicode's East Asian Width (UAX #11) that are wide.
    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
