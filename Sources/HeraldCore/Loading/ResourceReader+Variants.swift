internal import FCM

extension ResourceReader {
    static let variantKeys = KeyTable(["weight", "holdout", "message", "locales"], required: ["weight"])
    /// Their sum is a number of 64 bits, however many there are.
    private static let largestWeight = 1_000_000_000

    /// The variants, sorted by name.
    static func variants(_ node: Node, _ findings: inout Findings) -> [Personal.Variant] {
        guard let entries = node.mapping else {
            findings.error(.wrongType, "'variants' must be a mapping, not \(node.kindName)", at: node.range)
            return []
        }
        if entries.isEmpty { findings.error(.invalidValue, "'variants' names no variant", at: node.range) }
        let variants = entries.compactMap { variant($0, &findings) }
        if !variants.isEmpty, variants.count == entries.count, variants.allSatisfy(\.isHoldout) {
            let every = entries.count == 1 ? "the only variant" : "every variant"
            findings.error(
                .invalidValue, "\(every) is a holdout, so nobody is sent anything", at: node.range,
                help: "add a variant that is sent, if only {weight: 1}")
        } else if entries.count == 1 {
            findings.warning(
                .variantAlone, "there is only one variant, so there is nothing to compare", at: entries[0].keyRange,
                help: "add another variant or a holdout, or move its texts into 'message'")
        }
        return variants.sorted { $0.name.value < $1.name.value }
    }

    private static func variant(_ entry: Node.Entry, _ findings: inout Findings) -> Personal.Variant? {
        let name = Located(entry.key, at: findings.at(entry.keyRange))
        let isNamed = isResourceName(name, &findings)
        guard let keys = Fields(entry.value, "variant '\(entry.key)'", variantKeys, &findings) else { return nil }
        let weight = keys.int("weight", in: 1...largestWeight, &findings)
        var variant = Personal.Variant(name: name, weight: weight ?? 1)
        variant.isHoldout = keys.bool("holdout", &findings) ?? false
        if variant.isHoldout {
            for key in ["message", "locales"] where keys[key] != nil {
                findings.error(
                    .invalidValue, "'\(entry.key)' is a holdout, which is sent nothing", at: keys.keyRange(key),
                    help: "take '\(key)' out, or 'holdout: true'")
            }
        } else {
            let words = "the message of variant '\(entry.key)'"
            variant.message =
                keys["message"].flatMap { Campaign.message(from: $0, as: .patch, named: words, &findings)?.value }
                ?? [:]
            variant.locales =
                keys["locales"].map { locales($0, of: "variant '\(entry.key)', locale", &findings) } ?? [:]
        }
        return isNamed ? variant : nil
    }
}
