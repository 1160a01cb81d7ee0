/// A range of text. Lines and columns count from 1, columns in Unicode scalars. The end is exclusive.
package struct TextRange: Hashable, Sendable {
    package struct Position: Hashable, Comparable, Sendable {
        // 32 bits are enough for a file of 64 MiB. A million values have two positions each, so size matters.
        private var storedLine: UInt32
        private var storedColumn: UInt32

        package var line: Int { Int(storedLine) }
        package var column: Int { Int(storedColumn) }

        package init(line: Int, column: Int) {
            storedLine = UInt32(clamping: line)
            storedColumn = UInt32(clamping: column)
        }

        package static func < (one: Position, other: Position) -> Bool {
            (one.storedLine, one.storedColumn) < (other.storedLine, other.storedColumn)
        }
    }

    package var start: Position
    package var end: Position

    package init(start: Position, end: Position) {
        self.start = start
        self.end = end
    }

    /// The first character of a line, if the exact place is not known.
    package static func line(_ line: Int) -> TextRange {
        TextRange(start: Position(line: line, column: 1), end: Position(line: line, column: 2))
    }
}

/// A range of text in a file.
package struct SourceRange: Hashable, Sendable {
    /// Relative to the workspace if the file is below it, else absolute.
    package var file: String
    /// `nil` if the whole file is meant.
    package var text: TextRange?

    package init(file: String, text: TextRange? = nil) {
        self.file = file
        self.text = text
    }

    /// Where it begins. If the whole file is meant, its beginning.
    var start: TextRange.Position { text?.start ?? .init(line: 0, column: 0) }
}

/// A value with the place where its author wrote it.
package struct Located<Value> {
    package var value: Value
    package var range: SourceRange

    package init(_ value: Value, at range: SourceRange) {
        self.value = value
        self.range = range
    }
}

extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
extension Located: Sendable where Value: Sendable {}
