internal import FCM

/// The registrations of a survey that still need a question: those that were not asked for yet, those that differ and are
/// asked for once more, and those whose question failed or has another page.
struct SurveyQueue {
    private var groups: ArraySlice<RecipientSet>
    private var fresh: RecipientSet.Iterator
    /// How many were not read yet.
    private var freshCount: Int
    /// Those of them who were asked for before their turn.
    private var early = RecipientSet()
    /// Those that are asked for once more, in the order of their times.
    private var again: ArraySlice<(ready: Duration, id: RecipientID)> = []
    /// How many of them are ready, as of the last `ripen`.
    private var ripe = 0
    /// Those whose registrations were read.
    private var ahead: ArraySlice<Addressee> = []
    var retries = RetryQueue()

    /// Those that are asked for once more wait behind so many, so it is not more than a moment's.
    private static let readAheadSize = 256

    init(_ groups: [RecipientSet]) {
        self.groups = groups[...]
        fresh = RecipientSet().makeIterator()
        freshCount = groups.reduce(0) { $0 + $1.count }
    }

    var isEmpty: Bool { freshCount == 0 && again.isEmpty && ahead.isEmpty && retries.isEmpty }

    /// Whether anybody can be asked for who was not.
    var hasFresh: Bool { freshCount > 0 || !ahead.isEmpty }

    /// How many questions could start now, as of the last `ripen`.
    var readyCount: Int { freshCount + ripe + ahead.count + retries.readyCount }

    /// When the next question becomes ready that is not.
    var nextReady: Duration? {
        let waiting = again.dropFirst(ripe).first?.ready
        return [waiting, retries.nextReady].compactMap(\.self).min()
    }

    mutating func ripen(at now: Duration) {
        retries.ripen(at: now)
        while ripe < again.count, again[again.startIndex + ripe].ready <= now { ripe += 1 }
    }

    /// - Parameter ready: not before the time of anybody who is asked for once more.
    mutating func askAgain(_ id: RecipientID, at ready: Duration) { again.append((ready, id)) }

    /// Asks for these first, of whom nobody was asked for.
    mutating func askFirst(_ ids: RecipientSet) {
        again = ids.map { (.zero, $0) } + again
        ripe += ids.count
        early = ids
    }

    /// Whether the registration was read, so that it is asked for soon.
    func isAhead(_ id: RecipientID) -> Bool { ahead.contains { $0.id == id } }

    /// Nobody is asked for the first time any more.
    ///
    /// - Parameter isKnown: whether a registration was asked for.
    mutating func dropFresh(except isKnown: (RecipientID) -> Bool) {
        (groups, fresh, freshCount) = ([], RecipientSet().makeIterator(), 0)
        ahead = ahead.filter { isKnown($0.id) }[...]
    }

    /// The registrations that must be read before that many questions can start. `nil` if none is missing.
    mutating func missing(for count: Int) -> RecipientSet? {
        guard retries.readyCount + ahead.count < count, freshCount + ripe > 0 else { return nil }
        var ids = RecipientSet()
        var rest = max(count, Self.readAheadSize)
        while rest > 0, ripe > 0, let next = again.popFirst() {
            ids.insert(next.id)
            (ripe, rest) = (ripe - 1, rest - 1)
        }
        // A slice keeps its removed elements in memory until it is copied.
        if again.startIndex > 10_000, again.startIndex > again.count { again = ArraySlice(Array(again)) }
        while rest > 0, let id = nextFresh() {
            ids.insert(id)
            rest -= 1
        }
        return ids
    }

    private mutating func nextFresh() -> RecipientID? {
        while freshCount > 0 {
            if let id = fresh.next() {
                freshCount -= 1
                if !early.isEmpty, early.remove(id) { continue }
                return id
            }
            guard let group = groups.popFirst() else { return nil }
            fresh = group.makeIterator()
        }
        return nil
    }

    mutating func add(_ addressees: [Addressee]) { ahead += addressees }

    /// Takes up to that many. Those whose question failed, or has another page, come first.
    mutating func take(_ count: Int) -> [Addressee] {
        let repeated = Array(retries.takeReady(count))
        let taken = ahead.prefix(count - repeated.count)
        ahead = ahead.dropFirst(taken.count)
        return repeated + taken
    }
}
