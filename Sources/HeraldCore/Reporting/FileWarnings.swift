/// What `validate` warns of, for reviewers: they see what the author saw.
struct FileWarnings: Hashable, Sendable {
    /// What is said, and of which places.
    let sayings: [Saying]
    /// How many warnings were there before the files changed.
    private let earlier: Int

    /// The most that a page shows.
    private static let shown = 50

    /// - Parameter known: what was said of the files before. What is new helps to judge a change, so only that is told.
    init(_ document: DiagnosticsDocument, besides known: [Diagnostic], in paths: RepositoryPaths) {
        var before: [[String]: Int] = [:]
        for diagnostic in known { before[diagnostic.matter, default: 0] += 1 }
        let warnings = document.diagnostics.filter { $0.severity == .warning && !$0.rule.isToldByPlans }
        let new = warnings.filter {
            let number = before[$0.matter] ?? 0
            before[$0.matter] = number - 1
            return number <= 0
        }
        earlier = warnings.count - new.count
        sayings = new.map { Saying(paths.place(of: $0), $0.message + ($0.help.map { "; \($0)" } ?? "")) }.merged
    }

    /// `nil` if there are none.
    var earlierWords: String? {
        guard earlier > 0 else { return nil }
        let were = earlier == 1 ? "was" : "were"
        return "\(count(earlier, "other warning")) \(were) there before; 'herald validate' shows all."
    }

    /// For a page.
    var lines: [String] {
        guard !sayings.isEmpty else { return [] }
        let rest = sayings.count - Self.shown
        return sayings.prefix(Self.shown).map { "\($0.subject): \($0.text)" }
            + (rest > 0 ? ["and \(rest.grouped) more; 'herald validate' shows them all"] : [])
            + (earlierWords.map { [$0] } ?? [])
    }
}

extension PlanDocument {
    /// Tells readers what is to be said of the files. Of files that were compared, only what is new.
    package mutating func warn(of document: DiagnosticsDocument, in paths: RepositoryPaths) {
        fileWarnings = FileWarnings(document, besides: comparison?.earlier ?? [], in: paths)
    }
}

extension RepositoryPaths {
    /// Its file and line.
    func place(of diagnostic: Diagnostic) -> String {
        path(of: diagnostic.range.file) + (diagnostic.range.text.map { ":\($0.start.line)" } ?? "")
    }
}

extension Diagnostic {
    /// What it says of which file. It stays the same when lines above it change.
    fileprivate var matter: [String] { [rule.rawValue, range.file, message] }
}

extension Rule {
    /// Whether plans warn of it themselves.
    fileprivate var isToldByPlans: Bool {
        switch self {
        case .fcmSunset, .personalRows, .variantSmall: true
        default: false
        }
    }
}
