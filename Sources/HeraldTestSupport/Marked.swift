package import HeraldCore

/// Text in which `▸` marks where a diagnostic is expected.
package struct MarkedText {
    package let text: String
    package let positions: [TextRange.Position]

    package init(_ marked: String) {
        var text = ""
        var positions: [TextRange.Position] = []
        var (line, column) = (1, 1)
        for scalar in marked.unicodeScalars {
            if scalar == "▸" {
                positions.append(.init(line: line, column: column))
                continue
            }
            text.unicodeScalars.append(scalar)
            if scalar == "\n" { (line, column) = (line + 1, 1) } else { column += 1 }
        }
        self.text = text
        self.positions = positions
    }
}
