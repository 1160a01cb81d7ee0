internal import FCM

/// What a condition's topics decide, by its whole truth table: at most five topics make 32 rows.
struct ConditionLogic {
    private typealias Expression = Condition.Expression

    private let condition: Condition
    private let topics: [TopicName]

    init(_ condition: Condition) {
        self.condition = condition
        topics = condition.topics
    }

    func check(_ campaign: Campaign, _ findings: inout Findings) {
        let rows = rows(of: condition.expression)
        if !rows.contains(true) {
            findings.diagnostics.append(
                .error(.conditionNever, "no device can match the condition", at: campaign.target.range))
        } else if !rows.contains(false) {
            // Without an acknowledgement its being a broadcast is said already.
            guard campaign.acknowledged.broadcast else { return }
            findings.diagnostics.append(
                .warning(
                    .conditionRedundant, "every device matches the condition, whatever it follows",
                    at: campaign.target.range))
        } else if let shorter = shortened(rows) {
            findings.diagnostics.append(
                .warning(
                    .conditionRedundant, "a part of the condition changes nothing", at: campaign.target.range,
                    help: "the same devices match \(shorter)"))
        }
    }

    /// Whether a device matches, for every choice of the topics that it follows.
    private func rows(of expression: Expression) -> [Bool] {
        (0..<1 << topics.count).map { row in
            Self.matches(expression) { topic in topics.firstIndex(of: topic).map { row >> $0 & 1 == 1 } ?? false }
        }
    }

    private static func matches(_ expression: Expression, _ follows: (TopicName) -> Bool) -> Bool {
        switch expression {
        case .topic(let topic): follows(topic)
        case .not(let inner): !matches(inner, follows)
        case .and(let one, let other): matches(one, follows) && matches(other, follows)
        case .or(let one, let other): matches(one, follows) || matches(other, follows)
        }
    }

    /// The condition's text without what changes nothing; `nil` where everything in it does.
    private func shortened(_ rows: [Bool]) -> String? {
        var expression = condition.expression
        var isShorter = false
        while let next = Self.shorter(expression).first(where: { self.rows(of: $0) == rows }) {
            expression = next
            isShorter = true
        }
        return isShorter ? Self.text(expression) : nil
    }

    /// The expression with one of its operands left out, in every way there is.
    private static func shorter(_ expression: Expression) -> [Expression] {
        switch expression {
        case .topic: []
        case .not(let inner): shorter(inner).map { .not($0) }
        case .and(let one, let other):
            [one, other] + shorter(one).map { .and($0, other) } + shorter(other).map { .and(one, $0) }
        case .or(let one, let other):
            [one, other] + shorter(one).map { .or($0, other) } + shorter(other).map { .or(one, $0) }
        }
    }

    private static func text(_ expression: Expression) -> String {
        switch expression {
        case .topic(let topic): "'\(topic)' in topics"
        case .not(let inner): "!(\(text(inner)))"
        case .and(let one, let other): "\(operand(one)) && \(operand(other))"
        case .or(let one, let other): "\(operand(one)) || \(operand(other))"
        }
    }

    private static func operand(_ expression: Expression) -> String {
        switch expression {
        case .topic, .not: text(expression)
        case .and, .or: "(\(text(expression)))"
        }
    }
}
