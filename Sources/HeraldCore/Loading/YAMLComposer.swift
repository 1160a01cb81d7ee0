/// Builds the node trees of one file from libyaml's events, within limits that keep hostile files harmless.
struct YAMLComposer {
    /// Deepest nesting, aliases expanded.
    static let maximumDepth = 64
    /// Values that a file may hold. Those of many registrations belong into a list, which takes a tenth of the memory.
    static let maximumValues = 1_000_000
    /// Mistakes of a file that are shown; one with more is not read on.
    static let maximumMistakes = 1000
    /// Nodes that aliases and merge keys may add to a file.
    static let maximumExpansion = 1_000_000

    private let file: String
    private let parser: YAMLParser
    private var anchors: [String: Anchored] = [:]
    private var values = 0
    private var expansion = 0
    private var diagnostics: [Diagnostic] = []

    /// A finished node that has an anchor, with the size and height that an alias to it adds.
    private struct Anchored {
        var node: Node
        var weight: Int
        var height: Int
    }

    /// A composed node with its number of nodes and its height (a scalar's is 1).
    private struct Composed {
        var node: Node
        var weight = 1
        var height = 1
    }

    /// Why a file could not be composed to its end; the diagnostic says it.
    private struct Stop: Error {
        var diagnostic: Diagnostic
    }

    /// The documents of a file in their order; empty documents are left out.
    static func documents(in source: SourceText) -> (documents: [Node], diagnostics: [Diagnostic]) {
        source.bytes.withUnsafeBufferPointer { bytes in
            guard let parser = YAMLParser(bytes) else {
                return ([], [.error(.fileUnreadable, "memory is short", at: SourceRange(file: source.file))])
            }
            var composer = YAMLComposer(file: source.file, parser: parser)
            var documents: [Node] = []
            do throws(Stop) {
                while let document = try composer.nextDocument() {
                    documents.append(document)
                }
            } catch {
                composer.diagnostics.append(error.diagnostic)
            }
            return (documents, composer.diagnostics)
        }
    }

    private init(file: String, parser: YAMLParser) {
        self.file = file
        self.parser = parser
    }

    private mutating func nextDocument() throws(Stop) -> Node? {
        while true {
            switch try next().event {
            case .streamEnd: return nil
            case .documentStart:
                anchors = [:]
                let (event, range) = try next()
                let root = try compose(event, range, depth: 1)
                _ = try next()  // document end
                // An empty document composes to an empty plain scalar.
                if root.node.scalar != Node.Scalar(text: "", isPlain: true) { return root.node }
            default: continue
            }
        }
    }

    private func next() throws(Stop) -> (event: YAMLParser.Event, range: TextRange) {
        do {
            return try parser.next()
        } catch {
            let end = TextRange.Position(line: error.position.line, column: error.position.column + 1)
            throw Stop(
                diagnostic: .error(
                    .yamlSyntax, error.message,
                    at: SourceRange(file: file, text: TextRange(start: error.position, end: end)),
                    help: Self.advice(on: error.message)))
        }
    }

