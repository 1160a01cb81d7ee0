internal import FCM

extension SkipReason {
    /// For sentences: `12 outside of their window`.
    fileprivate func words(_ number: Int) -> String {
        switch self {
        case .outsideWindow: "outside of their window"
        case .missed: "too late"
        case .superseded: "superseded by a later occurrence"
        case .noSuchTime: "whose clock jumps over that time"
        case .sameInstant: "who get another occurrence at that instant"
        case .notTried: "never tried"
        case .badRow: number == 1 ? "bad row" : "bad rows"
        case .heldOut: "held out"
        case .capped(let cap): "by cap '\(cap)'"
        }
    }
}

extension [SkipReason: Int] {
    /// By the names that documents use. Every reason is there, and every cap that stopped somebody.
    var json: [String: JSONValue] {
        var members = SkipReason.single.reduce(into: [String: JSONValue]()) {
            $0[$1.rawValue] = .int(Int64(self[$1] ?? 0))
        }
        let caps = compactMap { reason, count in if case .capped(let cap) = reason { (cap, count) } else { nil } }
        members["capped"] = .object(
            caps.reduce(into: [String: JSONValue]()) { $0[$1.0] = .int(Int64($1.1)) })
        return members
    }

    /// How many were skipped, and why: `12 outside of their window`. Empty if nobody was.
    var parts: [String] {
        filter { $0.value > 0 }.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.value.grouped) \($0.key.words($0.value))" }
    }

    /// In one phrase.
    var words: String { parts.isEmpty ? "" : "skipped: \(parts.joined(separator: ", "))" }
}
