extension SettingsReader {
    static let stateKeys = KeyTable([
        "file", "postgres", "schema", "insecure", "require_synchronous_standby", "snapshot",
    ])

    /// The path of the state, or a mapping that says more.
    ///
    /// - Parameter format: absent if the file does not say it, which is reported elsewhere.
    static func state(
        _ node: Node, _ settings: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> StateSettings {
        var state = StateSettings()
        guard node.mapping != nil else {
            guard let place = path("state", in: settings, &findings) else { return state }
            if PostgresSettings.isAddress(place.value) {
                format?.require(2, for: "a state in PostgreSQL", at: settings.keyRange("state"), &findings)
                check(place, &findings)
                state.postgres = PostgresSettings(address: place.value)
            } else if isPath(place, &findings) {
                state.file = place.value
            }
            return state
        }
        format?.require(2, for: "'state' with keys of its own", at: settings.keyRange("state"), &findings)
        guard let fields = Fields(node, "'state'", stateKeys, &findings) else { return state }
        if let file = path("file", in: fields, &findings), isPath(file, &findings) { state.file = file.value }
        state.postgres = postgres(fields, &findings)
        guard let snapshot = path("snapshot", in: fields, &findings), isPath(snapshot, &findings) else { return state }
        state.snapshot = snapshot.value
        if snapshot.value == state.file {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'snapshot' names the state itself", at: snapshot.range,
                    help: "a snapshot is a file of its own, as in snapshot: .herald/snapshot.json"))
        }
        return state
    }

    /// What every command that opens the state refuses, as far as the file shows it.
    private static func check(_ address: Located<String>, _ findings: inout Findings) {
        let help = "write one ${VARIABLE} without a default in its place, and set that variable"
        _ = hasNoPassword(address, help: help, &findings)
        for key in PostgresSettings.unknownParameters(of: address.value) {
            guard let problem = PostgresSettings.unknownParameter(key) else { continue }
            findings.diagnostics.append(
                .error(.invalidValue, problem.words, at: address.range, help: problem.help))
        }
    }

    /// A state in PostgreSQL belongs to a workspace.
    static func checkWorkspace(
        of settings: Settings, _ fields: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) {
        guard settings.state.postgres != nil, fields["workspace"] == nil, format.map({ $0.version >= 2 }) ?? false
        else { return }
        findings.error(
            .missingKey, "a state in PostgreSQL belongs to a workspace, and herald.yaml has no name for it",
            at: fields.keyRange("state"), help: "write 'workspace: NAME'")
    }

    /// Whether it is no address of a database. Messages show paths, and an address may hold a password.
    private static func isPath(_ place: Located<String>, _ findings: inout Findings) -> Bool {
        guard PostgresSettings.isAddress(place.value) || PostgresSettings.isMistakenAddress(place.value) else {
            return true
        }
        findings.diagnostics.append(
            .error(
                .invalidValue, "an address stands here, and herald does not take it as it is", at: place.range,
                help: PostgresSettings.mistakenAddressHelp))
        return false
    }

    private static func postgres(_ fields: Fields, _ findings: inout Findings) -> PostgresSettings? {
        guard let address = fields.string("postgres", &findings) else {
            for key in ["schema", "insecure", "require_synchronous_standby"] where fields[key] != nil {
                findings.error(.invalidValue, "'\(key)' is for a state in PostgreSQL", at: fields.keyRange(key))
            }
            return nil
        }
        guard PostgresSettings.isAddress(address.value) else {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'postgres' takes a URI", at: address.range,
                    help: "write postgresql://USER@HOST/DATABASE"))
            return nil
        }
        check(address, &findings)
        if fields["file"] != nil {
            findings.error(.invalidValue, "a state is in a file or in PostgreSQL", at: fields.keyRange("file"))
        }
        var postgres = PostgresSettings(address: address.value)
        if let schema = fields.string("schema", &findings) {
            if !PostgresSettings.isSchema(schema.value) {
                findings.diagnostics.append(
                    .error(
                        .invalidValue, "'\(schema.value)' is no name for a schema", at: schema.range,
                        help: "use a-z, 0-9 and _, at most 63 characters"))
            }
            postgres.schema = schema.value
        }
        postgres.isInsecure = fields.bool("insecure", &findings) ?? false
        postgres.requiresSynchronousStandby = fields.bool("require_synchronous_standby", &findings) ?? false
        return postgres
    }
}
