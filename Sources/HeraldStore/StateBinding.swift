internal import Foundation
package import HeraldCore

/// What a state belongs to.
package struct StateBinding: Hashable, Sendable {
    package var project: String
    package var endpoint: EndpointKind
    /// A state in a file may name none.
    package var workspace: String?

    package init(project: String, endpoint: EndpointKind, workspace: String?) {
        (self.project, self.endpoint, self.workspace) = (project, endpoint, workspace)
    }

    init(_ identity: RecordedState.Identity) {
        self.init(project: identity.project, endpoint: identity.endpoint, workspace: identity.workspace)
    }

    /// Whether both are the same, as far as both say it.
    func fits(_ other: StateBinding) -> Bool {
        project == other.project && endpoint == other.endpoint
            && (workspace == nil || other.workspace == nil || workspace == other.workspace)
    }

    var phrase: String {
        "project '\(project)' at \(endpoint.rawValue)" + (workspace.map { ", workspace '\($0)'" } ?? "")
    }

    func newIdentity(created: Date) -> RecordedState.Identity {
        RecordedState.Identity(
            lineage: UUID().uuidString.lowercased(), project: project, endpoint: endpoint, created: created,
            workspace: workspace)
    }
}
