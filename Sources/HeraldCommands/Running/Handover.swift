import HeraldCore
import HeraldStore

/// Hands dead registrations to a statement of somebody's database, and notes in the state who was told.
struct Handover {
    private let store: any StateStore
    private let statement: String
    /// How many rows the database refused. They are tried again by the next run.
    private(set) var refused = 0
    /// The first of them, and why.
    private(set) var refusal: (notice: DeathNotice, problem: FetchProblem)?

    /// After so many, it is not the rows that are wrong.
    private static let mostRefused = 32

    init(to statement: String, from store: any StateStore) {
        (self.statement, self.store) = (statement, store)
    }

    /// - Parameter connect: Called when there is somebody to tell of.
    mutating func tellAll(_ connect: () throws(FetchProblem) -> PostgresTelling) async throws {
        var target: PostgresTelling?
        var last: DeathNotice?
        while true {
            let page = try await store.deathNotices(after: last, limit: PostgresTelling.batch)
            guard let end = page.last else { return }
            last = end
            let told = try target ?? connect()
            target = told
            var rest = page[...]
            while let run = rest.first?.run {
                let notices = rest.prefix { $0.run == run }
                rest = rest.dropFirst(notices.count)
                try await tell(notices, to: told)
            }
        }
    }

    /// Halves what is refused, until the rows that the database does not take are alone.
    private mutating func tell(_ notices: ArraySlice<DeathNotice>, to target: PostgresTelling) async throws {
        var parts = [notices]
        while let part = parts.popLast() {
            guard let first = part.first, let last = part.last else { continue }
            guard let problem = try Self.refusal(of: part, by: target, statement) else {
                try await store.commit([.toldDeaths(run: first.run, first.number...last.number)])
                continue
            }
            guard part.count == 1 else {
                let middle = part.startIndex + part.count / 2
                parts += [part[middle...], part[..<middle]]
                continue
            }
            refused += 1
            if refusal == nil { refusal = (first, problem) }
            guard refused < Self.mostRefused else { throw problem }
        }
    }

    private static func refusal(
        of part: ArraySlice<DeathNotice>, by target: PostgresTelling, _ statement: String
    ) throws(FetchProblem) -> FetchProblem? {
        do throws(QueryError) { return try target.tell(part, with: statement).map { .query($0) } } catch {
            throw error == .stopped ? .stopped : .query(error)
        }
    }
}
