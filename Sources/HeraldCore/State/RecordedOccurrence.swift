/// One firing of a campaign: `NAME@2026-12-01T08:00:00Z`, or `NAME@once`; `#N` behind it from revision 2 on.
package struct OccurrenceID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package init(campaign: String, due: Date?, revision: Int) {
        let suffix = revision > 1 ? "#\(revision)" : ""
        rawValue = "\(campaign)@\(due.map(\.rfc3339) ?? "once")\(suffix)"
    }

    package var description: String { rawValue }

    package static func < (one: OccurrenceID, other: OccurrenceID) -> Bool { one.rawValue < other.rawValue }
}

/// What came of an occurrence, recipient by recipient. Who is in no set has not been tried.
package struct RecordedOccurrence: Hashable, Sendable {
    package var campaign: String
    package var revision: Int
    /// Absent without a schedule.
    package var due: Date?
    /// SHA-256 of message and target, so that a changed message is seen.
    package var contentDigest: String
    /// For people: `topic:NAME` or `audience:NAME`.
    package var target: String
    /// When nobody was left to be tried.
    package var finished: Date?
    package var accepted: RecipientSet = []
    package var rejected: RecipientSet = []
    /// The request may have had its effect, and nobody can tell.
    package var unknown: RecipientSet = []
    /// The request was about to leave. After a crash nobody can tell whether it did.
    package var intended: RecipientSet = []
    /// May have got it, and a person has settled that this is to stay so.
    package var abandoned: RecipientSet = []
    /// FCM said no and may be asked again. Should it have delivered all the same, another try is a second push.
    package var deferred: RecipientSet = []
    /// Of the rejected, who was rejected with which code.
    package var codes: [String: RecipientSet] = [:]

    package init(campaign: String, revision: Int, due: Date?, contentDigest: String, target: String) {
        self.campaign = campaign
        self.revision = revision
        self.due = due
        self.contentDigest = contentDigest
        self.target = target
    }

    package var tried: RecipientSet {
        LedgerEntry.allCases.reduce(into: RecipientSet()) { if $1 != .deferred { $0.formUnion(self[$1]) } }
    }

    /// Nobody knows what they got.
    package var uncertain: RecipientSet { unknown.union(intended) }

    mutating func move(_ members: RecipientSet, to entry: LedgerEntry?) {
        for other in LedgerEntry.allCases { self[other].subtract(members) }
        codes = codes.mapValues { $0.subtracting(members) }.filter { !$0.value.isEmpty }
        if let entry { self[entry].formUnion(members) }
    }
}

/// What is known of one recipient of an occurrence.
package enum LedgerEntry: Int, Hashable, Sendable, CaseIterable {
    case intended = 0
    case accepted = 1
    case rejected = 2
    case unknown = 3
    case abandoned = 4
    /// Counts as not tried.
    case deferred = 5
}

extension RecordedOccurrence {
    package subscript(entry: LedgerEntry) -> RecipientSet {
        get {
            switch entry {
            case .intended: intended
            case .accepted: accepted
            case .rejected: rejected
            case .unknown: unknown
            case .abandoned: abandoned
            case .deferred: deferred
            }
        }
        set {
            switch entry {
            case .intended: intended = newValue
            case .accepted: accepted = newValue
            case .rejected: rejected = newValue
            case .unknown: unknown = newValue
            case .abandoned: abandoned = newValue
            case .deferred: deferred = newValue
            }
        }
    }
}
