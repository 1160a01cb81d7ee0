import HeraldTestSupport

/// A random condition with its meaning by FCM's rules: parentheses first, then strictly from left to right. It shares
/// no code with the parser under test.
indirect enum ConditionOracle {
    case topic(String)
    case not(ConditionOracle)
    /// The operands on one level, with `words` between them.
    case level(operands: [ConditionOracle], words: [String])

    /// - Parameter terms: how many topics it holds, repeated ones included, from 1 to 5.
    init(terms: Int, using random: inout SeededRandom) {
        self =
            terms == 1
            ? .topic("abcde".randomElement(using: &random).map(String.init) ?? "a")
            : Self.level(terms: terms, using: &random)
        if Int.random(in: 0..<3, using: &random) == 0 { self = .not(self) }
    }

    private static func level(terms: Int, using random: inout SeededRandom) -> ConditionOracle {
        var operands: [ConditionOracle] = []
        var left = terms
        while left > 0 {
            // One operand must not take all terms, because then there would be no level.
            let share = Int.random(in: 1...(operands.isEmpty ? max(1, left - 1) : left), using: &random)
            operands.append(ConditionOracle(terms: share, using: &random))
            left -= share
        }
        let words = operands.dropFirst().map { _ in Bool.random(using: &random) ? "&&" : "||" }
        return .level(operands: operands, words: words)
    }

    func isTrue(of topics: Set<String>) -> Bool {
        switch self {
        case .topic(let name): return topics.contains(name)
        case .not(let inner): return !inner.isTrue(of: topics)
        case .level(let operands, let words):
            var value = operands[0].isTrue(of: topics)
            for (word, operand) in zip(words, operands.dropFirst()) {
                let next = operand.isTrue(of: topics)
                value = word == "&&" ? value && next : value || next
            }
            return value
        }
    }

    /// - Parameter isInside: whether a level needs parentheses here.
    func text(isInside: Bool = false, using random: inout SeededRandom) -> String {
        switch self {
        case .topic(let name): return "'\(name)' in topics"
        case .not(let inner): return "!" + Self.space(&random) + inner.text(isInside: true, using: &random)
        case .level(let operands, let words):
            var text = operands[0].text(isInside: true, using: &random)
            for (word, operand) in zip(words, operands.dropFirst()) {
                text += Self.space(&random) + word + Self.space(&random) + operand.text(isInside: true, using: &random)
            }
            return isInside ? "(" + Self.space(&random) + text + ")" : text
        }
    }

    private static func space(_ random: inout SeededRandom) -> String {
        String(repeating: " ", count: Int.random(in: 0...2, using: &random))
    }
}
