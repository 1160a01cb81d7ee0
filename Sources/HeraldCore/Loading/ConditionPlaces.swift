internal import FCM

/// Where the terms of a campaign's condition are written, in the order of the condition.
struct ConditionPlaces {
    /// One term: the place of its topic, and of the whole `'topic' in topics`.
    struct Term {
        var topic: Located<TopicName>
        var range: TextRange
    }

    let terms: [Term]
    private let node: Node
    /// The text and the offsets of its terms. `nil` if the target is lists of topics.
    private let text: (scalars: [Unicode.Scalar], terms: [Range<Int>])?

    /// `nil` if the target is not a valid condition.
    init?(_ target: Node?, _ condition: Condition, file: String) {
        guard let entry = target?.mapping?.first(where: { $0.key == "condition" || $0.key == "topics" }) else {
            return nil
        }
        node = entry.value
        let at = { (range: TextRange) in SourceRange(file: file, text: range) }
        if entry.key == "condition" {
            let scalars = Array((node.scalar?.text ?? "").unicodeScalars)
            let found = Self.terms(in: scalars)
            text = (scalars, found.map(\.whole))
            terms = found.compactMap { [node] place in
                let name = String(String.UnicodeScalarView(scalars[place.name]))
                guard let topic = TopicName(rawValue: name) else { return nil }
                let part = { (range: Range<Int>) in node.range(ofScalars: range.lowerBound, range.count) ?? node.range }
                return Term(topic: Located(topic, at: at(part(place.name))), range: part(place.whole))
            }
        } else {
            text = nil
            let lists = ResourceReader.topicsKeys.known.compactMap { key in
                entry.value.mapping?.first { $0.key == key }?.value.sequence
            }
            terms = lists.joined().compactMap { item in
                guard let topic = item.scalar.flatMap({ TopicName(rawValue: $0.text) }) else { return nil }
                return Term(topic: Located(topic, at: at(item.range)), range: item.range)
            }
        }
        guard terms.count == condition.expression.termCount else { return nil }
    }

    /// The place of the condition's text. `nil` for lists of topics.
    var whole: TextRange? { text == nil ? nil : node.range }

    /// The range in the file that holds exactly these terms, with their parentheses and negations.
    func range(of indices: Range<Int>) -> TextRange {
        guard indices.count < terms.count, !indices.isEmpty else { return node.range }
        guard let text else {
            let ranges = terms[indices].map(\.range).sorted { $0.start < $1.start }
            guard ranges.count == 1 else { return node.range }
            return ranges[0]
        }
        var start = text.terms[indices.lowerBound].lowerBound
        var end = text.terms[indices.upperBound - 1].upperBound
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let balance = { (range: Range<Int>) in
            text.scalars[range].reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) }
        }
        while true {
            let before = text.scalars[..<start].lastIndex { !isSpace($0) }
            let after = text.scalars[end...].firstIndex { !isSpace($0) }
            let missing = balance(start..<end)
            if let after, text.scalars[after] == ")", missing > 0 {
                end = after + 1
            } else if let before, text.scalars[before] == "(", missing < 0 {
                start = before
            } else if let before, let after, text.scalars[before] == "(", text.scalars[after] == ")" {
                (start, end) = (before, after + 1)
            } else if let before, text.scalars[before] == "!" {
                start = before
            } else {
                return node.range(ofScalars: start, end - start) ?? node.range
            }
        }
    }

    /// The terms of a valid condition.
    private static func terms(in scalars: [Unicode.Scalar]) -> [(name: Range<Int>, whole: Range<Int>)] {
        var found: [(name: Range<Int>, whole: Range<Int>)] = []
        var index = 0
        while index < scalars.count {
            defer { index += 1 }
            guard scalars[index] == "'" || scalars[index] == "\"" else { continue }
            let start = index
            guard let close = scalars[(start + 1)...].firstIndex(of: scalars[start]) else { break }
            // Two more words follow: 'in topics'.
            var end = close + 1
            for _ in 0..<2 {
                while end < scalars.count, scalars[end].properties.isWhitespace { end += 1 }
                while end < scalars.count, scalars[end].properties.isAlphabetic { end += 1 }
            }
            found.append((start + 1..<close, start..<end))
            index = end - 1
        }
        return found
    }
}

extension Condition.Expression {
    /// The number of topics, repeated ones included.
    var termCount: Int {
        switch self {
        case .topic: 1
        case .not(let inner): inner.termCount
        case .and(let one, let other), .or(let one, let other): one.termCount + other.termCount
        }
    }
}