    /// libyaml says what it met; people want to know what they did.
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
        if message.contains("quoted scalar") { return "a quote is not closed" }
        if message.contains("flow mapping") || message.contains("flow sequence") { return "a bracket is not closed" }
        return nil
    }

    private mutating func compose(
        _ event: YAMLParser.Event, _ range: TextRange, depth: Int
    ) throws(Stop) -> Composed {
        guard depth <= Self.maximumDepth else { throw limit("nesting is deeper than \(Self.maximumDepth)", range) }
        guard diagnostics.count < Self.maximumMistakes else {
            throw limit("the file holds more than \(Self.maximumMistakes) mistakes", range)
        }
        values += 1
        guard values <= Self.maximumValues else {
            throw limit("the file holds more than \(Self.maximumValues) values", range)
        }
        switch event {
        case .longScalar: throw limit("a value is longer than \(YAMLParser.maximumScalar >> 20) MiB", range)
        case .scalar(var scalar, let anchor, let tag):
            if let tag {
                if tag == "tag:yaml.org,2002:str" { scalar.isPlain = false } else { reportTag(tag, range) }
            }
            return remember(Composed(node: Node(content: .scalar(scalar), range: range)), as: anchor)
        case .sequenceStart(let anchor, let tag):
            if let tag, tag != "tag:yaml.org,2002:seq" { reportTag(tag, range) }
            return remember(try composeSequence(from: range, depth: depth), as: anchor)
        case .mappingStart(let anchor, let tag):
            if let tag, tag != "tag:yaml.org,2002:map" { reportTag(tag, range) }
            return remember(try composeMapping(from: range, depth: depth), as: anchor)
        case .alias(let name):
            return try expand(name, at: range, depth: depth)
        default:
            throw Stop(
                diagnostic: .error(.yamlSyntax, "a value is missing", at: SourceRange(file: file, text: range)))
        }
    }

    private mutating func composeSequence(from start: TextRange, depth: Int) throws(Stop) -> Composed {
        var whole = Composed(node: Node(content: .sequence([]), range: start))
        var items: [Node] = []
        while true {
            let (event, range) = try next()
            if case .sequenceEnd = event {
                let span = Self.span(from: start, to: range, lastOf: items)
                whole.node = Node(content: .sequence(items), range: span)
                return whole
            }
            let item = try compose(event, range, depth: depth + 1)
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
            let (event, range) = try next()
            if case .mappingEnd = event {
                span = Self.span(from: start, to: range, lastOf: entries.map(\.value))
                break
            }
            let key = try compose(event, range, depth: depth + 1)
            let (valueEvent, valueRange) = try next()
            let value = try compose(valueEvent, valueRange, depth: depth + 1)
            whole.weight += value.weight + 1
            whole.height = max(whole.height, value.height + 1)
            guard let name = key.node.scalar else {
                diagnostics.append(
                    .error(.wrongType, "a key must be a single value", at: SourceRange(file: file, text: range)))
                continue
            }
            if name.isPlain, name.text == "<<" {
                merges.append((value.node, range))
            } else if let first = seen[name.text] {
                diagnostics.append(
                    .error(
                        .duplicateKey, "key '\(name.text)' stands twice", at: SourceRange(file: file, text: range),
                        notes: [.init("first here", at: SourceRange(file: file, text: first))]))
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

    /// From a collection's first mark to its bracket. A block has none: its end mark, which has no width, lies behind
    /// the blank lines that follow, so that it ends with its last value.
    private static func span(from start: TextRange, to end: TextRange, lastOf values: [Node]) -> TextRange {
        let last = end.start < end.end ? end.end : values.map(\.range.end).max() ?? start.end
        return TextRange(start: start.start, end: max(last, start.end))
    }

    /// The entries a merge key brings: a mapping's own, or those of a list of mappings, the first to name a key winning.
    private mutating func merged(_ value: Node, at range: TextRange) -> [Node.Entry] {
        if let entries = value.mapping { return entries }
        if let nodes = value.sequence, nodes.allSatisfy({ $0.mapping != nil }) {
            return nodes.flatMap { $0.mapping ?? [] }
        }
        diagnostics.append(
            .error(
                .mergeKey, "a merge key takes a mapping or a list of mappings, not \(value.kindName)",
                at: SourceRange(file: file, text: range)))
        return []
    }

    private mutating func expand(_ name: String, at range: TextRange, depth: Int) throws(Stop) -> Composed {
        guard let anchored = anchors[name] else {
            throw Stop(
                diagnostic: .error(
                    .undefinedAlias, "alias '*\(name)' has no anchor before it",
                    at: SourceRange(file: file, text: range)))
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

    private mutating func remember(_ composed: Composed, as anchor: String?) -> Composed {
        if let anchor {
            anchors[anchor] = Anchored(node: composed.node, weight: composed.weight, height: composed.height)
        }
        return composed
    }

    private mutating func reportTag(_ tag: String, _ range: TextRange) {
        diagnostics.append(
            .error(
                .yamlTag, "tag '\(tag)' has no meaning here", at: SourceRange(file: file, text: range),
                help: "leave it out; quotes make a value text"))
    }

    private func limit(_ message: String, _ range: TextRange) -> Stop {
        Stop(diagnostic: .error(.yamlLimit, message, at: SourceRange(file: file, text: range)))
    }
}
