/// How many recipients of an occurrence have which outcome.
package struct LedgerCounts: Hashable, Sendable {
    private let entries: [LedgerEntry: Int]
    private let codes: [String: Int]

    package init(entries: [LedgerEntry: Int], codes: [String: Int]) {
        self.entries = entries.filter { $0.value > 0 }
        self.codes = codes.filter { $0.value > 0 }
    }

    package init(_ ledger: Ledger) {
        let again = ledger[.again]
        let codes = again.isEmpty ? ledger.codes : ledger.codes.mapMembers { $1.subtracting(again) }
        self.init(entries: ledger.entries.counts, codes: codes.counts)
    }

    /// - Parameter isUntried: whether it ended without trying anybody. Other codes are not known.
    init(entries: [LedgerEntry: Int], isUntried: Bool) {
        self.init(entries: entries, codes: [:])
        guard isUntried else { return }
        self.init(
            entries: entries, codes: [Ledger.refusal: tried, SkipReason.notTried.rawValue: self[.skipped]])
    }

    package subscript(entry: LedgerEntry) -> Int { entries[entry] ?? 0 }

    /// The rejected recipients by error code.
    package var rejections: [String: Int] { codes.filter { SkipReason(rawValue: $0.key) == nil } }

    /// The skipped recipients by reason.
    package var skips: [SkipReason: Int] {
        Dictionary(codes.compactMap { code, count in SkipReason(rawValue: code).map { ($0, count) } }) { $0 + $1 }
    }

    /// How many have an outcome.
    package var all: Int { entries.values.reduce(0, +) }

    /// How many are not tried again.
    package var settled: Int { entries.reduce(0) { $1.key.isSettled ? $0 + $1.value : $0 } }

    package var tried: Int { entries.reduce(0) { $1.key.isTried ? $0 + $1.value : $0 } }

    /// How many outcomes are unknown.
    package var uncertain: Int { entries.reduce(0) { $1.key.isUncertain ? $0 + $1.value : $0 } }
}
