/// The diagnostics found in one file: the first ``limit`` of them, and whether there are more.
struct Findings {
    /// Nobody fixes more at once, and a hostile file could cause a million.
    static let limit = 1000

    let file: String
    var advice = Advice()
    /// Whether the limit is reached, so that searching on is useless.
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

    /// How many errors there are so far.
    var errors: Int { diagnostics.count { $0.severity == .error } }

    func at(_ range: TextRange) -> SourceRange { SourceRange(file: file, text: range) }

    /// - Parameter replacement: the text that fixes the mistake if it replaces `range`.
    mutating func error(
        _ rule: Rule, _ message: String, at range: TextRange, help: String? = nil, replacement: String? = nil
    ) {
        diagnostics.append(.error(rule, message, at: at(range), help: help, replacement: replacement))
    }

    /// - Parameter replacement: the text that fixes the mistake if it replaces `range`.
    mutating func warning(
        _ rule: Rule, _ message: String, at range: TextRange, help: String? = nil, replacement: String? = nil
    ) {
        diagnostics.append(.warning(rule, message, at: at(range), help: help, replacement: replacement))
    }

    mutating func advice(_ rule: Rule, _ message: String, at range: TextRange, help: String? = nil) {
        var diagnostic = Diagnostic.warning(rule, message, at: at(range), help: help)
        diagnostic.severity = .info
        diagnostics.append(diagnostic)
    }

    /// Improves messages about text that YAML could not read, or read differently from what the author meant.
    mutating func explainSyntax(of source: SourceText) {
        SyntaxAdvice(source)?.improve(&diagnostics)
        LeftoverSyntax(source).explain(&diagnostics)
    }

    /// Reports an unknown key and suggests the key that was probably meant.
    mutating func unknownKey(_ entry: Node.Entry, of name: String, _ known: [String], among all: [Node.Entry]) {
        guard !isFull else { return }
        let near = advice.nearest(to: entry.key, among: known)
        error(
            .unknownKey, "'\(entry.key)' is not a key of \(name)", at: entry.keyRange,
            help: near.map { "did you mean '\($0)'?" } ?? "it has: \(known.joined(separator: ", "))",
            replacement: near.flatMap { near in all.contains { $0.key == near } ? nil : near })
    }
}

/// The diagnostics found in many files, with the limit of ``Findings`` for each one.
struct FindingsOfFiles {
    private var findings: [String: Findings] = [:]
    private var advice = Advice()

    /// - Parameter make: not called if the file has reached the limit.
    mutating func add(at range: SourceRange, _ make: (inout Advice) -> Diagnostic) {
        guard findings[range.file]?.isFull != true else { return }
        findings[range.file, default: Findings(file: range.file)].diagnostics.append(make(&advice))
    }

    var diagnostics: [Diagnostic] { findings.values.flatMap(\.diagnostics) }
}
