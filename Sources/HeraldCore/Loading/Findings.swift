/// The diagnostics gathered while one file is read: the first ``limit`` of them, and that there are more.
struct Findings {
    /// Nobody mends more at once, and a hostile file could hold a million.
    static let limit = 1000

    let file: String
    var advice = Advice()
    /// Whether there are more than are kept, so that to look for others is of no use.
    private(set) var isFull = false
    var diagnostics: [Diagnostic] = [] {
        didSet {
            guard diagnostics.count > Self.limit else { return }
            let firstTooMany = diagnostics[Self.limit]
            diagnostics.removeSubrange((isFull ? Self.limit + 1 : Self.limit)...)
            if isFull { return }
            isFull = true
            diagnostics.append(
                .error(.yamlLimit, "the file holds more than \(Self.limit) mistakes", at: firstTooMany.range))
        }
    }

    init(file: String) { self.file = file }

    func at(_ range: TextRange) -> SourceRange { SourceRange(file: file, text: range) }

    /// - Parameter replacement: what mends it when it stands where `range` is.
    mutating func error(
        _ rule: Rule, _ message: String, at range: TextRange, help: String? = nil, replacement: String? = nil
    ) {
        diagnostics.append(.error(rule, message, at: at(range), help: help, replacement: replacement))
    }

    /// - Parameter replacement: what mends it when it stands where `range` is.
    mutating func warning(
        _ rule: Rule, _ message: String, at range: TextRange, help: String? = nil, replacement: String? = nil
    ) {
        diagnostics.append(.warning(rule, message, at: at(range), help: help, replacement: replacement))
    }

    /// Says what was meant where YAML could not read what is there, or read it as something else.
    mutating func explainSyntax(of source: SourceText) {
        SyntaxAdvice(source)?.improve(&diagnostics)
        LeftoverSyntax(source).explain(&diagnostics)
    }

    /// That a key is none of those there are, with the one that was meant.
    mutating func unknownKey(_ entry: Node.Entry, of name: String, _ known: [String], among all: [Node.Entry]) {
        guard !isFull else { return }
        let near = advice.nearest(to: entry.key, among: known)
        error(
            .unknownKey, "'\(entry.key)' is not a key of \(name)", at: entry.keyRange,
            help: near.map { "did you mean '\($0)'?" } ?? "it has: \(known.joined(separator: ", "))",
            replacement: near.flatMap { near in all.contains { $0.key == near } ? nil : near })
    }
}

/// The diagnostics of a look at many files, of each file as many as ``Findings`` keeps.
struct FindingsOfFiles {
    private var findings: [String: Findings] = [:]
    private var advice = Advice()

    /// - Parameter make: is not called where the file has enough of them.
    mutating func add(at range: SourceRange, _ make: (inout Advice) -> Diagnostic) {
        guard findings[range.file]?.isFull != true else { return }
        findings[range.file, default: Findings(file: range.file)].diagnostics.append(make(&advice))
    }

    var diagnostics: [Diagnostic] { findings.values.flatMap(\.diagnostics) }
}
