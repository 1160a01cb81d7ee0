internal import FCM

/// The names that campaigns and topics say they had before. Whose history they carry must be beyond doubt.
struct PreviousNames {
    private let workspace: Workspace
    private let declared: Set<References.Name>

    init(_ workspace: Workspace, _ declared: Set<References.Name>) {
        (self.workspace, self.declared) = (workspace, declared)
    }

    func check() -> [Diagnostic] {
        problems("topic", workspace.topics.map { ($0.name.value.rawValue, $0.previousNames.map(\.text)) })
            + problems("campaign", workspace.campaigns.map { ($0.name.value, $0.previousNames) })
    }

    private func problems(
        _ kind: String, _ resources: [(name: String, previous: [Located<String>])]
    ) -> [Diagnostic] {
        var claims: [String: SourceRange] = [:]
        return resources.flatMap { name, previous in
            previous.compactMap { old in
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
                if let claim = claims[old.value] {
                    return .error(
                        .previousName, "previous name '\(old.value)' is claimed twice", at: old.range,
                        notes: [.init("first claimed here", at: claim)])
                }
                claims[old.value] = old.range
                return nil
            }
        }
    }
}
