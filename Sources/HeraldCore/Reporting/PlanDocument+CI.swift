package import FCM

/// What CI systems read of a plan.
extension PlanDocument {
    /// GitLab's widget for Terraform plans: how much is added, changed and taken away
    /// (docs.gitlab.com/ci/yaml/artifacts_reports, "artifacts:reports:terraform"). It counts what the files change, or
    /// what is done now where nothing was compared.
    package var terraform: JSONValue {
        let counts: [Int]
        if let changes = comparison?.changes {
            counts = [[.added], [.changed, .renamed], [.removed]].map { (actions: [WorkspaceChange.Action]) in
                changes.count { actions.contains($0.action) }
            }
        } else {
            let actions = plan.steps.map(\.work.action)
            counts = [
                actions.count { $0 == .send }, actions.count { $0 != .send && $0.effect == .joins },
                actions.count { $0 != .send && $0.effect == .leaves },
            ]
        }
        return ["create": .int(Int64(counts[0])), "update": .int(Int64(counts[1])), "delete": .int(Int64(counts[2]))]
    }

    /// The outputs of a step in GitHub Actions. No value has a line break.
    package var outputs: [(name: String, value: String)] {
        let figures = summary
        func number(_ key: String) -> String { (figures[key] ?? nil).map { "\($0)" } ?? "" }
        // Those of some sends may be all that herald knows.
        let recipients = figures["uncounted"] == nil ? number("recipients") : ""
        return [
            ("sends", number("send")), ("recipients", recipients), ("approval", approval?.digest ?? ""),
            ("has_changes", "\(hasChanges || !(comparison?.changes ?? []).isEmpty)"),
        ]
    }

    /// What guards refuse, a line each. The last line of a guard says what to do.
    package var refusalLines: [String] {
        plan.refusals.byGuard.flatMap { refused in
            let lines = refused.messages.map { "guard \(refused.kind.rawValue): \($0)" }
            return lines.dropLast() + lines.suffix(1).map { "\($0); \(refused.help)" }
        }
    }
}
