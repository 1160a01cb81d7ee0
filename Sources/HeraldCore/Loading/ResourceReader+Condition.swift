internal import FCM

extension ResourceReader {
    static let topicsKeys = KeyTable(["any", "all", "none"])

    /// A condition in FCM's own language, as its author wrote it.
    static func condition(_ node: Node, _ findings: inout Findings) -> Located<Campaign.Target>? {
        guard let text = node.string("'condition'", &findings) else { return nil }
        do throws(ConditionError) {
            return Located(.condition(try Condition(parsing: text.value)), at: text.range)
        } catch {
            findings.diagnostics.append(.condition(error, in: node, findings))
            return nil
        }
    }

    /// `{any: [a, b], all: [c], none: [d]}`.
    static func topics(_ node: Node, _ findings: inout Findings) -> Located<Campaign.Target>? {
        guard let fields = Fields(node, "'topics'", topicsKeys, &findings) else { return nil }
        let lists = topicsKeys.known.map { key in
            (fields.strings(key, &findings) ?? []).map { (written: $0, name: topicName($0, &findings)) }
        }
        let listed = lists.joined().sorted { $0.written.range.start < $1.written.range.start }
        let names = lists.map { $0.compactMap(\.name?.value) }
        guard names.joined().count == listed.count else { return nil }
        if let condition = Condition(any: names[0], all: names[1], none: names[2]) {
            return Located(.condition(condition), at: findings.at(node.range))
        }
        let surplus = listed.dropFirst(Condition.maximumTerms).first
        findings.diagnostics.append(
            .error(
                surplus == nil ? .conditionSyntax : .conditionTerms,
                surplus == nil
                    ? "'topics' names no topic"
                    : "a condition takes \(Condition.maximumTerms) topics, not \(listed.count)",
                at: surplus?.written.range ?? findings.at(node.range)))
        return nil
    }
}

extension Diagnostic {
    fileprivate static func condition(_ error: ConditionError, in node: Node, _ findings: Findings) -> Diagnostic {
        let rule: Rule =
            switch error.problem {
            case .mixedOperators: .conditionMixed
            case .tooManyTerms: .conditionTerms
            default: .conditionSyntax
            }
        let place = node.range(ofScalars: error.offset, error.length) ?? node.range
        let message =
            rule == .conditionMixed
            ? "the condition mixes && and || without parentheses: FCM reads it from left to right" : error.message
        var diagnostic = Diagnostic.error(
            rule, message, at: findings.at(place),
            notes: error.fixes.map { Note("\($0.meaning): \($0.text)", at: findings.at(node.range)) },
            help: error.fixes.first.map { "say which is meant by parentheses, as in \($0.text)" },
            replacement: error.replacement)
        // The fix keeps FCM's reading, so the recipients stay the same.
        if let kept = error.fixes.first { diagnostic.fix = .init(kept.text.quoted, at: node.range) }
        return diagnostic
    }
}

extension ConditionError {
    /// What to write instead of the wrong word, in any quotes.
    fileprivate var replacement: String? {
        if case .word(_, let meant) = problem, length > 0 { meant } else { nil }
    }
}
