/// Reads what `delivery` says about stages: `stages`, `seeds`, `soak` and `halt_when`.
enum StagesReader {
    static let keys = ["stages", "seeds", "soak", "halt_when"]
    static let limitKeys = KeyTable(["rejected_percent", "dead_percent", "unknown_percent"])
    /// As many stages as a person still follows.
    private static let most = 10

    static func stages(_ delivery: Fields, _ findings: inout Findings) -> Stages? {
        guard delivery["stages"] != nil || delivery["seeds"] != nil else {
            for key in ["soak", "halt_when"] where delivery[key] != nil {
                findings.error(
                    .missingKey, "'\(key)' is for stages, and there are none", at: delivery.keyRange(key),
                    help: "add stages: [1%, 10%, 100%], or leave it out")
            }
            return nil
        }
        var stages = Stages()
        if let node = delivery["stages"] { stages.shares = shares(node, &findings) ?? stages.shares }
        stages.seeds = delivery.string("seeds", &findings)
        if let node = delivery["soak"] {
            if node.scalar?.text == "manual" {
                stages.soak = .manual
            } else if let time = delivery.duration("soak", &findings) {
                stages.soak = .time(time)
            }
        }
        guard let node = delivery["halt_when"], let fields = Fields(node, "'halt_when'", limitKeys, &findings) else {
            return stages
        }
        let limits: [(String, WritableKeyPath<StageLimits, Int>)] = [
            ("rejected_percent", \.rejectedPercent), ("dead_percent", \.deadPercent),
            ("unknown_percent", \.unknownPercent),
        ]
        for (key, part) in limits {
            if let percent = fields.int(key, in: 0...100, &findings) { stages.limits[keyPath: part] = percent }
        }
        return stages
    }

    private static func shares(_ node: Node, _ findings: inout Findings) -> [StageShare]? {
        guard let items = node.sequence, (1...most).contains(items.count) else {
            findings.error(
                .wrongType, "'stages' must be a list of 1 to \(most) shares", at: node.range,
                help: "write stages: [1%, 10%, 100%]")
            return nil
        }
        var shares: [StageShare] = []
        for item in items {
            guard let share = StageShare(written: item.scalar?.text ?? "") else {
                findings.error(
                    .invalidValue, "a stage must be a share of the recipients", at: item.range,
                    help: "write a percentage above 0% and up to 100%, as in 1% or 12.5%")
                return nil
            }
            if let last = shares.last, share <= last {
                findings.error(
                    .invalidValue, "stage \(share.text) does not open the send further than \(last.text)",
                    at: item.range, help: "let the shares rise, as in [1%, 10%, 100%]")
                return nil
            }
            shares.append(share)
        }
        guard shares.last == .everybody else {
            findings.error(
                .invalidValue, "the last stage must be 100%", at: items.last?.range ?? node.range,
                help: "add 100%: whoever is in no stage would never get the message")
            return nil
        }
        return shares
    }
}
