extension SettingsReader {
    static let suppressionKeys = KeyTable(["audience", "tags"], required: ["audience", "tags"])

    /// Reads `suppress`: names of audiences. One with tags is left out of campaigns with those tags only.
    static func suppressions(
        _ settings: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> (everywhere: [Located<String>], byTag: [Suppression]) {
        guard let node = settings["suppress"] else { return ([], []) }
        guard let items = node.sequence else {
            findings.error(.wrongType, "'suppress' must be a list, not \(node.kindName)", at: node.range)
            return ([], [])
        }
        var (everywhere, byTag): ([Located<String>], [Suppression]) = ([], [])
        for item in items {
            guard item.mapping != nil else {
                if let name = item.string("an entry of 'suppress'", &findings) { everywhere.append(name) }
                continue
            }
            format?.require(2, for: "an audience with 'tags'", at: item.range, &findings)
            guard let fields = Fields(item, "an entry of 'suppress'", suppressionKeys, &findings) else { continue }
            let tags = tags("tags", in: fields, &findings)
            guard let audience = fields.string("audience", &findings) else { continue }
            byTag.append(Suppression(audience, tags: Set(tags)))
        }
        return (everywhere, byTag)
    }

    /// Reads `require_tags`.
    static func requiresTags(
        _ settings: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> Bool {
        guard settings["require_tags"] != nil else { return false }
        format?.require(2, for: "'require_tags'", at: settings.keyRange("require_tags"), &findings)
        return settings.bool("require_tags", &findings) ?? false
    }
}
