package import HeraldCore

/// Text in which `▸` marks where a diagnostic is expected, and a later `◂` where it ends.
package struct MarkedText {
    package let text: String
    package let positions: [TextRange.Position]
    /// The end of each position's range; `nil` if the text does not mark one.
    package let ends: [TextRange.Position?]

    package init(_ marked: String) {
        var text = ""
        var positions: [TextRange.Position] = []
        var ends: [TextRange.Position?] = []
        var (line, column) = (1, 1)
        for scalar in marked.unicodeScalars {
            switch scalar {
            case "▸":
                positions.append(.init(line: line, column: column))
                ends.append(nil)
                continue
            case "◂":
                // Closes the innermost open range.
                if let open = ends.lastIndex(where: { $0 == nil }) { ends[open] = .init(line: line, column: column) }
                continue
            default: break
            }
            text.unicodeScalars.append(scalar)
            if scalar == "\n" { (line, column) = (line + 1, 1) } else { column += 1 }
        }
        self.text = text
        self.positions = positions
        self.ends = ends
    }
}
