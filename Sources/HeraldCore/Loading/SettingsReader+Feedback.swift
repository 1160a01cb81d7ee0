extension SettingsReader {
    static let feedbackKeys = KeyTable(["postgres", "dead", "ca"], required: ["postgres", "dead"])

    /// Reads `feedback`. A statement in a file is read later.
    static func feedback(
        _ settings: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> FeedbackSettings? {
        guard let node = settings["feedback"] else { return nil }
        format?.require(2, for: "'feedback'", at: settings.keyRange("feedback"), &findings)
        guard let fields = Fields(node, "'feedback'", feedbackKeys, &findings) else { return nil }
        let postgres = fields.string("postgres", &findings)
        let dead = fields.string("dead", &findings)
        let ca = path("ca", in: fields, &findings)
        guard let postgres, let dead else { return nil }
        let isVariable = postgres.value.wholeMatch(of: #/\$\{[A-Za-z_][A-Za-z0-9_]*\}/#) != nil
        guard isVariable || PostgresSettings.isAddress(postgres.value) else {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'postgres' must be the address of a database", at: postgres.range,
                    help: "write postgresql://USER@HOST/DATABASE, or one ${VARIABLE} that holds it"))
            return nil
        }
        let help = "write ${VARIABLE} in its place, and list that variable in HERALD_SOURCE_VARS"
        if !isVariable, !hasNoPassword(postgres, help: help, &findings) { return nil }
        let query =
            dead.value.hasSuffix(".sql")
            ? Audience.Query("", file: dead)
            : Audience.Query(reading: dead.value, at: dead.range, &findings.diagnostics)
        if let query, query.file == nil { checkDead(query.text, at: dead.range, &findings.diagnostics) }
        return query.map { FeedbackSettings(postgres: postgres.value, dead: $0, ca: ca) }
    }

    /// A statement that does not read the registrations changes nothing, or everything.
    static func checkDead(_ statement: String, at range: SourceRange, _ diagnostics: inout [Diagnostic]) {
        guard !statement.contains(/\$3(?!\d)/) else { return }
        diagnostics.append(
            .error(
                .invalidValue, "the statement of 'dead' has no $3, so it does not know who is dead", at: range,
                help: "read the registrations from $3, an array, such as unnest($2, $3, $4)"))
    }

    /// Whether an address has no password, or a variable in its place. Whoever reads the files would know it.
    static func hasNoPassword(_ address: Located<String>, help: String, _ findings: inout Findings) -> Bool {
        guard PostgresSettings.holdsPassword(address.value) else { return true }
        findings.diagnostics.append(
            .error(.invalidValue, "the password of the database is written in a file", at: address.range, help: help))
        return false
    }
}
