import FCM
import Foundation
import HeraldCore
import HeraldStore

/// Lists from PostgreSQL.
extension ListFetch {
    /// Fetches all lists of one database. They are put in place when the last one has come, so that they fit together.
    func fetch(_ wanted: [Wanted], at address: String, _ told: Told) {
        let begin = machine.now()
        let queries: PostgresQueries
        do throws(FetchProblem) { queries = try sources.connect(to: address, wanted[0].origin) } catch {
            for (audience, _) in wanted { told(audience, .failure(error)) }
            return
        }
        if queries.mayWrite {
            console.error(
                "herald: warning: the role for \(wanted[0].origin.place) may change tables\n"
                    + "  help: make a role that may only SELECT what the lists need\n")
        }
        var ready: [(audience: Audience, draft: ListDraft, note: FetchedList)] = []
        for next in wanted {
            do throws(FetchProblem) {
                let draft = try draft(of: next)
                let (loaded, content) = try draft.content(for: next.audience, among: workspace.audiences) {
                    (list) throws(FetchProblem) in try copy(next.origin, of: queries, into: list)
                }
                ready.append((next.audience, draft, try note(of: draft, next, content, loaded: loaded)))
            } catch {
                told(next.audience, .failure(error))
            }
        }
        if ready.isEmpty { return }
        let moment = FetchedList.Moment(id: UUID().uuidString.lowercased(), lists: ready.map(\.audience.name.value))
        for place in ready.indices {
            // All show that moment, however long the lists before took. So they are due together again.
            ready[place].note.fetched = begin
            if ready.count > 1 { ready[place].note.moment = moment }
        }
        let published = Result.of { () throws(FetchProblem) in
            try ListDraft.publish(ready.map { ($0.draft, $0.note) }, in: path)
        }
        for (audience, _, note) in ready { told(audience, published.map { note }) }
    }

    /// Whether both lists are in one database, so that one moment can show both.
    static func areOfOneDatabase(_ one: Wanted, _ other: Wanted, in folder: WorkspaceFolder) -> Bool {
        guard case .postgres(let address, _) = one.origin.kind,
            case .postgres(let otherAddress, _) = other.origin.kind
        else { return false }
        return address == otherAddress && one.origin.ca.map(folder.path(of:)) == other.origin.ca.map(folder.path(of:))
    }

    private func copy(
        _ origin: Audience.Origin, of queries: PostgresQueries, into list: ListWriter
    ) throws(FetchProblem) -> Date? {
        var loaded: String?
        do throws(QueryError) {
            if let question = origin.freshness.loadedAt {
                loaded = try queries.value(of: question, within: origin.timeout)
            }
            try queries.copy(origin.query?.text ?? "", into: list, within: origin.timeout)
        } catch {
            throw FetchProblem(error, within: origin.timeout)
        }
        return try Self.time(loaded)
    }
}
