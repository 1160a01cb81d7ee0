extension RecordedState {
    /// Removes recipients for good. Their outcomes stay, and no open occurrence waits for them any more.
    package func changes(erasing members: RecipientSet) -> [StateChange] {
        occurrences.sorted { $0.key < $1.key }.flatMap { id, occurrence in occurrence.settling(members, as: id) }
            + [.erase(members)]
    }
}
