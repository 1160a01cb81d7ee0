extension SettingsReader {
    static let capKeys = KeyTable(["name", "max", "per", "tags"], required: ["name", "max", "per"])

    /// Reads `frequency_caps`.
    static func caps(
        _ settings: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> [FrequencyCap] {
        guard let node = settings["frequency_caps"] else { return [] }
        format?.require(2, for: "'frequency_caps'", at: settings.keyRange("frequency_caps"), &findings)
        guard let items = node.sequence else {
            findings.error(.wrongType, "'frequency_caps' must be a list, not \(node.kindName)", at: node.range)
            return []
        }
        var places: [String: TextRange] = [:]
        return items.compactMap { item in
            guard let fields = Fields(item, "a cap", capKeys, &findings) else { return nil }
            let name = fields.string("name", &findings).flatMap {
                ResourceReader.isResourceName($0, &findings) ? $0 : nil
            }
            let max = fields.int("max", in: 1...1_000_000, &findings)
            let per = span(fields, &findings)
            let tags = fields["tags"] == nil ? nil : tags("tags", in: fields, &findings)
            guard let name, let max, let per else { return nil }
            if let first = places.updateValue(fields["name"]?.range ?? item.range, forKey: name.value) {
                findings.diagnostics.append(
                    .error(
                        .duplicateResource, "there are two caps '\(name.value)'", at: name.range,
                        notes: [.init("the first is here", at: findings.at(first))]))
            }
            return FrequencyCap(name: name.value, max: max, per: per, tags: tags.map(Set.init))
        }
    }

    private static func span(_ fields: Fields, _ findings: inout Findings) -> Duration? {
        guard let per = fields.duration("per", &findings) else { return nil }
        if FrequencyCap.spans.contains(per) { return per }
        findings.error(.invalidValue, "'per' must be from 1m to 90d", at: fields["per"]?.range ?? fields.range)
        return nil
    }

    /// Tags of campaigns, each once and sorted.
    static func tags(_ key: String, in fields: Fields, _ findings: inout Findings) -> [String] {
        let tags = (fields.strings(key, &findings) ?? []).filter { ResourceReader.isResourceName($0, &findings) }
        if fields[key]?.sequence?.isEmpty == true {
            findings.error(
                .invalidValue, "'\(key)' has no tag", at: fields.keyRange(key), help: "name one, or leave it out")
        }
        return Set(tags.map(\.value)).sorted()
    }
}
