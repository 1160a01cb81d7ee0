internal import FCM

/// The recipients of a step that still need a request: first attempts, in the order of their numbers and with some
/// registrations read ahead, and recipients to be tried again.
struct StepQueue {
    private var fresh: RecipientSet.Iterator
    private(set) var freshCount: Int
    /// Fresh recipients whose registrations have been read.
    private var ahead: ArraySlice<Addressee> = []
    var retries = RetryQueue()
    private(set) var aside = Aside()
    /// Whom caps came to stop while the step was under way, whether they were still to be tried or not.
    private var stopped = RecipientSet()
    /// Those of them who were still to be tried. A later plan judges them.
    private(set) var awaitingCaps = RecipientSet()

    /// Recipients whose window has closed, or for whom it has expired. A later run accounts for them.
    struct Aside {
        /// How many ends have passed.
        var closings = 0
        var members = RecipientSet()
        /// Those of them who were still to be tried.
        var left = RecipientSet()
    }

    /// How many recipients' registrations are read at once.
    private static var readAheadSize: Int { 2048 }

    init(_ members: RecipientSet) {
        fresh = members.makeIterator()
        freshCount = members.count
    }

    var isEmpty: Bool { freshCount == 0 && retries.isEmpty }

    /// How many requests could start now, as of the last `ripen`.
    var readyCount: Int { freshCount + retries.readyCount }

    /// Adds recipients that were not tried yet.
    mutating func add(members: RecipientSet) {
        fresh = rest.union(members).makeIterator()
        freshCount += members.count
    }

    /// Gives all first attempts away, except those.
    mutating func giveAway(except kept: RecipientSet) -> RecipientSet {
        let given = untried.subtracting(kept)
        takeOut(given)
        return given
    }

    private var untried: RecipientSet { rest.union(RecipientSet(ahead.map(\.id))) }

    /// - Parameter members: some of the untried ones.
    private mutating func takeOut(_ members: RecipientSet) {
        fresh = rest.subtracting(members).makeIterator()
        ahead = ahead.filter { !members.contains($0.id) }[...]
        freshCount -= members.count
    }

    /// None of these is tried for the first time any more.
    ///
    /// - Parameter closings: how many ends have passed.
    mutating func setAside(_ members: RecipientSet, after closings: Int) {
        let left = untried.intersection(members)
        takeOut(left)
        aside = Aside(closings: closings, members: members, left: aside.left.union(left))
    }

    /// None of these is tried any more, for the first time or again: caps may stop them.
    mutating func setAside(forCaps members: RecipientSet) {
        stopped.formUnion(members)
        let waiting = untried.intersection(members)
        takeOut(waiting)
        awaitingCaps.formUnion(waiting)
        setRetriesAside()
    }

    /// Who was under way when their window closed, or when a cap came to stop them, is not tried again either.
    mutating func setRetriesAside() {
        if retries.isEmpty { return }
        if aside.closings > 0 { aside.left.formUnion(retries.remove(aside.members)) }
        if !stopped.isEmpty { awaitingCaps.formUnion(retries.remove(stopped)) }
    }

    private var rest: RecipientSet { RecipientSet(IteratorSequence(fresh)) }

    /// How long no request can start. Zero if that is too short for doing something else.
    func idleTime(at now: Duration) -> Duration {
        guard readyCount == 0, let next = retries.nextReady else { return .zero }
        let wait = next - now
        return wait >= .milliseconds(10) ? wait : .zero
    }

    /// The recipients whose registrations must be read before that many can be taken. `nil` if none is missing.
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

    /// Takes up to that many. Recipients that wait for another attempt come first.
    mutating func take(_ count: Int) -> [Addressee] {
        let repeated = Array(retries.takeReady(count))
        let taken = ahead.prefix(count - repeated.count)
        ahead = ahead.dropFirst(taken.count)
        freshCount -= taken.count
        return repeated + taken
    }
}
