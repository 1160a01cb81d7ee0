/// The keys that a mapping may have.
package struct KeyTable: Sendable {
    package var known: [String]
    package var required: [String]

    package init(_ known: [String], required: [String] = []) {
        self.known = known
        self.required = required
    }
}

/// The entries of one mapping, checked against the known keys. Each value is read as a given type.
struct Fields {
    /// A name for the mapping in messages: "a campaign", "'target'".
    let name: String
    let range: TextRange
    /// At most one entry for each known key. They are so few that searching all of them is faster than a table.
    private let entries: [Node.Entry]

    /// `nil` if the node is not a mapping. Wrong keys are reported, and the others are kept.
    init?(_ node: Node, _ name: String, _ keys: KeyTable, _ findings: inout Findings) {
        guard let all = node.mapping else {
            findings.error(.wrongType, "\(name) must be a mapping, not \(node.kindName)", at: node.range)
            return nil
        }
        self.name = name
        range = node.range
        var entries: [Node.Entry] = []
        for entry in all where !findings.isFull {
            if keys.known.contains(entry.key) {
                entries.append(entry)
            } else {
                findings.unknownKey(entry, of: name, keys.known, among: all)
            }
        }
        for key in keys.required where !entries.contains(where: { $0.key == key }) {
            let place = TextRange(start: node.range.start, end: all.first?.keyRange.end ?? node.range.end)
            findings.error(.missingKey, "\(name) needs '\(key)'", at: place)
        }
        self.entries = entries
    }

    subscript(_ key: String) -> Node? { entry(key)?.value }

    func keyRange(_ key: String) -> TextRange { entry(key)?.keyRange ?? range }

    private func entry(_ key: String) -> Node.Entry? { entries.first { $0.key == key } }

    func string(_ key: String, _ findings: inout Findings) -> Located<String>? {
        self[key]?.string("'\(key)'", &findings)
    }

    func bool(_ key: String, _ findings: inout Findings) -> Bool? {
        guard let node = self[key] else { return nil }
        if let scalar = node.scalar, scalar.isPlain, case .bool(let value) = PlainScalar(scalar.text) { return value }
        let meant = node.scalar.flatMap { Bool(meantBy: $0.text) }
        findings.error(
            .wrongType, "'\(key)' must be true or false", at: node.range, help: meant.map { "write \($0)" },
            replacement: meant.map { "\($0)" })
        return nil
    }

    func int(_ key: String, in allowed: ClosedRange<Int>, _ findings: inout Findings) -> Int? {
        guard let node = self[key] else { return nil }
        if let scalar = node.scalar, scalar.isPlain, case .int(let value) = PlainScalar(scalar.text),
            let value = Int(exactly: value), allowed.contains(value)
        {
            return value
        }
        let bounds =
            allowed.upperBound == .max
            ? "of at least \(allowed.lowerBound)" : "from \(allowed.lowerBound) to \(allowed.upperBound)"
        let meant = node.scalar.flatMap { Int(meantBy: $0.text) }.flatMap { allowed.contains($0) ? $0 : nil }
        findings.error(
            .wrongType, "'\(key)' must be a whole number \(bounds)", at: node.range, help: meant.map { "write \($0)" },
            replacement: meant.map { "\($0)" })
        return nil
    }

    /// `90s`, `5m`, `4h`, `2d`, `250ms`. Negative durations are refused.
    func duration(_ key: String, _ findings: inout Findings) -> Duration? {
        guard let node = self[key] else { return nil }
        if let scalar = node.scalar, let duration = Duration(written: scalar.text) { return duration }
        let meant = node.scalar.flatMap { Duration.spelling(meantBy: $0.text) }
        findings.error(
            .invalidValue, "'\(key)' must be a duration", at: node.range,
            help: meant.map { "write \($0)" } ?? "write a whole number and ms, s, m, h or d, as in 90s or 4h",
            replacement: meant)
        return nil
    }

    func rate(_ key: String, _ findings: inout Findings) -> Rate? {
        guard let node = self[key] else { return nil }
        if let scalar = node.scalar, let rate = Rate(written: scalar.text) { return rate }
        findings.error(
            .invalidValue, "'\(key)' must be a rate", at: node.range,
            help: "write 500/s, 30000/min (60/min or more) or unlimited")
        return nil
    }

    /// One of a type's raw values.
    func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ findings: inout Findings
    ) -> Value? {
        guard let text = string(key, &findings) else { return nil }
        if let value = Value(rawValue: text.value) { return value }
        let values = Value.allCases.map(\.rawValue)
        let all = values.dropLast().joined(separator: ", ") + (values.last.map { " or \($0)" } ?? "")
        let near = findings.advice.nearest(to: text.value, among: values)
        findings.diagnostics.append(
            .error(
                .invalidValue, "'\(key)' must be \(all)", at: text.range, help: near.map { "did you mean '\($0)'?" },
                replacement: near))
        return nil
    }

    /// A list of strings with their places.
    func strings(_ key: String, _ findings: inout Findings) -> [Located<String>]? {
        guard let node = self[key] else { return nil }
        guard let items = node.sequence else {
            findings.error(.wrongType, "'\(key)' must be a list, not \(node.kindName)", at: node.range)
            return nil
        }
        return items.compactMap { $0.string("an entry of '\(key)'", &findings) }
    }
}

extension Node {
    /// The node as text. If YAML could read a plain scalar as another type, it is refused and the message shows the
    /// quoted form.
    func string(_ name: String, _ findings: inout Findings) -> Located<String>? {
        guard let scalar else {
            findings.error(.wrongType, "\(name) must be text, not \(kindName)", at: range)
            return nil
        }
        if scalar.isPlain, !scalar.isExpanded {
            switch PlainScalar(scalar.text) {
            case .string: break
            case .null:
                findings.error(.nullValue, "\(name) has no value", at: range, help: "leave the key out, or write \"\"")
                return nil
            case .bool: reportAmbiguity("a boolean", name, scalar.text, &findings)
            case .int, .double: reportAmbiguity("a number", name, scalar.text, &findings)
            case .trap(let reading): reportAmbiguity(reading, name, scalar.text, &findings)
            }
        }
        return Located(scalar.text, at: findings.at(range))
    }

    func reportAmbiguity(_ reading: String, _ name: String, _ text: String, _ findings: inout Findings) {
        findings.error(
            .ambiguousScalar, "\(name) must be text, and YAML reads \(text) as \(reading)", at: range,
            help: "write \(text.quoted)", replacement: text.quoted)
    }
}
