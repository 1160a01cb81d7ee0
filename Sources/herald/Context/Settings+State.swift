import HeraldCore
import HeraldStore

/// Where the state is: HERALD_STATE goes before `herald.yaml`.
extension Settings {
    func stateLocation(
        in folder: WorkspaceFolder, _ common: Common, endpoint: EndpointKind
    ) throws -> any StateLocation {
        let note: @Sendable (String) -> Void = { common.console.error("herald: \($0)\n") }
        guard let (database, isFromFile) = database(common.environment) else {
            return StateFile(
                path: stateFile(in: folder, common.environment), project: project, endpoint: endpoint, note: note)
        }
        guard let workspace else {
            throw CommandFailure(
                .wrong,
                "a state in PostgreSQL belongs to a workspace: write 'workspace: NAME' in herald.yaml (herald: 2)")
        }
        let address = try PostgresAddress(database, isFromFile: isFromFile, environment: common.environment)
        return StateDatabase(
            address.server, .init(project: project, endpoint: endpoint, workspace: workspace),
            folder: ".herald".absolute(in: folder.path), note: note)
    }

    /// The absolute path of the snapshot that every apply and run writes. `nil` if none is written.
    func snapshotPath(in folder: WorkspaceFolder) -> String? { state.snapshot?.absolute(in: folder.path) }

    /// What the paths of the caches of lists begin with.
    func cachePath(in folder: WorkspaceFolder, _ environment: [String: String]) -> String {
        database(environment) == nil ? stateFile(in: folder, environment) : ".herald/state".absolute(in: folder.path)
    }

    private func stateFile(in folder: WorkspaceFolder, _ environment: [String: String]) -> String {
        override(environment)?.absolute(in: nil) ?? state.file.absolute(in: folder.path)
    }

    private func database(_ environment: [String: String]) -> (PostgresSettings, isFromFile: Bool)? {
        guard let place = override(environment) else { return state.postgres.map { ($0, true) } }
        guard PostgresSettings.isAddress(place) else { return nil }
        var database = state.postgres ?? PostgresSettings(address: place)
        database.address = place
        return (database, false)
    }

    private func override(_ environment: [String: String]) -> String? {
        environment["HERALD_STATE"].flatMap { $0.isEmpty ? nil : $0 }
    }
}
