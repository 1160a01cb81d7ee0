/// What the check of one row says.
package enum RowVerdict: Hashable, Sendable {
    /// - Parameters:
    ///   - place: among `PersonalMessages.classes`.
    ///   - size: at least the bytes that count against FCM's limit, of the largest message the row makes.
    case good(place: Int, size: Int)
    /// The first mistake of the row, in the order of `RowMistake.Kind` and then of the fields.
    case bad(RowMistake)
}

/// What is wrong with a row.
package struct RowMistake: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable, Comparable {
        /// A field without a default has no value.
        case missing
        /// A value is not of its field's type.
        case wrongType = "wrong_type"
        /// A value has more characters than its field allows.
        case tooLong = "too_long"
        /// A value has a control character, a line separator or a bidirectional control.
        case controlCharacter = "control_character"
        /// A value makes a path segment `.` or `..` of a link.
        case badURL = "bad_url"
        /// The message has more than FCM's 4,096 bytes.
        case tooLarge = "too_large"
        /// The field that decides the variant has no value.
        case noSplit = "no_split"

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }
    }

    package var kind: Kind
    /// The name of the field. `nil` where no single field is at fault.
    package var field: String?
}

extension RowMistake {
    /// What is wrong, in words, without any value.
    package var words: String {
        let field = self.field ?? ""
        return switch kind {
        case .missing: "there is no value for '\(field)', and the message gives no default"
        case .wrongType: "'\(field)' is not of its type"
        case .tooLong: "'\(field)' has more characters than its 'max'"
        case .controlCharacter:
            "'\(field)' has a control character, a line break or a character that changes the text direction"
        case .badURL: "'\(field)' makes the segment '.' or '..' in a link"
        case .tooLarge: "the message has more than 4,096 bytes"
        case .noSplit: "there is no value for '\(field)', which decides the variant"
        }
    }
}

extension RowMistake.Kind {
    /// A word for counts of it.
    package var words: String { rawValue.replacing("_", with: " ") }
}

extension [RowMistake.Kind: Int] {
    /// The counts in words, in the order of the check.
    package var words: String {
        sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.words)" }.joined(separator: ", ")
    }
}
