/// Builds the node trees of one file from libyaml's events, with limits against hostile files.
struct YAMLComposer {
    /// The deepest nesting, with aliases expanded.
    static let maximumDepth = 64
    /// The most values in a file. Long lists of registrations belong into list files, which need a tenth of the memory.
    static let maximumValues = 1_000_000
    /// The most anchors in a document.
    static let maximumAnchors = 10_000
    /// The most nodes that aliases and merge keys may add to a file.
    static let maximumExpansion = 1_000_000

    /// From this many items on, room for the rest of a list is reserved at once.
    private static let manyItems = 1000

    private let parser: YAMLParser
    private var findings: Findings
    private var anchors: [String: Anchored] = [:]
    private var values = 0
    private var expansion = 0

    /// A finished node with an anchor, and the size and height that an alias to it adds.
    private struct Anchored {
        var node: Node
        var weight: Int
        var height: Int
    }

    /// A composed node with its number of nodes and its height. A scalar has height 1.
    private struct Composed {
        var node: Node
        var weight = 1
        var height = 1
    }

    /// Why composing a file stopped early.
    private enum Stop: Error {
        case problem(Diagnostic)
        /// The limit of diagnostics is reached, and that was reported.
        case enough
    }

    /// Passes on the documents of a file one by one in order, so that none has to be kept. Empty ones are left out.
    /// Errors in the YAML go to `findings`. Once that is full, reading stops.
    static func compose(
        _ source: SourceText, _ findings: inout Findings, take: (Node, inout Findings) -> Void
    ) {
        source.bytes.withUnsafeBufferPointer { bytes in
            guard let parser = YAMLParser.over(bytes) else {
                findings.diagnostics.append(
                    .error(.fileUnreadable, "memory is short", at: SourceRange(file: source.file)))
                return
            }
            var composer = YAMLComposer(parser: parser, findings: findings)
            do throws(Stop) {
                try composer.checkTagHandles()
                while let document = try composer.nextDocument() { take(document, &composer.findings) }
            } catch {
                if case .problem(let diagnostic) = error { composer.findings.diagnostics.append(diagnostic) }
            }
            findings = composer.findings
        }
    }

    /// All documents of a file.
    static func documents(in source: SourceText) -> (documents: [Node], diagnostics: [Diagnostic]) {
        var findings = Findings(file: source.file)
        var documents: [Node] = []
        compose(source, &findings) { document, _ in documents.append(document) }
        return (documents, findings.diagnostics)
    }

    private init(parser: YAMLParser, findings: Findings) {
        self.parser = parser
        self.findings = findings
    }

    private func checkTagHandles() throws(Stop) {
        guard let place = parser.excessiveTagHandle else { return }
        let end = TextRange.Position(line: place.line, column: place.column + 4)
        throw limit(
            "the file declares more than \(YAMLParser.maximumTagHandles) handles for tags",
            .init(start: place, end: end))
    }

    private mutating func nextDocument() throws(Stop) -> Node? {
        while true {
            switch try next() {
            case .streamEnd: return nil
            case .documentStart:
                anchors = [:]
                let root = try compose(try next(), depth: 1)
                _ = try next()  // document end
                // An empty document composes to an empty plain scalar.
                if root.node.scalar != Node.Scalar(text: "", isPlain: true) { return root.node }
            default: continue
            }
        }
    }

    private func next() throws(Stop) -> YAMLParser.Event {
        do {
            return try parser.next()
        } catch {
            let end = TextRange.Position(line: error.position.line, column: error.position.column + 1)
            throw .problem(
                .error(
                    .yamlSyntax, error.message, at: findings.at(TextRange(start: error.position, end: end)),
                    help: Self.advice(on: error.message)))
        }
    }

