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
            asked[end.name.value, default: []].formUnion(audience.filters.map(\.column.value))
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
                return audience.filters.map(\.column).compactMap { column in
                    if columns.names.holdsRegistrations(column.value) {
                        return .error(
                            .whereColumn, "column '\(column.value)' holds registrations", at: column.range,
                            help: "'where' goes by the list's other columns")
                    }
                    return attributes.flatMap { .missing(column, of: path.value, $0, rule: .whereColumn, &advice) }
                }
            }
        }
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
                    + (attributes.isEmpty ? "it has none besides registrations" : "it has: \(shown)"),
                replacement: rule == .whereColumn ? near?.inYAML : nil)
        default:
            return .error(
                rule, "column '\(column.value)' stands twice in '\(list)'", at: column.range,
                help: "give the columns names of their own")
        }
    }
}
