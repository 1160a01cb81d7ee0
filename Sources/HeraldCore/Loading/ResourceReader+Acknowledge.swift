extension ResourceReader {
    static let acknowledgeKeys = KeyTable(["max_recipients"], required: ["max_recipients"])

    /// `[broadcast, {max_recipients: 2500000}]`, or one of the two.
    static func acknowledgement(_ fields: Fields, _ findings: inout Findings) -> Campaign.Acknowledgement {
        var acknowledged = Campaign.Acknowledgement()
        guard let node = fields["acknowledge"] else { return acknowledged }
        guard let items = node.sequence else {
            findings.error(.wrongType, "'acknowledge' must be a list, not \(node.kindName)", at: node.range)
            return acknowledged
        }
        for item in items {
            if item.mapping != nil {
                let inner = Fields(item, "an entry of 'acknowledge'", acknowledgeKeys, &findings)
                acknowledged.maxRecipients =
                    inner?.int("max_recipients", in: 1...Int.max, &findings) ?? acknowledged.maxRecipients
            } else if let text = item.string("an entry of 'acknowledge'", &findings) {
                acknowledged.broadcast = acknowledged.broadcast || text.value == "broadcast"
                if text.value == "broadcast" { continue }
                let near = findings.advice.nearest(to: text.value, among: ["broadcast"])
                findings.error(
                    .invalidValue, "'\(text.value)' cannot be acknowledged", at: item.range,
                    help: "write broadcast or {max_recipients: N}", replacement: near)
            }
        }
        return acknowledged
    }
}
