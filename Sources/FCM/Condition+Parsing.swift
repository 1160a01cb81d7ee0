extension Condition {
    /// Reads what an author wrote. Double quotes are accepted like single ones. `&&` beside `||` without parentheses is
    /// an error, because FCM reads it differently from most programming languages.
    package init(parsing text: String) throws(ConditionError) {
        var parser = ConditionParser(text, takesDoubleQuotes: true)
        let level = try parser.condition()
        let expression = level.expression(andFirst: false)
        if let mixed = level.mixedOperator {
            throw ConditionError(
                problem: .mixedOperators(
                    leftToRight: Condition(expression), andFirst: Condition(level.expression(andFirst: true))),
                offset: mixed, length: 2)
        }
        self.init(expression)
    }

    /// Reads a condition the way FCM does: left to right, single quotes only.
    package init(asFCM text: String) throws(ConditionError) {
        var parser = ConditionParser(text, takesDoubleQuotes: false)
        self.init(try parser.condition().expression(andFirst: false))
    }
}

/// What stands between two parentheses, or the whole text. The order of evaluation is not decided yet.
private struct Level {
    indirect enum Operand {
        case topic(TopicName)
        case not(Operand)
        case group(Level)
    }

    var first: Operand
    var rest: [(word: Condition.Expression.Operator, offset: Int, operand: Operand)] = []

    /// The offset where `&&` and `||` first meet on one level, in this level or in one inside it.
    var mixedOperator: Int? {
        let own = rest.first { $0.word != rest[0].word }?.offset
        return ([own, first.mixedOperator] + rest.map(\.operand.mixedOperator)).compactMap(\.self).min()
    }

    func expression(andFirst: Bool) -> Condition.Expression {
        guard andFirst else {
            return rest.reduce(first.expression(andFirst: false)) {
                .joined($0, $1.word, $1.operand.expression(andFirst: false))
            }
        }
        var sum: Condition.Expression?
        var product = first.expression(andFirst: true)
        for (word, _, operand) in rest {
            let operand = operand.expression(andFirst: true)
            switch word {
            case .and: product = .joined(product, .and, operand)
            case .or:
                sum = sum.map { .joined($0, .or, product) } ?? product
                product = operand
            }
        }
        return sum.map { .joined($0, .or, product) } ?? product
    }
}

extension Level.Operand {
    fileprivate var mixedOperator: Int? {
        switch self {
        case .topic: nil
        case .not(let inner): inner.mixedOperator
        case .group(let level): level.mixedOperator
        }
    }

    fileprivate func expression(andFirst: Bool) -> Condition.Expression {
        switch self {
        case .topic(let topic): .topic(topic)
        case .not(let inner): .negated(inner.expression(andFirst: andFirst))
        case .group(let level): level.expression(andFirst: andFirst)
        }
    }
}

/// Reads a condition scalar by scalar. It stops at the first error.
struct ConditionParser {
    /// How deep parentheses and negations may nest.
    static let maximumDepth = 100

    private let scalars: [Unicode.Scalar]
    private let takesDoubleQuotes: Bool
    private var position = 0
    private var depth = 0
    private var terms = 0

    init(_ text: String, takesDoubleQuotes: Bool) {
        scalars = Array(text.unicodeScalars)
        self.takesDoubleQuotes = takesDoubleQuotes
    }

    fileprivate mutating func condition() throws(ConditionError) -> Level {
        skipSpace()
        if next == nil { throw fault(.empty, at: 0) }
        let level = try level()
        if next == ")" { throw fault(.unopenedParenthesis, at: position, 1) }
        return level
    }

    /// Reads operands and operators up to a closing parenthesis or the end.
    private mutating func level() throws(ConditionError) -> Level {
        var level = Level(first: try operand(after: nil))
        while true {
            skipSpace()
            guard let sign = next, sign != ")" else { return level }
            let offset = position
            let word = try operatorSign()
            level.rest.append((word, offset, try operand(after: (word.rawValue, offset))))
        }
    }

    /// - Parameter sign: the operator before the operand. The error message names it if the operand is missing.
    private mutating func operand(after sign: (text: String, offset: Int)?) throws(ConditionError) -> Level.Operand {
        skipSpace()
        let offset = position
        switch next {
        case "!":
            return .not(try inside { (parser) throws(ConditionError) in try parser.operand(after: ("!", offset)) })
        case "(":
            let level = try inside { (parser) throws(ConditionError) in
                parser.skipSpace()
                if parser.next == ")" {
                    throw parser.fault(.emptyParentheses, at: offset, parser.position + 1 - offset)
                }
                if parser.next == nil { throw parser.fault(.unclosedParenthesis, at: offset, 1) }
                return try parser.level()
            }
            guard next == ")" else { throw fault(.unclosedParenthesis, at: offset, 1) }
            position += 1
            return .group(level)
        case nil, ")":
            let sign = sign ?? (")", offset)
            throw fault(
                sign.text == ")" ? .unopenedParenthesis : .nothingAfter(sign.text), at: sign.offset,
                sign.text.unicodeScalars.count)
        case "&", "|":
            let run = scalars[position...].prefix { $0 == next }.count
            throw fault(.nothingBefore(text(position, run)), at: position, run)
        default:
            return .topic(try term())
        }
    }

