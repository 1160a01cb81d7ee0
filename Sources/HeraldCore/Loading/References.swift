internal import FCM

/// What can only be seen across files: names declared twice, names nobody declares, audiences that exclude each other
/// in a circle.
struct References {
    /// What a document says it is. One that is otherwise wrong is still declared.
    struct Name: Hashable {
        var kind: String
        var name: String

        init(_ kind: String, _ name: String) { (self.kind, self.name) = (kind, name) }

        init?(of document: Node) {
            let text = { (key: String) in document.mapping?.first { $0.key == key }?.value.scalar?.text }
            guard let kind = text("kind"), let name = text("name") else { return nil }
            self.init(kind, name)
        }
    }

    private let workspace: Workspace
    private let declared: Set<Name>
    private let audiences: [String: Audience]

    init(_ workspace: Workspace, declared: Set<Name>) {
        self.workspace = workspace
        self.declared = declared
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
        var first: [Name: SourceRange] = [:]
        return named.compactMap { kind, name in
            let key = Name(kind, name.value)
            guard let range = first[key] else {
                first[key] = name.range
                return nil
            }
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
        let topicUses = workspace.campaigns.compactMap { campaign in
            if case .topic(let name) = campaign.target.value {
                Located(name.rawValue, at: campaign.target.range)
            } else {
                nil
            }
        }
        return unknown("audience", audienceUses) + unknown("topic", topicUses)
    }

    private func unknown(_ kind: String, _ uses: [Located<String>]) -> [Diagnostic] {
        let names = declared.filter { $0.kind == kind }.map(\.name)
        return uses.filter { !declared.contains(Name(kind, $0.value)) }.map { use in
            let near = suggestion(for: use.value, among: names).map { "did you mean '\($0)'?" }
            return .error(.unknownReference, "no file declares \(kind) '\(use.value)'", at: use.range, help: near)
        }
    }

    /// Goes down the exclusions without recursion: a chain may be as long as there are audiences.
    private func cycles() -> [Diagnostic] {
        var finished: Set<String> = []
        var found: [Diagnostic] = []
        for audience in workspace.audiences.sorted(by: { $0.name.value < $1.name.value }) {
            var path: [(audience: Audience, next: Int)] = []
            var depths: [String: Int] = [:]
            let enter = { (audience: Audience) in
                depths[audience.name.value] = path.count
                path.append((audience, 0))
            }
            if !finished.contains(audience.name.value) { enter(audience) }
            while let (current, next) = path.last {
                guard next < current.exclude.count else {
                    path.removeLast()
                    depths[current.name.value] = nil
                    finished.insert(current.name.value)
                    continue
                }
                path[path.count - 1].next += 1
                let excluded = current.exclude[next]
                if let depth = depths[excluded.value] {
                    let circle = path[depth...].map(\.audience.name.value) + [excluded.value]
                    found.append(circular(circle, at: excluded.range))
                } else if !finished.contains(excluded.value), let audience = audiences[excluded.value] {
                    enter(audience)
                }
            }
        }
        return found
    }

    private func circular(_ names: [String], at range: SourceRange) -> Diagnostic {
        let shown = names.count <= 8 ? names : names.prefix(4) + ["…"] + names.suffix(3)
        return .error(
            .referenceCycle, "audiences exclude each other in a circle: \(shown.joined(separator: " → "))", at: range)
    }
}
