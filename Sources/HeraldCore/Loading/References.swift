internal import FCM

/// What can only be seen across files: names declared twice, names nobody declares, audiences that exclude each other
/// in a circle.
struct References {
    private let workspace: Workspace
    private let audiences: [String: Audience]

    init(_ workspace: Workspace) {
        self.workspace = workspace
        audiences = Dictionary(workspace.audiences.map { ($0.name.value, $0) }) { first, _ in first }
    }

    func check() -> [Diagnostic] {
        duplicates() + unknownNames() + cycles()
    }

    private func duplicates() -> [Diagnostic] {
        let named =
            workspace.audiences.map { ("audience", $0.name) }
            + workspace.topics.map { ("topic", Located($0.name.value.rawValue, at: $0.name.range)) }
            + workspace.campaigns.map { ("campaign", $0.name) }
        var first: [String: SourceRange] = [:]
        return named.compactMap { kind, name in
            guard let range = first.updateValue(name.range, forKey: "\(kind) \(name.value)") else { return nil }
            first["\(kind) \(name.value)"] = range
            return .error(
                .duplicateResource, "\(kind) '\(name.value)' is declared twice", at: name.range,
                notes: [.init("first declared here", at: range)])
        }
    }

    private func unknownNames() -> [Diagnostic] {
        let audienceUses =
            workspace.audiences.flatMap(\.exclude)
            + workspace.topics.flatMap { $0.subscribers + $0.exclude }
            + workspace.campaigns.compactMap { campaign in
                if case .audience(let name) = campaign.target.value {
                    Located(name, at: campaign.target.range)
                } else {
                    nil
                }
            }
        let unknownAudiences = audienceUses.filter { audiences[$0.value] == nil }.map { use in
            unknown("audience", use, among: audiences.keys.sorted())
        }
        let topics = Set(workspace.topics.map(\.name.value))
        let unknownTopics = workspace.campaigns.compactMap { campaign -> Diagnostic? in
            guard case .topic(let name) = campaign.target.value, !topics.contains(name) else { return nil }
            return unknown(
                "topic", Located(name.rawValue, at: campaign.target.range),
                among: topics.map(\.rawValue).sorted())
        }
        return unknownAudiences + unknownTopics
    }

    private func unknown(_ kind: String, _ use: Located<String>, among names: [String]) -> Diagnostic {
        let near = suggestion(for: use.value, among: names).map { "did you mean '\($0)'?" }
        return .error(
            .unknownReference, "no file declares \(kind) '\(use.value)'", at: use.range, help: near)
    }

    private func cycles() -> [Diagnostic] {
        var finished: Set<String> = []
        var found: [Diagnostic] = []
        for audience in workspace.audiences.sorted(by: { $0.name.value < $1.name.value }) {
            visit(audience, path: [], &finished, &found)
        }
        return found
    }

    private func visit(
        _ audience: Audience, path: [String], _ finished: inout Set<String>, _ found: inout [Diagnostic]
    ) {
        let name = audience.name.value
        guard !finished.contains(name) else { return }
        let path = path + [name]
        for excluded in audience.exclude {
            if let start = path.firstIndex(of: excluded.value) {
                let circle = (path[start...] + [excluded.value]).joined(separator: " → ")
                found.append(
                    .error(.referenceCycle, "audiences exclude each other in a circle: \(circle)", at: excluded.range))
            } else if let next = audiences[excluded.value] {
                visit(next, path: path, &finished, &found)
            }
        }
        finished.insert(name)
    }
}
