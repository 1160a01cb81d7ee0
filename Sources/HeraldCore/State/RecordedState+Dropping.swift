extension RecordedState {
    /// Forgets an occurrence. What it sent still counts for caps, under a name of its own: if the occurrence's name is
    /// used again, that is another message.
    mutating func dropOccurrence(_ id: OccurrenceID) {
        guard occurrences.removeValue(forKey: id) != nil, let partition = starts.removeValue(forKey: id) else { return }
        starts[nameOfDropped(id)] = partition
    }

    /// A number that no other dropped occurrence of that name has. The stores give the same one.
    private func nameOfDropped(_ id: OccurrenceID) -> OccurrenceID {
        let prefix = id.rawValue + Self.droppedMark
        let numbers = starts.keys.filter { $0.rawValue.hasPrefix(prefix) }
            .compactMap { Int($0.rawValue.dropFirst(prefix.count)) }
        return OccurrenceID(rawValue: "\(prefix)\((numbers.max() ?? 0) + 1)")
    }

    /// What stands between the name of a dropped occurrence and its number.
    package static let droppedMark = " dropped #"
}
