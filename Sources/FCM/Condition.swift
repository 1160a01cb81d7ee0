/// FCM's boolean expression over topics, e.g. `'tides' in topics && !('opted-out' in topics)`.
///
/// FCM gives `&&` no precedence over `||`: parentheses first, then from left to right.
package struct Condition: Hashable, Sendable, CustomStringConvertible {
    /// FCM's limit. It counts topic terms, a repeated topic each time.
    package static let maximumTerms = 5

    package indirect enum Expression: Hashable, Sendable {
        case topic(TopicName)
        case not(Expression)
        case and(Expression, Expression)
        case or(Expression, Expression)
    }

    /// No `not` holds a `not`, and no right side repeats its own operator, so that equal texts are equal values.
    package let expression: Expression

    /// Takes an expression of at most `maximumTerms` terms.
    init(_ expression: Expression) {
        self.expression = expression
    }

    /// Follows at least one of `any`, every one of `all` and not one of `none`; an empty list asks for nothing. `nil`
    /// when all are empty, or hold more than five topics together.
    package init?(any: [TopicName], all: [TopicName], none: [TopicName]) {
        guard any.count + all.count + none.count <= Self.maximumTerms else { return nil }
        let one = any.map(Expression.topic).joined(by: .or)
        let parts = [one].compactMap(\.self) + all.map(Expression.topic) + none.map { .not(.topic($0)) }
        guard let expression = parts.joined(by: .and) else { return nil }
        self.init(expression)
    }

    /// As they occur, repeated ones once.
    package var topics: [TopicName] {
        var seen: Set<TopicName> = []
        return expression.terms().map(\.topic).filter { seen.insert($0).inserted }
    }

    /// Those whose new subscriber can stop to match: they stand under an odd number of negations.
    package var excluded: Set<TopicName> {
        Set(expression.terms().filter(\.isNegated).map(\.topic))
    }

    /// Whether a device matches that follows just the topics `follows` is true for.
    package func matches(_ follows: (TopicName) -> Bool) -> Bool {
        expression.matches(follows)
    }

    /// The canonical text: single quotes, one space around operators, `!('a' in topics)`, and parentheses wherever
    /// `&&` meets `||`. It holds no character that JSON escapes.
    package var description: String { expression.text }
}

extension Condition.Expression {
    enum Operator: String, Hashable, Sendable {
        case and = "&&"
        case or = "||"
    }

    /// `one` joined with `other`, regrouped to the left: `a && (b && c)` is `a && b && c`.
    static func joined(_ one: Self, _ word: Operator, _ other: Self) -> Self {
        switch (word, other) {
        case (.and, .and(let left, let right)): .and(joined(one, .and, left), right)
        case (.or, .or(let left, let right)): .or(joined(one, .or, left), right)
        case (.and, _): .and(one, other)
        case (.or, _): .or(one, other)
        }
    }

    /// A double negation is none.
    static func negated(_ inner: Self) -> Self {
        if case .not(let expression) = inner { expression } else { .not(inner) }
    }

    fileprivate func matches(_ follows: (TopicName) -> Bool) -> Bool {
        switch self {
        case .topic(let topic): follows(topic)
        case .not(let inner): !inner.matches(follows)
        case .and(let one, let other): one.matches(follows) && other.matches(follows)
        case .or(let one, let other): one.matches(follows) || other.matches(follows)
        }
    }

    /// Every topic from left to right, and whether it stands under an odd number of negations.
    fileprivate func terms(isNegated: Bool = false) -> [(topic: TopicName, isNegated: Bool)] {
        switch self {
        case .topic(let topic): [(topic, isNegated)]
        case .not(let inner): inner.terms(isNegated: !isNegated)
        case .and(let one, let other), .or(let one, let other):
            one.terms(isNegated: isNegated) + other.terms(isNegated: isNegated)
        }
    }

    fileprivate var text: String {
        switch self {
        case .topic(let topic): "'\(topic)' in topics"
        case .not(let inner): "!(\(inner.text))"
        case .and(let one, let other): "\(one.text(beside: .and)) && \(other.text(beside: .and))"
        case .or(let one, let other): "\(one.text(beside: .or)) || \(other.text(beside: .or))"
        }
    }

    private func text(beside word: Operator) -> String {
        switch (self, word) {
        case (.and, .or), (.or, .and): "(\(text))"
        default: text
        }
    }
}

extension [Condition.Expression] {
    /// `nil` when there are none.
    fileprivate func joined(by word: Condition.Expression.Operator) -> Condition.Expression? {
        guard let first else { return nil }
        return dropFirst().reduce(first) { .joined($0, word, $1) }
    }
}