    /// A hint about the author's mistake. libyaml's messages only tell what its parser met.
    private static func advice(on message: String) -> String? {
        if message.contains("mapping values are not allowed") {
            return
                "quote text that holds a colon and a space, or look at the indentation of this line and the one above"
        }
        if message.contains("cannot start any token") || message.contains("tab character") {
            return "indent with spaces, not tabs; quote text that begins with @ or `"
        }
        if message.contains("did not find expected key") || message.contains("block end") {
            return "this line or one above it is indented differently from its neighbours"
        }
        if message.contains("scanning an alias") { return "quote text that begins with *, such as a cron" }
        if isAboutEscapes(message) {
            return message.contains("escape code")
                ? "JSON writes an emoji as two halves (\\ud83d\\ude00); write the emoji itself, or \"\\U0001F600\""
                : "write \\\\ where a backslash is meant"
        }
        if message.contains("quoted scalar") { return "a quote is not closed" }
        if message.contains("flow mapping") || message.contains("flow sequence") { return "a bracket is not closed" }
        return nil
    }

    /// Whether it is about what follows a backslash between double quotes.
    static func isAboutEscapes(_ message: String) -> Bool {
        ["escape code", "escape character", "hexdecimal"].contains { message.contains($0) }
    }

    /// - Parameter event: the parser's current event. The events that belong to the value are consumed.
    private mutating func compose(_ event: YAMLParser.Event, depth: Int) throws(Stop) -> Composed {
        let range = parser.range
        try admit(range, depth: depth)
        let (anchor, tag) = (parser.anchor, parser.tag)
        let composed: Composed
        switch event {
        case .longScalar: throw limit("a value is longer than \(YAMLParser.maximumScalar >> 20) MiB", range)
        case .scalar:
            var scalar = parser.scalar
            if tag == "tag:yaml.org,2002:str" { scalar.isPlain = false } else { check(tag, is: nil, range) }
            composed = Composed(node: Node(content: .scalar(scalar), range: range))
        case .sequenceStart:
            check(tag, is: "tag:yaml.org,2002:seq", range)
            composed = try composeSequence(from: range, depth: depth)
        case .mappingStart:
            check(tag, is: "tag:yaml.org,2002:map", range)
            composed = try composeMapping(from: range, depth: depth)
        case .alias: return try expand(anchor ?? "", at: range, depth: depth)
        default: throw .problem(.error(.yamlSyntax, "a value is missing", at: findings.at(range)))
        }
        if let anchor { try remember(composed, as: anchor) }
        return composed
    }

    /// Counts a value against the limits.
    private mutating func admit(_ range: TextRange, depth: Int) throws(Stop) {
        guard depth <= Self.maximumDepth else { throw limit("nesting is deeper than \(Self.maximumDepth)", range) }
        guard !findings.isFull else { throw .enough }
        values += 1
        guard values <= Self.maximumValues else {
            throw limit("the file holds more than \(Self.maximumValues) values", range)
        }
    }

    private mutating func composeSequence(from start: TextRange, depth: Int) throws(Stop) -> Composed {
        var whole = Composed(node: Node(content: .sequence([]), range: start))
        var items: [Node] = []
        let begin = parser.consumed
        while true {
            let event = try next()
            if event == .sequenceEnd {
                let span = Self.span(from: start, to: parser.range, lastOf: items)
                whole.node = Node(content: .sequence(items), range: span)
                return whole
            }
            if items.count == Self.manyItems {
                // Reserves room for all items that the rest of the file can hold. Growing step by step costs twice the
                // memory.
                let sizeOfOne = max(1, (parser.consumed - begin) / items.count)
                items.reserveCapacity(
                    min(items.count + (parser.size - parser.consumed) / sizeOfOne + 1, Self.maximumValues))
            }
            let item = try compose(event, depth: depth + 1)
            whole.weight += item.weight
            whole.height = max(whole.height, item.height + 1)
            items.append(item.node)
        }
    }

