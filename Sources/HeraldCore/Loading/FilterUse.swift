internal import FCM

/// Which columns of each list the filters (`where`) of audiences use.
struct FilterUse {
    private let audiences: [Audience]
    /// For each audience, the one at the end of its chain of sources. Audiences with an undeclared source are missing.
    private let ends: AudienceSources
    private let asked: [String: Set<String>]

    init(_ audiences: [Audience]) {
        self.audiences = audiences
        ends = AudienceSources(audiences.contains { !$0.filters.isEmpty } ? audiences : [])
        var asked: [String: Set<String>] = [:]
        for audience in audiences {
            guard let end = ends[audience.name.value] else { continue }
            asked[end.name.value, default: []].formUnion(audience.filters.map { end.resolved($0).column.value })
        }
        self.asked = asked
    }

    /// The columns that audiences use of the list of audience `name`.
    func columns(ofListBehind name: String) -> Set<String> { asked[name] ?? [] }

    /// - Parameter attributes: returns the columns of an audience's list. `nil` if it was not read.
    func problems(attributes: (String) -> [String]?) -> [Diagnostic] {
        var advice = Advice()
        return audiences.flatMap { audience -> [Diagnostic] in
            guard let first = audience.filters.first, let end = ends[audience.name.value] else { return [] }
            switch end.source {
            case .audience: return []
            case .inline:
                return [
                    .error(
                        .whereColumn, "registrations that stand in the file have no columns", at: first.column.range,
                        notes: [.init("they stand here", at: end.name.range)])
                ]
            case .list(let path, _) where path.value.listEnding == "txt":
                return [
                    .error(
                        .whereColumn, "a .txt list has no columns", at: first.column.range,
                        notes: [.init("the list is named here", at: path.range)],
                        help: "make it a .csv or .ndjson list")
                ]
            case .list(let path, let columns):
                let attributes = attributes(end.name.value)
                return audience.filters.indices.compactMap { place in
                    let filter = end.resolved(audience.filters[place])
                    if let problem = filter.typeProblem(in: end) { return problem }
                    // Several filters may go by one column.
                    if place > 0, audience.filters[place - 1].column == audience.filters[place].column { return nil }
                    let column = filter.column
                    if columns.names.holdsRegistrations(column.value) {
                        return .error(
                            .whereColumn, "column '\(column.value)' holds registrations", at: column.range,
                            help: "'where' goes by the list's other columns")
                    }
                    // The column of a field, or of 'seen', is checked where it is declared.
                    let isDeclared = filter.kind != nil || column.value == columns.seen?.value
                    guard let attributes, !isDeclared else { return nil }
                    return .missing(column, of: path.value, attributes, rule: .whereColumn, &advice)
                }
            }
        }
    }
}

extension Audience.Filter {
    /// A comparison that no value of the field can pass.
    ///
    /// - Parameter end: the audience that declares the field.
    fileprivate func typeProblem(in end: Audience) -> Diagnostic? {
        guard let kind, let field = end.fields.first(where: { $0.value.column == column.value }) else { return nil }
        let (operation, wanted, fitting): (String, String, Set<FieldKind>)
        switch test {
        case .oneOf, .not: return nil
        case .atLeast(let bound), .below(let bound):
            operation = if case .atLeast = test { "at_least" } else { "below" }
            wanted = bound.kind.words
            fitting = bound.kind == .number ? [.integer, .decimal] : [.date]
        case .within, .before:
            operation = if case .within = test { "within" } else { "before" }
            (wanted, fitting) = ("a time", [.text])
        }
        if fitting.contains(kind) { return nil }
        let types = fitting.map(\.rawValue).sorted().reversed().joined(separator: " or ")
        return .error(
            .whereType,
            "field '\(field.value.name)' is of type \(kind.rawValue), and '\(operation)' here needs \(wanted)",
            at: column.range, notes: [.init("declared here", at: field.range)], help: "write type: \(types) there")
    }
}

extension Diagnostic {
    /// A column that a list does not have, or has twice. `nil` if it is there once.
    static func missing(
        _ column: Located<String>, of list: String, _ attributes: [String], rule: Rule, _ advice: inout Advice
    ) -> Diagnostic? {
        switch attributes.count(where: { $0 == column.value }) {
        case 1: return nil
        case 0:
            let shown = attributes.prefix(20).joined(separator: ", ") + (attributes.count > 20 ? ", …" : "")
            let near = advice.nearest(to: column.value, among: attributes)
            return .error(
                rule, "'\(list)' has no column '\(column.value)'", at: column.range,
                help: (near.map { "did you mean '\($0)'? " } ?? "")
                    + (attributes.isEmpty ? "it has none besides registrations" : "it has: \(shown)")
                    + list.fetchAdvice,
                replacement: rule == .whereColumn ? near?.inYAML : nil)
        default:
            return .error(
                rule, "column '\(column.value)' stands twice in '\(list)'", at: column.range,
                help: "give the columns names of their own")
        }
    }
}
