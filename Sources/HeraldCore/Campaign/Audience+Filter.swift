extension Audience {
    /// Accepts rows by their value in one column. What one mapping of `where` says of a column is a filter for each of
    /// its operators.
    package struct Filter: Hashable, Sendable {
        /// As the file names it: a field, `seen`, or a column of the list.
        package var column: Located<String>
        package var test: Test
        /// The type of the field that `column` names. `nil` for a column that is no field.
        var kind: FieldKind?

        package init(_ column: Located<String>, _ test: Test) { (self.column, self.test) = (column, test) }

        package init(column: Located<String>, values: Set<String>) { self.init(column, .oneOf(values)) }

        /// The values that it names.
        var values: Set<String> {
            switch test {
            case .oneOf(let values), .not(let values): values
            case .atLeast, .below, .within, .before: []
            }
        }

        /// As the file says it, without brackets: `points at_least 1000`.
        var words: String { "\(column.value) \(test.words)" }
    }

    /// What a filter asks of a value. All but `oneOf` are comparisons: they judge the row that counts of a recipient.
    package enum Test: Hashable, Sendable {
        case oneOf(Set<String>)
        case not(Set<String>)
        case atLeast(Bound)
        case below(Bound)
        /// Times that are at most so long before the plan's time.
        case within(Duration)
        /// Times that are longer ago than that.
        case before(Duration)

        var isComparison: Bool { if case .oneOf = self { false } else { true } }

        /// Whether it compares with the plan's time.
        var isOfTime: Bool {
            switch self {
            case .within, .before: true
            case .oneOf, .not, .atLeast, .below: false
            }
        }

        var words: String {
            switch self {
            case .oneOf(let values): values.sorted().joined(separator: ", ")
            case .not(let values): "not \(values.sorted().joined(separator: ", "))"
            case .atLeast(let bound): "at_least \(bound.text)"
            case .below(let bound): "below \(bound.text)"
            case .within(let span): "within \(span.written)"
            case .before(let span): "before \(span.written)"
            }
        }
    }

    /// A filter with the column that this audience's list has for it. A field's name means the field, and `seen` the
    /// column that says when an app was seen last.
    func resolved(_ filter: Filter) -> Filter {
        var resolved = filter
        if let field = fields.first(where: { $0.value.name == filter.column.value })?.value {
            (resolved.column.value, resolved.kind) = (field.column, field.kind)
        } else if filter.column.value == "seen", case .list(_, let columns) = source, let seen = columns.seen {
            resolved.column.value = seen.value
        }
        return resolved
    }
}
