/// Who has had how many messages, and whom caps stop. A message may start at a time if fewer than `max` that count
/// started in the `per` before it.
struct CapBook {
    private var starts: [(occurrence: OccurrenceID, start: MessageStart, members: RecipientSet)]
    /// How many of these the state has. The others are planned.
    private let recorded: Int
    private var now: Date
    /// The caps that each planned one heeds itself, in the order of `starts`.
    private var heeded: [[FrequencyCap]] = []

    init(_ starts: [OccurrenceID: Partition<MessageStart>], at now: Date) {
        self.now = now
        self.starts = starts.flatMap { id, partition in partition.states.map { (id, $0, partition[$0]) } }
        recorded = self.starts.count
    }

    /// The same messages, for those who are to get one later.
    func looking(at time: Date) -> CapBook {
        var book = self
        book.now = time
        return book
    }

    /// Counts messages as if they started now.
    ///
    /// - Parameter caps: those that may stop them.
    mutating func count(
        _ members: RecipientSet, of occurrence: OccurrenceID, tags: [String], heeding caps: [FrequencyCap]
    ) {
        guard !members.isEmpty else { return }
        starts.append((occurrence, MessageStart(until: now, tags: tags), members))
        heeded.append(caps)
    }

    /// Keeps only planned messages whose own caps are all among these. If one of them does not go out to somebody, one of
    /// these caps stops it, and stops the next message, too.
    mutating func keepPlanned(heeding caps: [FrequencyCap]) {
        let kept = zip(starts[recorded...], heeded).filter { $1.allSatisfy(caps.contains) }
        starts.replaceSubrange(recorded..., with: kept.map(\.0))
        heeded = kept.map(\.1)
    }

    /// Who of the members is stopped, by the first cap that is full.
    ///
    /// - Parameter occurrence: its own messages do not count: nobody is stopped by their own first try.
    func capped(
        _ members: RecipientSet, of occurrence: OccurrenceID, by caps: [FrequencyCap]
    ) -> [(cap: FrequencyCap, members: RecipientSet)] {
        var rest = members
        var result: [(cap: FrequencyCap, members: RecipientSet)] = []
        for cap in caps where !rest.isEmpty {
            let full = full(rest, of: occurrence, cap)
            guard !full.isEmpty else { continue }
            result.append((cap, full))
            rest.subtract(full)
        }
        return result
    }

    /// Who of those who are stopped would not be, or by another cap, if nothing that is only planned started.
    func undecided(
        _ stopped: [(cap: FrequencyCap, members: RecipientSet)], of occurrence: OccurrenceID, by caps: [FrequencyCap]
    ) -> RecipientSet {
        guard recorded < starts.count, !stopped.isEmpty else { return [] }
        var book = self
        book.starts.removeLast(starts.count - recorded)
        let all = stopped.reduce(into: RecipientSet()) { $0.formUnion($1.members) }
        var rest = all
        for (cap, members) in book.capped(all, of: occurrence, by: caps) {
            for (other, own) in stopped where other == cap { rest.subtract(members.intersection(own)) }
        }
        return rest
    }

    /// Those who had at least `max` messages.
    private func full(_ members: RecipientSet, of occurrence: OccurrenceID, _ cap: FrequencyCap) -> RecipientSet {
        let begin = now - cap.per.seconds
        // Those who had at least 1, 2, … messages.
        var levels: [RecipientSet] = []
        var known: [OccurrenceID: RecipientSet] = [:]
        for entry in starts
        where entry.occurrence != occurrence && entry.start.until > begin && cap.isFor(entry.start.tags) {
            // A message of an occurrence that is sent again is no second one.
            let fresh = entry.members.intersection(members).subtracting(known[entry.occurrence] ?? [])
            if fresh.isEmpty { continue }
            known[entry.occurrence, default: []].formUnion(fresh)
            for level in levels.indices.reversed() {
                let again = levels[level].intersection(fresh)
                if again.isEmpty { continue }
                if level + 1 < levels.count {
                    levels[level + 1].formUnion(again)
                } else if levels.count < cap.max {
                    levels.append(again)
                }
            }
            if levels.isEmpty { levels.append(fresh) } else { levels[0].formUnion(fresh) }
        }
        return levels.count == cap.max ? levels[cap.max - 1] : []
    }
}
