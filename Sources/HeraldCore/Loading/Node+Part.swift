extension Node {
    /// The range of a part of a scalar's text, with offset and length in Unicode scalars. `nil` if the text does not
    /// match the file character by character: in a block, over several lines, or with escapes other than for quotes.
    func range(ofScalars offset: Int, _ length: Int) -> TextRange? {
        guard let scalar, range.start.line == range.end.line else { return nil }
        let width = range.end.column - range.start.column
        // In single quotes a single quote is doubled. In double quotes `"` and `\` have a `\` before them.
        let writings: [(quotes: Int, doubled: Set<Unicode.Scalar>)] =
            scalar.isPlain ? [(0, [])] : [(1, ["'"]), (1, ["\"", "\\"])]
        let text = Array(scalar.text.unicodeScalars)
        let columns = writings.compactMap { writing -> Range<Int>? in
            let columns = { (end: Int) in
                writing.quotes + end + text.prefix(end).count { writing.doubled.contains($0) }
            }
            guard columns(text.count) + writing.quotes == width else { return nil }
            return columns(offset)..<max(columns(offset + length), columns(offset) + 1)
        }
        guard let found = columns.first, columns.allSatisfy({ $0 == found }) else { return nil }
        let position = { TextRange.Position(line: range.start.line, column: range.start.column + $0) }
        return TextRange(start: position(found.lowerBound), end: position(found.upperBound))
    }
}