    private mutating func composeMapping(from start: TextRange, depth: Int) throws(Stop) -> Composed {
        var whole = Composed(node: Node(content: .mapping([]), range: start))
        var entries: [Node.Entry] = []
        var seen: [String: TextRange] = [:]
        var merges: [(value: Node, range: TextRange)] = []
        let span: TextRange
        while true {
            let event = try next()
            let range = parser.range
            if event == .mappingEnd {
                span = Self.span(from: start, to: range, lastOf: entries.map(\.value))
                break
            }
            let key = try compose(event, depth: depth + 1)
            let value = try compose(try next(), depth: depth + 1)
            whole.weight += value.weight + 1
            whole.height = max(whole.height, value.height + 1)
            guard let name = key.node.scalar else {
                findings.error(.wrongType, "a key must be a single value", at: range)
                continue
            }
            if name.isPlain, name.text == "<<" {
                merges.append((value.node, range))
            } else if let first = seen[name.text] {
                findings.diagnostics.append(
                    .error(
                        .duplicateKey, "key '\(name.text)' stands twice", at: findings.at(range),
                        notes: [.init("first here", at: findings.at(first))]))
            } else {
                seen[name.text] = range
                entries.append(Node.Entry(key: name.text, keyRange: range, value: value.node))
            }
        }
        for merge in merges {
            for entry in merged(merge.value, at: merge.range) where seen[entry.key] == nil {
                seen[entry.key] = entry.keyRange
                entries.append(entry)
            }
        }
        whole.node = Node(content: .mapping(entries), range: span)
        return whole
    }

    /// The range of a collection, up to its closing bracket. A block collection has none: its end mark is empty and
    /// lies after the following blank lines. So it ends with its last value.
    private static func span(from start: TextRange, to end: TextRange, lastOf values: [Node]) -> TextRange {
        let last = end.start < end.end ? end.end : values.map(\.range.end).max() ?? start.end
        return TextRange(start: start.start, end: max(last, start.end))
    }

    /// The entries of a merge key: those of a mapping, or of a list of mappings. The first one with a key wins.
    private mutating func merged(_ value: Node, at range: TextRange) -> [Node.Entry] {
        if let entries = value.mapping { return entries }
        if let nodes = value.sequence, nodes.allSatisfy({ $0.mapping != nil }) {
            return nodes.flatMap { $0.mapping ?? [] }
        }
        findings.error(
            .mergeKey, "a merge key takes a mapping or a list of mappings, not \(value.kindName)", at: range)
        return []
    }

    private mutating func expand(_ name: String, at range: TextRange, depth: Int) throws(Stop) -> Composed {
        guard let anchored = anchors[name] else {
            throw .problem(.error(.undefinedAlias, "alias '*\(name)' has no anchor before it", at: findings.at(range)))
        }
        expansion += anchored.weight
        guard expansion <= Self.maximumExpansion else {
            throw limit("aliases expand to more than \(Self.maximumExpansion) values", range)
        }
        guard depth + anchored.height - 1 <= Self.maximumDepth else {
            throw limit("nesting is deeper than \(Self.maximumDepth) once '*\(name)' is expanded", range)
        }
        return Composed(node: anchored.node, weight: anchored.weight, height: anchored.height)
    }

    private mutating func remember(_ composed: Composed, as anchor: String) throws(Stop) {
        guard anchors.count < Self.maximumAnchors else {
            throw limit("a document holds more than \(Self.maximumAnchors) anchors", composed.node.range)
        }
        anchors[anchor] = Anchored(node: composed.node, weight: composed.weight, height: composed.height)
    }

    private mutating func check(_ tag: String?, is expected: String?, _ range: TextRange) {
        guard let tag, tag != expected else { return }
        findings.error(
            .yamlTag, "tag '\(tag)' has no meaning here", at: range, help: "leave it out; quotes make a value text")
    }

    private func limit(_ message: String, _ range: TextRange) -> Stop {
        .problem(.error(.yamlLimit, message, at: findings.at(range)))
    }
}
