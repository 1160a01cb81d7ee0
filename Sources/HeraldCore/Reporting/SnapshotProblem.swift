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
        case .notSnapshot: "it is no snapshot of herald's; 'herald state snapshot' makes one"
        case .newer: "it was written by a newer herald; use that herald or a newer one"
        case .damaged(let detail): "it is damaged: \(detail.printable)"
        case .bound(let bound, let wanted): "it belongs to \(bound.printable), not to \(wanted)"
        }
    }
}

extension StateSnapshot {
    /// Throws if it is of another project or endpoint than a state of the workspace would be.
    ///
    /// - Parameter workspace: the workspace's name. It is compared if both have one.
    package func check(
        _ project: String, _ endpoint: EndpointKind, workspace: String?
    ) throws(SnapshotProblem) {
        guard identity.project == project, identity.endpoint == endpoint else {
            throw .bound(
                to: "project '\(identity.project)' at \(identity.endpoint.rawValue)",
                wanted: "project '\(project)' at \(endpoint.rawValue)")
        }
        if let bound = identity.workspace, let workspace, bound != workspace {
            throw .bound(to: "workspace '\(bound)'", wanted: "workspace '\(workspace)'")
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
