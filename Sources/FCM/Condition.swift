/// FCM's boolean expression over topics, e.g. `'tides' in topics && !('opted-out' in topics)`.
///
/// FCM gives `&&` no precedence over `||`. It evaluates parentheses first, then from left to right.
package struct Condition: Hashable, Sendable, CustomStringConvertible {
    /// FCM's limit (docs/reference/fcm.md#topics-and-conditions). It counts terms: a topic that is named twice counts
    /// twice.
    package static let maximumTerms = 5

    package indirect enum Expression: Hashable, Sendable {
        case topic(TopicName)
        case not(Expression)
        case and(Expression, Expression)
        case or(Expression, Expression)
    }

    /// In normal form, so that equal texts are equal values: a `not` never holds a `not`, and a right side never
    /// repeats its own operator.
    package let expression: Expression

    /// Takes an expression of at most `maximumTerms` terms.
    init(_ expression: Expression) {
        self.expression = expression
    }

    /// Matches devices that follow at least one of `any`, all of `all` and none of `none`. An empty list puts no
    /// restriction. The result is `nil` when all lists are empty, or when they hold more than five topics together.
    package init?(any: [TopicName], all: [TopicName], none: [TopicName]) {
        guard any.count + all.count + none.count <= Self.maximumTerms else { return nil }
        let one = any.map(Expression.topic).joined(by: .or)
        let parts = [one].compactMap(\.self) + all.map(Expression.topic) + none.map { .not(.topic($0)) }
        guard let expression = parts.joined(by: .and) else { return nil }
        self.init(expression)
    }

    /// The topics in the order of the text, each one once.
    package var topics: [TopicName] {
        var seen: Set<TopicName> = []
        return expression.terms().map(\.topic).filter { seen.insert($0).inserted }
    }

    /// Topics under an odd number of negations. A device that subscribes to one of them may stop matching.
    package var excluded: Set<TopicName> {
        Set(expression.terms().filter(\.isNegated).map(\.topic))
    }

    /// Topics under an even number of negations, or none. A device that subscribes to one of them may begin to match.
    package var included: Set<TopicName> {
        Set(expression.terms().filter { !$0.isNegated }.map(\.topic))
    }

    /// Whether a device matches that follows exactly the topics for which `follows` is true.
    package func matches(_ follows: (TopicName) -> Bool) -> Bool {
        expression.matches(follows)
    }

    /// The canonical text: single quotes, one space around operators, `!('a' in topics)`, and parentheses wherever `&&`
    /// meets `||`. JSON never has to escape a character of it.
    package var description: String { expression.text }
}

extension Condition.Expression {
    enum Operator: String, Hashable, Sendable {
        case and = "&&"
        case or = "||"
    }

    /// Joins `one` and `other`, regrouped to the left: `a && (b && c)` becomes `a && b && c`.
    static func joined(_ one: Self, _ word: Operator, _ other: Self) -> Self {
        switch (word, other) {
        case (.and, .and(let left, let right)): .and(joined(one, .and, left), right)
        case (.or, .or(let left, let right)): .or(joined(one, .or, left), right)
        case (.and, _): .and(one, other)
        case (.or, _): .or(one, other)
        }
    }

    /// Two negations cancel each other.
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

    /// All terms from left to right. `isNegated` is true under an odd number of negations.
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
    /// `nil` for an empty list.
    fileprivate func joined(by word: Condition.Expression.Operator) -> Condition.Expression? {
        guard let first else { return nil }
        return dropFirst().reduce(first) { .joined($0, word, $1) }
    }
}
