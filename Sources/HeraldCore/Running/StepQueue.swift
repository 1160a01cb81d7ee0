internal import FCM

/// Whom a step has still to ask: those nobody has asked yet, in the order of their numbers and with their registrations
/// read some ahead, and those who are to be asked again.
struct StepQueue {
    private var fresh: RecipientSet.Iterator
    private(set) var freshCount: Int
    /// Of the fresh, those whose registrations have been read.
    private var ahead: ArraySlice<Addressee> = []
    var retries = RetryQueue()

    /// How many recipients' registrations are read at once.
    private static var readAheadSize: Int { 2048 }

    init(_ members: RecipientSet) {
        fresh = members.makeIterator()
        freshCount = members.count
    }

    var isEmpty: Bool { freshCount == 0 && retries.isEmpty }

    /// How many could be asked now, as of the last `ripen`.
    var readyCount: Int { freshCount + retries.readyCount }

    /// How long nobody can be asked; zero when that is not worth doing something else meanwhile.
    func idleTime(at now: Duration) -> Duration {
        guard readyCount == 0, let next = retries.nextReady else { return .zero }
        let wait = next - now
        return wait >= .milliseconds(10) ? wait : .zero
    }

    /// Whose registrations must be read before so many can be taken; `nil` when they are at hand.
    mutating func missing(for count: Int) -> RecipientSet? {
        let count = count - retries.readyCount
        guard count > ahead.count, freshCount > ahead.count else { return nil }
        var ids = RecipientSet()
        for _ in ahead.count..<max(count, Self.readAheadSize) {
            guard let id = fresh.next() else { break }
            ids.insert(id)
        }
        return ids
    }

    mutating func add(_ addressees: [Addressee]) { ahead += addressees }

    /// Takes so many, those who wait for another try first.
    mutating func take(_ count: Int) -> [Addressee] {
        let repeated = Array(retries.takeReady(count))
        let taken = ahead.prefix(count - repeated.count)
        ahead = ahead.dropFirst(taken.count)
        freshCount -= taken.count
        return repeated + taken
    }
}
