extension SettingsReader {
    static let stateKeys = KeyTable(["file", "snapshot"])

    /// The path of the state, or a mapping that says more.
    ///
    /// - Parameter format: absent if the file does not say it, which is reported elsewhere.
    static func state(
        _ node: Node, _ settings: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> StateSettings {
        var state = StateSettings()
        guard node.mapping != nil else {
            state.file = path("state", in: settings, &findings)?.value ?? state.file
            return state
        }
        format?.require(2, for: "'state' with keys of its own", at: settings.keyRange("state"), &findings)
        guard let fields = Fields(node, "'state'", stateKeys, &findings) else { return state }
        state.file = path("file", in: fields, &findings)?.value ?? state.file
        guard let snapshot = path("snapshot", in: fields, &findings) else { return state }
        state.snapshot = snapshot.value
        if snapshot.value == state.file {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'snapshot' names the state itself", at: snapshot.range,
                    help: "a snapshot is a file of its own, as in snapshot: .herald/snapshot.json"))
        }
        return state
    }
}
