extension Node {
    /// Where a part of a scalar's text stands, both counted in Unicode scalars. `nil` where the text cannot be followed
    /// in the file: in a block, over several lines, behind escapes of other characters than quotes.
    func range(ofScalars offset: Int, _ length: Int) -> TextRange? {
        guard let scalar, range.start.line == range.end.line else { return nil }
        let width = range.end.column - range.start.column
        // In single quotes a single one is written twice; in double quotes `"` and `\` have a `\` before them.
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
