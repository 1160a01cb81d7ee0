internal import FCM

/// The former names of audiences, topics and campaigns. It must be certain who inherits the history of a name.
struct PreviousNames {
    private let workspace: Workspace
    private let declared: Set<References.Name>

    init(_ workspace: Workspace, _ declared: Set<References.Name>) {
        (self.workspace, self.declared) = (workspace, declared)
    }

    func check(_ found: inout FindingsOfFiles) {
        check("audience", workspace.audiences.map { ($0.name.value, $0.previousNames) }, &found)
        check("topic", workspace.topics.map { ($0.name.value.rawValue, $0.previousNames.map(\.text)) }, &found)
        check("campaign", workspace.campaigns.map { ($0.name.value, $0.previousNames) }, &found)
    }

    private func check(
        _ kind: String, _ resources: [(name: String, previous: [Located<String>])], _ found: inout FindingsOfFiles
    ) {
        var claims: [String: SourceRange] = [:]
        for (name, previous) in resources {
            for old in previous {
                if let problem = problem(with: old, of: name, kind, claim: claims[old.value]) {
                    found.add(at: old.range) { _ in problem }
                } else {
                    claims[old.value] = old.range
                }
            }
        }
    }

    /// - Parameter claim: where another resource has claimed the old name. `nil` if none has.
    private func problem(
        with old: Located<String>, of name: String, _ kind: String, claim: SourceRange?
    ) -> Diagnostic? {
        if old.value == name {
            return .error(
                .previousName, "the \(kind) is still called '\(name)'", at: old.range,
                help: "list names that it no longer has")
        }
        if declared.contains(References.Name(kind, old.value)) {
            return .error(
                .previousName, "'\(old.value)' is another \(kind)'s name now", at: old.range,
                help: "rename that one, or leave the history of '\(old.value)' to it")
        }
        return claim.map {
            .error(
                .previousName, "previous name '\(old.value)' is claimed twice", at: old.range,
                notes: [.init("first claimed here", at: $0)])
        }
    }
}
