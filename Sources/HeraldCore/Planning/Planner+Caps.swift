internal import FCM

/// Frequency caps: the second pass over what is due, in the order in which it is sent.
extension Planner {
    /// Takes out whom a cap stops. They are skipped for good: nothing queues behind a cap.
    ///
    /// - Parameter sends: in the order in which they go out. Each counts for those behind it.
    mutating func applyCaps(to sends: inout [Plan.Send]) {
        let caps = settings.frequencyCaps
        guard !caps.isEmpty else { return }
        var book = CapBook(state.starts, at: now)
        // What a run is sending was judged when it began, and goes on.
        for send in sends where underWay.contains(send.occurrence) { count(send, in: &book) }
        for index in sends.indices where !underWay.contains(sends[index].occurrence) {
            sends[index].counting = counting(sends[index])
            cap(&sends[index], by: book)
            count(sends[index], in: &book)
        }
    }

    /// `nil` if its messages do not count: nobody knows whom one request to a whole target reaches.
    private func counting(_ send: Plan.Send) -> StartCounting? {
        send.target.isOneRequest(send.delivery)
            ? nil : StartCounting(send.delivery.frequency, settings.frequencyCaps)
    }

    private func count(_ send: Plan.Send, in book: inout CapBook) {
        if let counting = counting(send) { book.count(send.members, of: send.occurrence, tags: counting.tags) }
    }

    private func cap(_ send: inout Plan.Send, by book: CapBook) {
        let frequency = send.delivery.frequency
        guard !frequency.ignoresCaps, !send.target.isOneRequest(send.delivery) else { return }
        // Who may have got it keeps that outcome.
        let uncertain = state.occurrences[send.occurrence]?.ledger?.uncertain ?? []
        for (cap, members) in book.capped(send.members, of: send.occurrence, by: frequency.caps) {
            send.skipped.move(members.subtracting(uncertain), to: .capped(cap.name))
            send.limit(to: send.members.subtracting(members))
        }
    }

    /// What the state notes about the messages that count: since when it knows them all, and which are too old.
    mutating func keepStarts() {
        let caps = settings.frequencyCaps
        guard let longest = caps.map(\.per).max() else {
            if state.countingSince != nil { plan.starts = [.counting(since: nil)] }
            return
        }
        if state.countingSince == nil { plan.starts.append(.counting(since: now)) }
        let end = now - longest.seconds
        if state.starts.values.contains(where: { $0.states.contains { $0.until <= end } }) {
            plan.starts.append(.forgetStarts(until: end))
        }
        // From a snapshot nothing is known.
        let since = state.countingSince ?? now
        let short = caps.filter { now - $0.per.seconds < since }.map { "'\($0.name)'" }
        guard !short.isEmpty, sizes == nil else { return }
        let which = short.count == 1 ? "cap \(short[0]) looks" : "caps \(short.joined(separator: ", ")) look"
        overview.warnings.append(
            "frequency \(which) further back than the state knows: messages count since \(since.rfc3339)")
    }
}
