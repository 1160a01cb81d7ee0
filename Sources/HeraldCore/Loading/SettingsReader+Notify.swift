/// Reads `notify`.
extension SettingsReader {
    static let webhookKeys = KeyTable(
        ["webhook", "when", "format", "secret", "min_recipients", "report_url", "show_text"], required: ["webhook"])

    /// Reads `notify`.
    static func webhooks(
        _ settings: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> [Webhook] {
        guard let node = settings["notify"] else { return [] }
        format?.require(2, for: "'notify'", at: settings.keyRange("notify"), &findings)
        guard let items = node.sequence else {
            findings.error(.wrongType, "'notify' must be a list, not \(node.kindName)", at: node.range)
            return []
        }
        return items.compactMap { webhook($0, &findings) }
    }

    private static func webhook(_ node: Node, _ findings: inout Findings) -> Webhook? {
        guard let fields = Fields(node, "an entry of 'notify'", webhookKeys, &findings),
            let address = address("webhook", in: fields, &findings)
        else { return nil }
        var webhook = Webhook(address: address)
        webhook.form = fields.choice("format", &findings) ?? webhook.form
        webhook.minRecipients = fields.int("min_recipients", in: 0...Int.max, &findings) ?? 0
        if let words = fields.strings("when", &findings) { webhook.changes = changes(words, fields, &findings) }
        if let secret = fields.string("secret", &findings), isSecret(secret, of: "secret", &findings) {
            webhook.secret = secret.value
            if webhook.form == .slack {
                findings.error(
                    .invalidValue, "'secret' signs 'format: json'; Slack checks no signature",
                    at: fields.keyRange("secret"), help: "leave it out")
            }
        }
        webhook.reportURL = reportURL(fields, &findings)
        webhook.showsText = fields.bool("show_text", &findings) ?? false
        return webhook
    }

    private static func changes(
        _ words: [Located<String>], _ fields: Fields, _ findings: inout Findings
    ) -> Set<Webhook.Change> {
        let known = Webhook.Change.allCases.map(\.rawValue)
        var changes: Set<Webhook.Change> = []
        for word in words {
            if let change = Webhook.Change(rawValue: word.value) {
                changes.insert(change)
                continue
            }
            let near = findings.advice.nearest(to: word.value, among: known)
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'when' takes \(known.joined(separator: ", "))", at: word.range,
                    help: near.map { "did you mean '\($0)'?" }, replacement: near))
        }
        if words.isEmpty {
            findings.error(
                .invalidValue, "'when' has no word", at: fields.keyRange("when"),
                help: "name one, or leave it out to be told of everything")
        }
        return changes
    }

    private static func reportURL(_ fields: Fields, _ findings: inout Findings) -> String? {
        guard let url = fields.string("report_url", &findings) else { return nil }
        let isAddress = ["https://", "http://"].contains { url.value.hasPrefix($0) }
        if isAddress, url.value.contains("{run}"), url.value.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            return url.value
        }
        findings.diagnostics.append(
            .error(
                .invalidValue, "'report_url' is no address with {run} in it", at: url.range,
                help: "write the address of a report, with {run} for the run's name: \"https://…/{run}.html\""))
        return nil
    }
}
