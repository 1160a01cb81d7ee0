/// Reads `timezone`: one zone for all, or a field with the zone of each recipient.
enum ZoneReader {
    static let keys = KeyTable(["field", "default"], required: ["field"])

    struct Written {
        var zone: Zone?
        /// The field that has each recipient's zone. `nil` if all have the same.
        var field: Located<String>?
    }

    /// - Parameter fields: the mapping with the key `timezone`.
    static func zone(in fields: Fields, _ findings: inout Findings) -> Written {
        guard let node = fields["timezone"] else { return Written() }
        guard node.mapping != nil else {
            return Written(zone: fields.string("timezone", &findings).flatMap { findings.zone($0) })
        }
        guard let fields = Fields(node, "'timezone'", keys, &findings) else { return Written() }
        return Written(
            zone: fields.string("default", &findings).flatMap { findings.zone($0) },
            field: fields.string("field", &findings))
    }
}

extension Findings {
    /// The zone of that name. An unknown one is reported.
    mutating func zone(_ name: Located<String>) -> Zone? {
        if let zone = Zone(named: name.value) { return zone }
        let near = advice.nearest(to: name.value, among: Zone.names()).flatMap { Zone(named: $0) }
        let help =
            Zone(named: "Europe/Rome") == nil
            ? "this machine has no time zone data; install tzdata"
            : near.map { "did you mean '\($0.name)'?" } ?? "write an IANA name, as in Europe/Rome"
        diagnostics.append(
            .error(
                .scheduleZone, "there is no time zone '\(name.value)'", at: name.range, help: help,
                replacement: near?.name))
        return nil
    }
}
