import FCM
import HeraldCore
import HeraldStore

/// Lists from PostgreSQL.
extension ListFetch {
    /// Fetches all lists of one database. They are put in place when the last one has come, so that they fit together.
    func fetch(_ wanted: [Wanted], at address: String, _ told: Told) {
        let queries: PostgresQueries
        do throws(FetchProblem) { queries = try connect(to: address, wanted) } catch {
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
                try copy(next.origin, of: queries, into: draft)
                let content = try draft.content(for: next.audience, among: workspace.audiences)
                ready.append((next.audience, draft, note(content, next.origin, draft)))
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

    private func connect(to address: String, _ wanted: [Wanted]) throws(FetchProblem) -> PostgresQueries {
        // A variable may hold the whole address. Other variables stand in its parts, and cannot add a part.
        let isVariable = address.hasPrefix("${")
        let given = try isVariable ? variables.expand(address) : address
        if !isVariable { _ = try variables.expand(address) }
        guard PostgresSettings.isAddress(given) else { throw .addressForm }
        let ca = wanted[0].origin.ca.map { folder.path(of: $0) }
        let parsed: PostgresAddress
        do throws(PostgresAddressError) {
            parsed = try PostgresAddress(ofList: given, isFromFile: !isVariable, variables: variables.all, ca: ca)
        } catch {
            throw .address(error)
        }
        do throws(QueryError) { return try PostgresQueries(parsed) { [signals] in signals.first != 0 } } catch {
            throw FetchProblem(error, within: wanted[0].origin.timeout)
        }
    }

    private func copy(
        _ origin: Audience.Origin, of queries: PostgresQueries, into draft: ListDraft
    ) throws(FetchProblem) {
        do throws(QueryError) {
            try queries.copy(origin.query?.text ?? "", into: ListWriter(draft.file), within: origin.timeout)
        } catch {
            throw FetchProblem(error, within: origin.timeout)
        }
    }
}
