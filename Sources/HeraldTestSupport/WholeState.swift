package import HeraldCore

extension StateStore {
    /// The state including the ledgers of finished occurrences, which are read one by one. A snapshot has the others.
    package func wholeState() async throws -> RecordedState { try await wholeState(of: snapshot()) }

    /// - Parameter snapshot: what the state says now.
    package func wholeState(of snapshot: RecordedState) async throws -> RecordedState {
        var state = snapshot
        for id in state.occurrences.keys where state.occurrences[id]?.finished != nil {
            state.occurrences[id] = try await occurrence(id)
        }
        return state
    }
}

/// The recipient sets of an occurrence whose ledger was read.
extension RecordedOccurrence {
    package subscript(entry: LedgerEntry) -> RecipientSet {
        get { ledger?[entry] ?? [] }
        set {
            var entries = ledger?.entries ?? Partition()
            entries[entry] = newValue
            outcomes = .ledger(Ledger(entries: entries, codes: ledger?.codes ?? Partition()))
        }
    }

    package var intended: RecipientSet {
        get { self[.intended] }
        set { self[.intended] = newValue }
    }

    package var accepted: RecipientSet {
        get { self[.accepted] }
        set { self[.accepted] = newValue }
    }

    package var rejected: RecipientSet {
        get { self[.rejected] }
        set { self[.rejected] = newValue }
    }

    package var unknown: RecipientSet {
        get { self[.unknown] }
        set { self[.unknown] = newValue }
    }

    package var abandoned: RecipientSet { self[.abandoned] }
    package var deferred: RecipientSet { self[.deferred] }

    package var tried: RecipientSet { ledger?.entries.union(of: LedgerEntry.allCases.filter(\.isTried)) ?? [] }
    package var uncertain: RecipientSet { ledger?.uncertain ?? [] }

    package var codes: [String: RecipientSet] {
        get {
            ledger.map { ledger in Dictionary(uniqueKeysWithValues: ledger.codes.states.map { ($0, ledger.codes[$0]) })
            } ?? [:]
        }
        set {
            outcomes = .ledger(Ledger(entries: ledger?.entries ?? Partition(), codes: Partition(disjoint: newValue)))
        }
    }
}
