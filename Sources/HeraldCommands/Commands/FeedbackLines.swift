import FCM
import HeraldCore

/// What `feedback` writes. Recipients are read in parts, so that memory does not grow with their number.
struct FeedbackLines {
    typealias Write = (String) throws -> Void

    private static let partSize = 4096
    private let store: any StateStore

    init(_ store: any StateStore) { self.store = store }

    func deaths(_ write: Write) async throws {
        var last: Tombstone?
        while true {
            let page = try await store.tombstones(after: last, limit: Self.partSize)
            guard let end = page.last else { return }
            last = end
            try write(
                page.map { tombstone in
                    var line: [String: JSONValue] = [
                        "registration": .string(tombstone.registration.rawValue),
                        "kind": .string(tombstone.registration.kind.rawValue), "died": .string(tombstone.died.rfc3339),
                    ]
                    // Of whom a database is still to be told.
                    if let notice = tombstone.notice {
                        (line["run"], line["number"]) = (.string(notice.run), .int(notice.number))
                    }
                    return JSONValue.object(line).compactText + "\n"
                }.joined())
        }
    }

    /// - Returns: How many occurrences are left out, because they were pruned.
    func outcomes(_ write: Write) async throws -> Int {
        var pruned = 0
        for id in try await store.snapshot().occurrences.keys.sorted() {
            guard let occurrence = try await store.occurrence(id) else { continue }
            guard let recorded = occurrence.ledger else {
                pruned += 1
                continue
            }
            let ledger = occurrence.finished == nil ? recorded : recorded.ended()
            for entry in LedgerEntry.allCases where entry.isSettled {
                try await self.write(ledger[entry], id, occurrence, write) { (entry.word, ledger.codes.state(of: $0)) }
            }
            let heldOut = occurrence.classes.states.filter(\.isHoldout)
                .reduce(into: RecipientSet()) { $0.formUnion(occurrence.classes[$1]) }
                .subtracting(ledger.entries.all)
            try await self.write(heldOut, id, occurrence, write) { _ in ("skipped", "held_out") }
            let rest = occurrence.classes.all.union(ledger.entries.all).subtracting(ledger.settled)
                .subtracting(heldOut)
            try await self.write(rest, id, occurrence, write) { _ in occurrence.outcomeOfRest }
        }
        return pruned
    }

    private func write(
        _ members: RecipientSet, _ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ write: Write,
        _ outcome: (RecipientID) -> (word: String, code: String?)
    ) async throws {
        let time = (occurrence.finished ?? occurrence.begun ?? occurrence.due).map { JSONValue.string($0.rfc3339) }
        let numbers = Array(members)
        for start in stride(from: 0, to: numbers.count, by: Self.partSize) {
            let part = numbers[start..<min(start + Self.partSize, numbers.count)]
            let known = try await store.registrations(of: RecipientSet(part).subtracting(.target))
            var text = ""
            for number in part {
                // Of one request to a whole target nobody knows whom it reached. Whoever was erased is not known.
                guard let registration = known[number] else { continue }
                let (word, code) = outcome(number)
                let line: JSONValue = [
                    "campaign": .string(occurrence.campaign), "occurrence": .string(id.rawValue),
                    "registration": .string(registration.rawValue), "outcome": .string(word),
                    "code": code.map { .string($0) } ?? .null, "time": time ?? .null,
                ]
                text += line.compactText + "\n"
            }
            try write(text)
        }
    }
}

extension RecordedOccurrence {
    /// What came of those who have no outcome that stays: they were not tried, or it is open and FCM refused them for now.
    fileprivate var outcomeOfRest: (word: String, code: String?) {
        if finished != nil { return ("skipped", SkipReason.notTried.rawValue) }
        return (halt == nil ? "pending" : "held", nil)
    }
}

extension LedgerEntry {
    /// As reports call it.
    fileprivate var word: String {
        switch self {
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .intended, .unknown, .abandoned: "unknown"
        case .deferred, .again: "pending"
        case .skipped: "skipped"
        }
    }
}
