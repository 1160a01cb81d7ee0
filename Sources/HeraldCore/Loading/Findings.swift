/// The diagnostics gathered while one file is read: the first ``limit`` of them, and that there are more.
struct Findings {
    /// Nobody mends more at once, and a hostile file could hold a million.
    static let limit = 1000

    let file: String
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

    mutating func error(
        _ rule: Rule, _ message: String, at range: TextRange, help: String? = nil, replacement: String? = nil
    ) {
        var diagnostic = Diagnostic.error(rule, message, at: at(range), help: help)
        diagnostic.replacement = replacement
        diagnostics.append(diagnostic)
    }
}
