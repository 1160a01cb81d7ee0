/// What came of an occurrence, recipient by recipient. Who is in no entry has not been tried.
package struct Ledger: Hashable, Sendable {
    package private(set) var entries = Partition<LedgerEntry>()
    /// Of the rejected, who was rejected with which code.
    package private(set) var codes = Partition<String>()

    package init() {}

    /// - Parameter codes: everybody in them is among the rejected.
    package init(entries: Partition<LedgerEntry>, codes: Partition<String>) {
        self.entries = entries
        self.codes = codes
    }

    package subscript(entry: LedgerEntry) -> RecipientSet { entries[entry] }

    /// Those who are not asked again by themselves.
    package var tried: RecipientSet { entries.union(of: LedgerEntry.allCases.filter(\.isTried)) }

    /// Nobody knows what they got.
    package var uncertain: RecipientSet { entries.union(of: LedgerEntry.allCases.filter(\.isUncertain)) }

    /// Moves recipients to an entry, and out of the others; `nil`: back to not tried.
    package mutating func move(_ members: RecipientSet, to entry: LedgerEntry?) {
        entries.move(members, to: entry)
        codes.move(members, to: nil)
    }

    package mutating func reject(_ members: RecipientSet, code: String) {
        entries.move(members, to: .rejected)
        codes.move(members, to: code)
    }
}

/// What is known of one recipient of an occurrence.
package enum LedgerEntry: Int, Hashable, Sendable, CaseIterable {
    /// The request was about to leave. After a crash nobody can tell whether it did.
    case intended = 0
    case accepted = 1
    case rejected = 2
    /// The request may have had its effect, and nobody can tell.
    case unknown = 3
    /// May have got it, and a person has settled that this is to stay so.
    case abandoned = 4
    /// FCM said no and may be asked again. Should it have delivered all the same, another try is a second push.
    case deferred = 5

    var isTried: Bool { self != .deferred }
    var isUncertain: Bool { self == .intended || self == .unknown }
}
