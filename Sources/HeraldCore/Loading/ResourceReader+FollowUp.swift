extension ResourceReader {
    static let outcomeKeys = KeyTable(["campaign", "is", "occurrence"], required: ["campaign", "is"])

    /// Reads an audience's `outcome`.
    static func followUp(_ audience: Fields, _ findings: inout Findings) -> Audience.FollowUp? {
        guard let node = audience["outcome"] else { return nil }
        if audience["from"] == nil {
            findings.error(
                .missingKey, "'outcome' chooses from another audience, so it needs 'from'",
                at: audience.keyRange("outcome"), help: "name the audience to choose from, as in from: members")
        }
        guard let fields = Fields(node, "'outcome'", outcomeKeys, &findings) else { return nil }
        let campaign = fields.string("campaign", &findings)
        let occurrence = fields.string("occurrence", &findings)
        let names = fields.strings("is", &findings)
        if fields["is"]?.sequence?.isEmpty == true {
            findings.error(.invalidValue, "'is' names no outcome", at: fields.keyRange("is"))
        }
        let outcomes = (names ?? []).compactMap { outcome($0, &findings) }
        guard let campaign else { return nil }
        if let occurrence, !occurrence.value.contains("@") {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'\(occurrence.value)' is no occurrence", at: occurrence.range,
                    help: "'herald state show' lists them, as in \(campaign.value)@2026-12-01T08:00:00Z"))
        }
        return Audience.FollowUp(campaign, Set(outcomes), of: occurrence)
    }

    private static func outcome(
        _ name: Located<String>, _ findings: inout Findings
    ) -> Audience.FollowUp.Outcome? {
        if let outcome = Audience.FollowUp.Outcome(rawValue: name.value) { return outcome }
        let known = Audience.FollowUp.Outcome.allCases.map(\.rawValue)
        let near = findings.advice.nearest(to: name.value, among: known)
        findings.diagnostics.append(
            .error(
                .invalidValue, "'\(name.value)' is no outcome", at: name.range,
                help: near.map { "did you mean '\($0)'?" } ?? "one of: \(known.joined(separator: ", "))",
                replacement: near))
        return nil
    }
}
