/// Why a text is not a condition, and where the error is.
package struct ConditionError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        case empty
        case noTopic
        case topicName(String)
        case topicPrefix(String)
        case unclosedQuote(String)
        case quote(String)
        case bareWord(String)
        case noInTopics(String)
        case notIn(String)
        /// `write` is the operator that the author probably meant.
        case word(String, write: String)
        case nothingBefore(String)
        case nothingAfter(String)
        case noOperator(before: String)
        case unclosedParenthesis
        case unopenedParenthesis
        case emptyParentheses
        case unexpected(String)
        case tooManyTerms(at: String)
        case tooDeep
        /// `&&` and `||` on one level: how FCM reads it, and how most languages would.
        case mixedOperators(leftToRight: Condition, andFirst: Condition)
    }

    /// A whole condition that the author can write instead.
    package struct Fix: Hashable, Sendable {
        package var meaning: String
        package var text: String
    }

    package let problem: Problem
    /// Where the error begins in the text, counted in Unicode scalars from 0.
    package let offset: Int
    /// How many Unicode scalars it covers. 0 means that something is missing there.
    package let length: Int

    package var description: String { message }

    package var message: String {
        switch problem {
        case .empty: "the condition is empty"
        case .noTopic: "there is no topic between the quotes"
        case .topicName(let name):
            "'\(name.shortened)' is not a topic name: 1 to \(TopicName.maximumLength) characters of a-z A-Z 0-9 - _ . ~ %"
        case .topicPrefix(let name):
            "'\(name.shortened)' begins with '/topics/': a condition holds a topic's bare name"
        case .unclosedQuote(""): "this quote is never closed"
        case .unclosedQuote(let rest): "the quote before '\(rest.shortened)' is never closed"
        case .quote(let quote): "FCM takes topics in single quotes, not in \(quote)"
        case .bareWord(let word): "topic '\(word.shortened)' is not in single quotes"
        case .noInTopics(let topic): "'\(topic.shortened)' is not followed by 'in topics'"
        case .notIn(let topic): "'not in' is not FCM's: write !('\(topic.shortened)' in topics)"
        case .word(let word, let meant): "'\(word)' is not an operator: write \(meant)"
        case .nothingBefore(let sign): "there is no topic before '\(sign)'"
        case .nothingAfter(let sign): "there is no topic after '\(sign)'"
        case .noOperator(let next): "there is no && or || before '\(next.shortened)'"
        case .unclosedParenthesis: "this parenthesis is never closed"
        case .unopenedParenthesis: "this parenthesis closes nothing"
        case .emptyParentheses: "there is no topic between the parentheses"
        case .unexpected(let text): "'\(text.shortened)' has no place in a condition"
        case .tooManyTerms(let topic):
            "'\(topic.shortened)' is one topic too many: FCM takes \(Condition.maximumTerms) in a condition"
        case .tooDeep:
            "more than \(ConditionParser.maximumDepth) parentheses and negations stand inside one another"
        case .mixedOperators: "&& and || are mixed without parentheses: FCM reads from left to right"
        }
    }

    /// Possible corrections. The one that keeps FCM's meaning comes first.
    package var fixes: [Fix] {
        guard case .mixedOperators(let leftToRight, let andFirst) = problem else { return [] }
        let kept = Fix(meaning: "as FCM reads it", text: leftToRight.description)
        if leftToRight == andFirst { return [kept] }
        return [kept, Fix(meaning: "&& before ||", text: andFirst.description)]
    }
}

extension String {
    /// The text, cut to the length that a message may repeat.
    fileprivate var shortened: String {
        unicodeScalars.count > 60 ? String(String.UnicodeScalarView(unicodeScalars.prefix(60))) + "…" : self
    }
}
