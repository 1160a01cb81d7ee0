internal import FCM

/// Why a file cannot be used as a snapshot.
package enum SnapshotProblem: Error, Hashable, Sendable {
    case notSnapshot
    /// A newer herald wrote it.
    case newer
    /// What is wrong with it, and where.
    case damaged(String)
    /// It belongs to another project or endpoint.
    case bound(to: String, wanted: String)
}

extension SnapshotProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notSnapshot: "it is no snapshot of herald's"
        case .newer: "it was written by a newer herald"
        case .damaged(let detail): "it is damaged: \(detail.printable)"
        case .bound(let bound, let wanted): "it belongs to \(bound.printable), not to \(wanted)"
        }
    }

    /// What to do about it.
    package var help: String {
        switch self {
        case .notSnapshot, .damaged: "make one with 'herald state snapshot' where the state is"
        case .newer: "use that herald or a newer one"
        case .bound: "name the snapshot of this workspace's own state"
        }
    }
}

extension RecordedState.Identity {
    /// What it belongs to and what was wanted, if they differ.
    ///
    /// - Parameters:
    ///   - project: `nil` if nobody says. So are the others.
    ///   - workspace: the workspace's name. It is compared if both have one.
    package func mismatch(
        project wanted: String?, endpoint kind: EndpointKind?, workspace name: String?
    ) -> (bound: String, wanted: String)? {
        let (wanted, kind) = (wanted ?? project, kind ?? endpoint)
        guard project == wanted, endpoint == kind else {
            return (
                "project '\(project)' at \(endpoint.rawValue)", "project '\(wanted)' at \(kind.rawValue)"
            )
        }
        guard let workspace, let name, workspace != name else { return nil }
        return ("workspace '\(workspace)'", "workspace '\(name)'")
    }
}

extension StateSnapshot {
    /// Throws if it is of another project or endpoint than a state of the workspace would be.
    ///
    /// - Parameter workspace: the workspace's name. It is compared if both have one.
    package func check(
        _ project: String?, _ endpoint: EndpointKind?, workspace: String?
    ) throws(SnapshotProblem) {
        if let (bound, wanted) = identity.mismatch(project: project, endpoint: endpoint, workspace: workspace) {
            throw .bound(to: bound, wanted: wanted)
        }
    }

    /// What to say about its age.
    ///
    /// - Parameter limit: older ones are pointed out.
    package func remarks(olderThan limit: Duration, at now: Date) -> [String] {
        let age = Duration.seconds(now.timeIntervalSince(time))
        // Clocks of two machines may differ a little.
        if age < .seconds(-60) {
            return ["the snapshot is of \(time.rfc3339), which is in the future: one of two clocks is wrong"]
        }
        guard age > limit else { return [] }
        return ["the snapshot is \(age.roughText) old; what was done since is not in this plan"]
    }
}
