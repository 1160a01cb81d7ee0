import HeraldCore
import HeraldStore

/// Hands dead registrations to a statement of somebody's database, and notes in the state who was told.
struct Handover {
    private let store: any StateStore
    private let statement: String
    private let now: @Sendable () -> ContinuousClock.Instant
    /// How many rows the database refused. They are tried again by the next run.
    private(set) var refused = 0
    /// The first of them, and why.
    private(set) var refusal: (notice: DeathNotice, problem: FetchProblem)?

    /// How many parts it refused since it took one.
    private var inRow = 0
    /// How long the slowest statement of this page took. What is refused comes again in parts, which says nothing of the
    /// time that one has.
    private var slowest = Duration.zero

    /// After so many in a row, it is not the rows that are wrong.
    private static let mostRefused = 512
    /// How many parts of each batch are tried all the same.
    private static let leastTried = 16

    /// How many are handed over at once: few at first, and more while the database is quick. One that is slow would
    /// otherwise take none in the time that a statement has, run after run.
    struct Size {
        private(set) var rows = 32

        mutating func note(_ elapsed: Duration) {
            if elapsed < .seconds(5) {
                rows = min(rows * 2, PostgresTelling.batch)
            } else if elapsed > .seconds(10) {
                rows = max(rows / 2, 1)
            }
        }
    }

    init(
        to statement: String, from store: any StateStore,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.statement, self.store, self.now) = (statement, store, now)
    }

    /// - Parameter connect: Called when there is somebody to tell of.
    mutating func tellAll(_ connect: () throws(FetchProblem) -> PostgresTelling) async throws {
        var target: PostgresTelling?
        var last: DeathNotice?
        var size = Size()
        while true {
            let page = try await store.deathNotices(after: last, limit: size.rows)
            guard let end = page.last else { return }
            last = end
            let told = try target ?? connect()
            target = told
            slowest = .zero
            var rest = page[...]
            while let run = rest.first?.run {
                let notices = rest.prefix { $0.run == run }
                rest = rest.dropFirst(notices.count)
                try await tell(notices, to: told)
            }
            size.note(slowest)
        }
    }

    private typealias Part = (rows: ArraySlice<DeathNotice>, problem: FetchProblem?)

    /// Halves what is refused, the larger parts first, until the rows that the database does not take are alone.
    private mutating func tell(_ notices: ArraySlice<DeathNotice>, to target: PostgresTelling) async throws {
        inRow = min(inRow, Self.mostRefused - Self.leastTried)
        var parts: ArraySlice<Part> = [(notices, nil)]
        var left: [Part] = []
        while inRow < Self.mostRefused, let rows = parts.popFirst()?.rows, let first = rows.first, let last = rows.last
        {
            guard let problem = try refusal(of: rows, by: target) else {
                try await store.commit([.toldDeaths(run: first.run, first.number...last.number)])
                inRow = 0
                continue
            }
            inRow += 1
            let middle = rows.startIndex + rows.count / 2
            if rows.count == 1 {
                left.append((rows, problem))
            } else {
                parts += [(rows[..<middle], problem), (rows[middle...], problem)]
            }
        }
        note(left + parts)
    }

    /// Notes what the database did not take. Of a part that was not tried row by row, some row is refused.
    private mutating func note(_ left: [Part]) {
        refused += left.map(\.rows.count).reduce(0, +)
        let alone = left.filter { $0.rows.count == 1 }
        let first = (alone.isEmpty ? left : alone).min { $0.rows.startIndex < $1.rows.startIndex }
        guard refusal == nil, let first, let notice = first.rows.first, let problem = first.problem else { return }
        refusal = (notice, problem)
    }

    private mutating func refusal(
        of part: ArraySlice<DeathNotice>, by target: PostgresTelling
    ) throws(FetchProblem) -> FetchProblem? {
        let begin = now()
        defer { slowest = max(slowest, begin.duration(to: now())) }
        do throws(QueryError) { return try target.tell(part, with: statement).map { .query($0) } } catch {
            throw FetchProblem(error, within: PostgresTelling.limit)
        }
    }
}
