extension ResourceReader {
    static let comparisonKeys = KeyTable(["not", "at_least", "below", "within", "before"])
    /// Shorter spans are no use for times in lists. No file writes a longer one.
    private static let spans: ClosedRange<Duration> = .seconds(60)...(.seconds(3650 * 86_400))

    static func filters(_ fields: Fields, _ findings: inout Findings) -> [Audience.Filter] {
        guard let node = fields["where"] else { return [] }
        guard let entries = node.mapping else {
            findings.error(.wrongType, "'where' must be a mapping, not \(node.kindName)", at: node.range)
            return []
        }
        return entries.flatMap { entry -> [Audience.Filter] in
            let column = Located(entry.key, at: findings.at(entry.keyRange))
            let tests =
                entry.value.mapping == nil
                ? [.oneOf(values(of: entry.value, "'\(entry.key)' lets nobody through", "'\(entry.key)'", &findings))]
                : comparisons(entry, &findings)
            return tests.map { Audience.Filter(column, $0) }
        }
    }

    /// - Parameter consequence: what no value means.
    private static func values(
        of node: Node, _ consequence: String, _ name: String, _ findings: inout Findings
    ) -> Set<String> {
        let values = node.sequence ?? [node]
        if values.isEmpty { findings.error(.invalidValue, "\(consequence): it has no value", at: node.range) }
        return Set(values.compactMap { $0.string("a value of \(name)", &findings)?.value })
    }

    /// All that a mapping asks of a column.
    private static func comparisons(_ entry: Node.Entry, _ findings: inout Findings) -> [Audience.Test] {
        let name = "'\(entry.key)'"
        guard let keys = Fields(entry.value, name, comparisonKeys, &findings) else { return [] }
        guard entry.value.mapping?.isEmpty == false else {
            findings.error(
                .invalidValue, "\(name) compares with nothing", at: entry.value.range,
                help: "it has: \(comparisonKeys.known.joined(separator: ", "))")
            return []
        }
        var tests: [Audience.Test] = []
        if let node = keys["not"] {
            tests.append(.not(values(of: node, "'not' leaves nobody out", "'not'", &findings)))
        }
        let least = bound("at_least", keys, instead: "within", &findings)
        let below = bound("below", keys, instead: "before", &findings)
        let within = span("within", keys, instead: "at_least", &findings)
        let before = span("before", keys, instead: "below", &findings)
        tests += [
            least.map { .atLeast($0) }, below.map { .below($0) }, within.map { .within($0) },
            before.map { .before($0) },
        ].compactMap(\.self)
        checkRange(entry.key, keys, tests, &findings)
        return tests
    }

    private static func bound(
        _ key: String, _ keys: Fields, instead: String, _ findings: inout Findings
    ) -> Bound? {
        guard let node = keys[key] else { return nil }
        var meant: String?
        if let scalar = node.scalar {
            if let date = Bound(date: scalar.text) { return date }
            if scalar.isPlain, scalar.text.isPlainNumber, let number = Bound(number: scalar.text) { return number }
            let isNumber = scalar.isPlain ? scalar.text.first != "0" : Bound(number: scalar.text) != nil
            meant = isNumber ? scalar.text.numberMeant.flatMap { $0.isPlainNumber ? $0 : nil } : nil
        }
        let isSpan = node.scalar.flatMap { Duration(written: $0.text) } != nil
        findings.error(
            .wrongType, "'\(key)' must be a number or a date", at: node.range,
            help: meant.map { "write \($0)" }
                ?? (isSpan
                    ? "'\(instead)' compares times with the plan's time"
                    : "write a number such as 1000 or 12.50, or a day such as 2027-05-31"),
            replacement: meant)
        return nil
    }

    private static func span(
        _ key: String, _ keys: Fields, instead: String, _ findings: inout Findings
    ) -> Duration? {
        guard let node = keys[key] else { return nil }
        if let text = node.scalar?.text, Bound(date: text) != nil {
            findings.error(
                .invalidValue, "'\(key)' must be a duration, not a day", at: node.range,
                help: "'\(instead)' compares with a day")
            return nil
        }
        guard let span = keys.duration(key, &findings) else { return nil }
        if spans.contains(span) { return span }
        findings.error(.invalidValue, "'\(key)' must be from 1m to 3650d", at: node.range)
        return nil
    }

    /// No value may pass only because no value can.
    private static func checkRange(
        _ column: String, _ keys: Fields, _ tests: [Audience.Test], _ findings: inout Findings
    ) {
        var first: (type: String, key: String)?
        for test in tests {
            guard let (type, key) = test.typeAndKey else { continue }
            if let first, first.type != type {
                findings.error(
                    .whereNever, "no value of '\(column)' is \(first.type) for '\(first.key)' and \(type) for '\(key)'",
                    at: keys.keyRange(key))
                return
            }
            first = first ?? (type, key)
        }
        for (test, other) in zip(tests, tests.dropFirst()) {
            switch (test, other) {
            case (.atLeast(let least), .below(let below)) where !least.precedes(below):
                findings.error(
                    .whereNever, "no value is at least \(least.text) and below \(below.text)",
                    at: keys["below"]?.range ?? keys.range)
            case (.within(let within), .before(let before)) where within <= before:
                findings.error(
                    .whereNever, "no time is within \(within.written) and before \(before.written) ago",
                    at: keys["before"]?.range ?? keys.range, help: "'within' is the longer span")
            default: break
            }
        }
    }
}

extension Audience.Test {
    /// The type of the values that can pass, and the operator's key. `nil` if any can.
    fileprivate var typeAndKey: (type: String, key: String)? {
        switch self {
        case .oneOf, .not: nil
        case .atLeast(let bound): (bound.kind.words, "at_least")
        case .below(let bound): (bound.kind.words, "below")
        case .within: ("a time", "within")
        case .before: ("a time", "before")
        }
    }
}

extension Bound.Kind {
    /// With its article.
    var words: String {
        switch self {
        case .number: "a number"
        case .date: "a date"
        }
    }
}

extension String {
    /// Whether all versions of YAML read it as the same number, and lists may have it.
    fileprivate var isPlainNumber: Bool {
        switch PlainScalar(self) {
        case .int, .double: true
        // A number of more than 64 bits.
        case .trap: first != "0" && utf8.drop { $0 == UInt8(ascii: "-") }.allSatisfy(\.isDigit)
        case .string, .null, .bool: false
        }
    }
}
