internal import FCM

/// Finds out what each topic of a condition decides, with its whole truth table: five topics at most make 32 rows.
struct ConditionLogic {
    private typealias Expression = Condition.Expression

    private let condition: Condition
    private let topics: [TopicName]

    init(_ condition: Condition) {
        self.condition = condition
        topics = condition.topics
    }

    /// - Parameter places: `nil` if the terms cannot be found in the file.
    func check(_ campaign: Campaign, _ places: ConditionPlaces?, _ findings: inout Findings) {
        let rows = rows(of: condition.expression)
        let whole = campaign.target.range
        let range = { (terms: Range<Int>) in
            SourceRange(file: whole.file, text: places?.range(of: terms) ?? whole.text)
        }
        if !rows.contains(true) {
            let part = smallest { !$0.contains(true) }
            findings.diagnostics.append(
                .error(
                    .conditionNever,
                    part.count < condition.expression.termCount
                        ? "this part never matches, so the condition never does" : "no device can match the condition",
                    at: range(part)))
        } else if !rows.contains(false) {
            // Without the acknowledgement, another rule already reports that this is a broadcast.
            guard campaign.acknowledged.broadcast else { return }
            findings.diagnostics.append(
                .warning(
                    .conditionRedundant, "every device matches the condition, whatever it follows",
                    at: range(smallest { !$0.contains(false) })))
        } else if let shorter = shortened(rows), let first = shorter.left.first {
            let text = Self.text(shorter.expression)
            var diagnostic = Diagnostic.warning(
                .conditionRedundant, "this part of the condition changes nothing", at: range(first),
                notes: shorter.left.dropFirst().map { .init("and without that one, nor does this", at: range($0)) },
                help: "the same devices match \(text)")
            if let node = places?.whole { diagnostic.fix = .init(text.quoted, at: node) }
            findings.diagnostics.append(diagnostic)
        }
    }

    /// The terms of the smallest part whose rows meet the test.
    private func smallest(_ isSuch: ([Bool]) -> Bool) -> Range<Int> {
        var (part, start) = (condition.expression, 0)
        while let next = part.parts(from: start).first(where: { isSuch(rows(of: $0.part)) }) {
            (part, start) = (next.part, next.start)
        }
        return start..<start + part.termCount
    }

    /// Whether a device matches, for every set of topics that it may follow.
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

    /// The condition without the terms that change nothing, and those terms as ranges of the whole; `nil` if every term
    /// changes something.
    private func shortened(_ rows: [Bool]) -> (expression: Expression, left: [Range<Int>])? {
        var expression = condition.expression
        // The terms of the whole that are still there.
        var kept = Array(0..<expression.termCount)
        var left: [Range<Int>] = []
        while let next = Self.shorter(expression).first(where: { self.rows(of: $0.expression) == rows }) {
            expression = next.expression
            let gone = kept[next.left]
            if let first = gone.first, let last = gone.last { left.append(first..<last + 1) }
            kept.removeSubrange(next.left)
        }
        return left.isEmpty ? nil : (expression, left)
    }

    /// Every way to leave out one operand. The later operand goes first, as a reader would remove a repetition.
    private static func shorter(_ expression: Expression) -> [(expression: Expression, left: Range<Int>)] {
        let operands = { (one: Expression, other: Expression, join: (Expression, Expression) -> Expression) in
            let (count, end) = (one.termCount, one.termCount + other.termCount)
            return [(one, count..<end), (other, 0..<count)]
                + shorter(one).map { (join($0.expression, other), $0.left) }
                + shorter(other).map { inner in
                    (join(one, inner.expression), inner.left.lowerBound + count..<inner.left.upperBound + count)
                }
        }
        switch expression {
        case .topic: return []
        case .not(let inner): return shorter(inner).map { (.not($0.expression), $0.left) }
        case .and(let one, let other): return operands(one, other) { .and($0, $1) }
        case .or(let one, let other): return operands(one, other) { .or($0, $1) }
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

extension Condition.Expression {
    /// Its parts, each with the number of its first term.
    fileprivate func parts(from start: Int) -> [(part: Self, start: Int)] {
        switch self {
        case .topic: []
        case .not(let inner): [(inner, start)]
        case .and(let one, let other), .or(let one, let other): [(one, start), (other, start + one.termCount)]
        }
    }
}
