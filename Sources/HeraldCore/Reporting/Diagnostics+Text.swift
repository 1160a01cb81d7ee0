internal import FCM

extension DiagnosticsDocument {
    /// Longer lines are not shown: the mistake would be hard to find in them.
    private static let longestLine = 400

    package func text(_ style: TextStyle) -> String {
        let lines = shownLines()
        var text = ""
        for (diagnostic, others) in repeated {
            let severity = diagnostic.severity.rawValue
            let head = diagnostic.severity == .error ? style.red(severity) : style.yellow(severity)
            text += "\(head)\(style.faint("[\(diagnostic.rule.rawValue)]")): \(style.bold(diagnostic.message))\n"
            text += "  --> \(Self.location(diagnostic.range))\n"
            text += Self.excerpt(diagnostic.range, lines) { style.red($0) }
            for note in diagnostic.notes {
                text += "  note: \(note.message) (\(Self.location(note.range)))\n"
                text += Self.excerpt(note.range, lines) { style.faint($0) }
            }
            if !others.isEmpty { text += "  \(Self.list(others))\n" }
            if let help = diagnostic.help { text += "  \(style.green("help")): \(help)\n" }
            text += "\n"
        }
        let errors = diagnostics.count { $0.severity == .error }
        let warnings = diagnostics.count { $0.severity == .warning }
        return text + "\(count(errors, "error")), \(count(warnings, "warning"))\n"
    }

    /// Warnings that say the same, each with the other places. An error is shown where it is: somebody must mend it.
    private var repeated: [(first: Diagnostic, others: [SourceRange])] {
        var places: [Diagnostic: Int] = [:]
        var repeated: [(first: Diagnostic, others: [SourceRange])] = []
        for diagnostic in diagnostics {
            var saying = diagnostic
            (saying.range, saying.fix) = (SourceRange(file: ""), nil)
            if let place = places[saying], diagnostic.severity != .error, diagnostic.notes.isEmpty {
                repeated[place].others.append(diagnostic.range)
            } else {
                places[saying] = repeated.count
                repeated.append((diagnostic, []))
            }
        }
        return repeated
    }

    /// So many places are listed, and the others counted.
    private static let listedPlaces = 10

    private static func list(_ places: [SourceRange]) -> String {
        let rest = places.count - listedPlaces
        return "also in \(places.prefix(listedPlaces).map(location).joined(separator: ", "))"
            + (rest > 0 ? " and \(count(rest, "more place"))" : "")
    }

    static func location(_ range: SourceRange) -> String {
        let file = range.file.printable
        guard let start = range.text?.start else { return file }
        return "\(file):\(start.line):\(start.column)"
    }

    /// The lines that diagnostics and their notes point at, by file. Lines that could show a registration are left out.
    private func shownLines() -> [String: [Int: String]] {
        var wanted: [String: Set<Int>] = [:]
        for diagnostic in diagnostics where !diagnostic.rule.isAboutRegistrations {
            for range in [diagnostic.range] + diagnostic.notes.map(\.range) {
                if let text = range.text { wanted[range.file, default: []].insert(text.start.line) }
            }
        }
        var shown: [String: [Int: String]] = [:]
        for (file, numbers) in wanted {
            shown[file] = sources[file]?.lines(numbers, upTo: Self.longestLine).filter { $0.value.isShowable }
        }
        return shown
    }

    /// The line it points at, with carets below. Tabs become spaces, since a caret is never as wide as a tab.
    private static func excerpt(
        _ range: SourceRange, _ lines: [String: [Int: String]], paint: (String) -> String
    ) -> String {
        guard let text = range.text, let line = lines[range.file]?[text.start.line] else { return "" }
        let number = String(text.start.line)
        let margin = String(repeating: " ", count: number.count)
        let scalars = line.unicodeScalars
        let start = min(text.start.column - 1, scalars.count)
        let end = text.end.line == text.start.line ? min(text.end.column - 1, scalars.count) : scalars.count
        let (before, through) = (String(scalars.prefix(start)).cells, String(scalars.prefix(max(start, end))).cells)
        let padding = String(repeating: " ", count: before)
        let carets = String(repeating: "^", count: max(1, through - before))
        return " \(number) | \(line.withoutTabs)\n \(margin) | \(padding)\(paint(carets))\n"
    }
}

extension Rule {
    fileprivate var isAboutRegistrations: Bool {
        switch self {
        case .listRow, .listColumn, .listFormat, .registrationForm, .fileEncoding: true
        default: false
        }
    }
}

extension String {
    /// Whether it is safe to show: no control characters that a terminal obeys, no registration and no password. Joiners
    /// within emoji are harmless.
    fileprivate var isShowable: Bool {
        let text = String(unicodeScalars.filter { $0 != "\t" && $0 != "\u{200D}" })
        return text.printable == text && Registration.masking(self) == self && !mayHoldPassword
    }

    /// Each tab becomes spaces up to the next multiple of four.
    fileprivate var withoutTabs: String {
        guard utf8.contains(UInt8(ascii: "\t")) else { return self }
        var text = ""
        var column = 0
        for character in self {
            let width = character.cells(at: column)
            text += character == "\t" ? String(repeating: " ", count: width) : String(character)
            column += width
        }
        return text
    }

    /// How many columns of a terminal it takes.
    fileprivate var cells: Int { reduce(0) { $0 + $1.cells(at: $0) } }
}

extension Character {
    /// A tab reaches to the next multiple of four. Combining marks add nothing; East Asian scripts and emoji are two
    /// columns wide.
    fileprivate func cells(at column: Int) -> Int {
        if self == "\t" { return 4 - column % 4 }
        guard let first = unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        return first.isWide || unicodeScalars.contains("\u{FE0F}") ? 2 : 1
    }
}

extension Unicode.Scalar {
    /// The blocks in which Unicode's East Asian Width is W or F.
    fileprivate var isWide: Bool {
        if properties.isEmojiPresentation { return true }
        return switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18D08, 0x1B000...0x1B2FB,
            0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