    /// Steps over one scalar and reads what follows it. It keeps the depth below ``maximumDepth``.
    private mutating func inside<Inner>(
        _ read: (inout Self) throws(ConditionError) -> Inner
    ) throws(ConditionError) -> Inner {
        guard depth < Self.maximumDepth else { throw fault(.tooDeep, at: position, 1) }
        depth += 1
        position += 1
        let inner = try read(&self)
        depth -= 1
        return inner
    }

    private mutating func operatorSign() throws(ConditionError) -> Condition.Expression.Operator {
        let offset = position
        for word in [Condition.Expression.Operator.and, .or] where text(offset, 2) == word.rawValue {
            position += 2
            return word
        }
        switch next {
        case "&": throw fault(.word("&", write: "&&"), at: offset, 1)
        case "|": throw fault(.word("|", write: "||"), at: offset, 1)
        default: break
        }
        let word = word(at: offset)
        switch word.lowercased() {
        case "and": throw fault(.word(word, write: "&&"), at: offset, word.unicodeScalars.count)
        case "or": throw fault(.word(word, write: "||"), at: offset, word.unicodeScalars.count)
        case "": throw fault(unexpectedOrNoOperator(at: offset), at: offset, 1)
        default: throw fault(.noOperator(before: word), at: offset, word.unicodeScalars.count)
        }
    }

    private func unexpectedOrNoOperator(at offset: Int) -> ConditionError.Problem {
        switch scalars[offset] {
        case "'", "\"": .noOperator(before: word(at: offset + 1))
        case "(", "!": .noOperator(before: text(offset, 1))
        default: .unexpected(text(offset, 1))
        }
    }

    /// Reads `'a' in topics`.
    private mutating func term() throws(ConditionError) -> TopicName {
        let offset = position
        let name = try quoted()
        let length = position - offset
        skipSpace()
        let here = position
        let first = word(at: here)
        position += first.unicodeScalars.count
        skipSpace()
        let second = word(at: position)
        if first.lowercased() == "not", second.lowercased() == "in" {
            throw fault(.notIn(name), at: here, position + 2 - here)
        }
        guard first == "in", second == "topics" else { throw fault(.noInTopics(name), at: offset, length) }
        position += second.unicodeScalars.count
        guard let topic = TopicName(rawValue: name) else {
            throw fault(name.hasPrefix("/topics/") ? .topicPrefix(name) : .topicName(name), at: offset + 1, length - 2)
        }
        terms += 1
        guard terms <= Condition.maximumTerms else {
            throw fault(.tooManyTerms(at: name), at: offset, position - offset)
        }
        return topic
    }

    /// Reads a name in quotes. It does not check the name.
    private mutating func quoted() throws(ConditionError) -> String {
        let offset = position
        switch next {
        case "'": break
        case "\"" where takesDoubleQuotes: break
        case "\"": throw fault(.quote("double ones"), at: offset, 1)
        case "‘", "’", "“", "”", "`", "´": throw fault(.quote(text(offset, 1)), at: offset, 1)
        default: throw noQuote(at: offset)
        }
        let length = scalars[(offset + 1)...].prefix { $0 != scalars[offset] }.count
        let name = text(offset + 1, length)
        let isClosed = offset + 1 + length < scalars.count
        let isUneven = !scalars.count(where: { $0 == scalars[offset] }).isMultiple(of: 2)
        if !isClosed || isUneven && TopicName(rawValue: name) == nil {
            throw fault(.unclosedQuote(word(at: offset + 1)), at: offset, 1)
        }
        guard length > 0 else { throw fault(.noTopic, at: offset, 2) }
        position += length + 2
        return name
    }

    private func noQuote(at offset: Int) -> ConditionError {
        let word = word(at: offset)
        let length = word.unicodeScalars.count
        return switch word.lowercased() {
        case "": fault(.unexpected(text(offset, 1)), at: offset, 1)
        case "not": fault(.word(word, write: "!"), at: offset, length)
        case "and", "or": fault(.nothingBefore(word), at: offset, length)
        default: fault(.bareWord(word), at: offset, length)
        }
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func skipSpace() {
        while let scalar = next, [" ", "\t", "\n", "\r"].contains(scalar) { position += 1 }
    }

    /// The run of topic characters that begins at an offset.
    private func word(at offset: Int) -> String {
        text(offset, scalars[offset...].prefix(while: TopicName.isAllowed).count)
    }

    private func text(_ offset: Int, _ length: Int) -> String {
        String(String.UnicodeScalarView(scalars[offset...].prefix(length)))
    }

    private func fault(_ problem: ConditionError.Problem, at offset: Int, _ length: Int = 0) -> ConditionError {
        ConditionError(problem: problem, offset: offset, length: length)
    }
}
