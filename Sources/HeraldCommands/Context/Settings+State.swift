import Foundation
import HeraldCore
import HeraldStore

/// Where the state is: HERALD_STATE goes before `herald.yaml`.
extension Settings {
    func stateLocation(
        in folder: WorkspaceFolder, _ common: Common, endpoint: EndpointKind
    ) throws -> any StateLocation {
        guard let place = override(common.environment) else {
            if let database = state.postgres {
                return try location(of: database, isFromFile: true, folder, common, endpoint)
            }
            return location(ofFile: state.file.absolute(in: folder.path), common, endpoint)
        }
        return try location(at: place, in: folder, common, endpoint: endpoint)
    }

    /// The state that the environment names, for files that nobody has reviewed. What they say about a server does not
    /// count, except for the schema.
    func stateOfReview(in folder: WorkspaceFolder, _ common: Common) throws -> (any StateLocation)? {
        guard let place = override(common.environment) else { return nil }
        var settings = self
        settings.state.postgres = nil
        // Whether it is the right state is judged by whoever opens it, since variables are not replaced here.
        return try settings.location(
            at: place, schema: state.postgres?.schema, in: folder, common, endpoint: .other, tells: false)
    }

    /// - Parameters:
    ///   - place: The address of a database, or the path of a file.
    ///   - schema: Where in the database. By default where `herald.yaml` says.
    ///   - tells: Whether warnings about the state are shown.
    func location(
        at place: String, schema: String? = nil, in folder: WorkspaceFolder, _ common: Common,
        endpoint: EndpointKind, tells: Bool = true
    ) throws -> any StateLocation {
        guard PostgresSettings.isAddress(place) else {
            try CommandFailure.require(path: place, "the place of the state")
            return location(ofFile: place.absolute(in: nil), common, endpoint, tells: tells)
        }
        var database = state.postgres ?? PostgresSettings(address: place)
        database.address = place
        database.schema = schema ?? database.schema
        return try location(of: database, isFromFile: false, folder, common, endpoint, tells: tells)
    }

    private func location(
        ofFile path: String, _ common: Common, _ endpoint: EndpointKind, tells: Bool = true
    ) -> StateFile {
        StateFile(path: path, binding(endpoint), note: note(common, tells: tells))
    }

    private func location(
        of database: PostgresSettings, isFromFile: Bool, _ folder: WorkspaceFolder, _ common: Common,
        _ endpoint: EndpointKind, tells: Bool = true
    ) throws -> StateDatabase {
        guard workspace != nil else {
            throw CommandFailure(
                .wrong, "a state in PostgreSQL belongs to a workspace, and herald.yaml has no name for it",
                help: "write 'workspace: NAME' in herald.yaml; it needs 'herald: 2'")
        }
        let address = try PostgresAddress(database, isFromFile: isFromFile, environment: common.environment)
        let speed = try common.leaseSpeed(at: endpoint)
        var times = LeaseTimes().faster(by: speed)
        times.timeout = fcm.timeout
        return StateDatabase(
            address.server.faster(by: speed), binding(endpoint), folder: ".herald".absolute(in: folder.path),
            times: times, requiresStandby: database.requiresSynchronousStandby, note: note(common, tells: tells))
    }

    private func binding(_ endpoint: EndpointKind) -> StateBinding {
        StateBinding(project: project, endpoint: endpoint, workspace: workspace)
    }

    private func note(_ common: Common, tells: Bool) -> @Sendable (String) -> Void {
        { if tells { common.console.error("herald: \($0)\n") } }
    }

    /// The absolute path of the snapshot that every apply and run writes. `nil` if none is written.
    func snapshotPath(in folder: WorkspaceFolder) -> String? { state.snapshot?.absolute(in: folder.path) }

    /// What the paths of the caches of lists begin with.
    func cachePath(in folder: WorkspaceFolder, _ environment: [String: String]) -> String {
        if let place = override(environment) {
            return PostgresSettings.isAddress(place)
                ? ".herald/state".absolute(in: folder.path) : place.absolute(in: nil)
        }
        return (state.postgres == nil ? state.file : ".herald/state").absolute(in: folder.path)
    }

    private func override(_ environment: [String: String]) -> String? {
        environment["HERALD_STATE"].flatMap { $0.isEmpty ? nil : $0 }
    }
}
