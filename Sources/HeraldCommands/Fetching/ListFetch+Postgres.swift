import FCM
import HeraldCore
import HeraldStore

/// Lists from PostgreSQL.
extension ListFetch {
    /// Fetches all lists of one database. They are put in place when the last one has come, so that they fit together.
    func fetch(_ wanted: [Wanted], at address: String, _ told: Told) {
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
                let loaded = try copy(next.origin, of: queries, into: draft)
                ready.append((next.audience, draft, try note(of: draft, next, loaded: loaded)))
            } catch {
                told(next.audience, .failure(error))
            }
        }
        for (audience, draft, note) in ready {
            do throws(FetchProblem) {
                try draft.publish(note)
                told(audience, .success(note))
            } catch {
                told(audience, .failure(error))
            }
        }
    }

    private func copy(
        _ origin: Audience.Origin, of queries: PostgresQueries, into draft: ListDraft
    ) throws(FetchProblem) -> Date? {
        var loaded: String?
        do throws(QueryError) {
            if let question = origin.freshness.loadedAt {
                loaded = try queries.value(of: question, within: origin.timeout)
            }
            try queries.copy(origin.query?.text ?? "", into: ListWriter(draft.file), within: origin.timeout)
        } catch {
            throw FetchProblem(error, within: origin.timeout)
        }
        return try Self.time(loaded)
    }
}
