internal import FCM

extension RecordedState {
    /// Removes recipients for good. Their outcomes stay, and no open occurrence waits for them any more.
    package func changes(erasing members: RecipientSet) -> [StateChange] {
        occurrences.sorted { $0.key < $1.key }.flatMap { id, occurrence in occurrence.settling(members, as: id) }
            + [.erase(members), .erased(erased.union(members))]
    }

    /// Numbers of recipients who were erased. Nobody else gets them.
    package var erased: RecipientSet {
        let json = notes[.erased].flatMap { try? JSONValue(strictly: Array($0.utf8), depth: 4) }
        return (json?.array ?? []).reduce(into: RecipientSet()) { erased, range in
            let ends = (range.array ?? []).compactMap { $0.int.flatMap { RecipientID(exactly: $0) } }
            guard ends.count == 2 else { return }
            // A note that somebody wrote may name numbers that nobody has.
            let (first, end) = (max(ends[0], KnownRecipient.firstID), min(ends[1], nextRecipient))
            if first < end { erased.formUnion(RecipientSet(first..<end)) }
        }
    }

    /// All recipients that it knows, the dead too.
    var known: RecipientSet { RecipientSet(KnownRecipient.firstID..<nextRecipient).subtracting(erased) }

    /// How many these are.
    package var knownCount: Int { Int(nextRecipient - KnownRecipient.firstID) - erased.count }
}

extension StateChange {
    /// As ranges, because people are often erased together.
    fileprivate static func erased(_ members: RecipientSet) -> StateChange {
        var ranges: [Range<RecipientID>] = []
        for id in members {
            if let last = ranges.last, last.upperBound == id {
                ranges[ranges.count - 1] = last.lowerBound..<id + 1
            } else {
                ranges.append(id..<id + 1)
            }
        }
        let pairs = ranges.map { JSONValue.array([.int(Int64($0.lowerBound)), .int(Int64($0.upperBound))]) }
        return .note(.erased, JSONValue.array(pairs).compactText)
    }
}
