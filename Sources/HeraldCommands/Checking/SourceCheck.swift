import FCMClient
import Foundation
import HeraldCore
import HeraldStore

/// Looks at a source of a list without fetching it: whether it answers, what it allows, which columns it has; and how
/// old the list is that was fetched last.
struct SourceCheck {
    let sources: ListSources
    let now: Date

    private static let patience = Duration.seconds(20)

    func results(of lists: [ListFetch.Wanted]) async -> [CheckResult] {
        var results: [CheckResult] = []
        for wanted in lists { results.append(await result(of: wanted)) }
        return results
    }

    private func result(of wanted: ListFetch.Wanted) async -> CheckResult {
        let name = wanted.audience.name.value
        let last = ListFetch.last(wanted, in: sources.folder)
        let age = last.map { Self.words($0.known, at: now) } ?? "never fetched"
        let found: String
        do throws(FetchProblem) { found = try await look(at: wanted) } catch {
            return .error(.lists, "\(name): \(age); \(error.description)", fix: error.help.asSentence)
        }
        let freshness = wanted.origin.freshness
        let fix = "Run 'herald fetch \(name)'."
        guard let last else {
            let text = "\(name): \(age); \(found)"
            return freshness.every == nil ? .error(.lists, text, fix: fix) : .warning(.lists, text, fix: fix)
        }
        let data = last.age(at: now)
        let text = "\(name): \(age)\(last.loaded == nil ? "" : ", its data are \(data.rounded) old"); \(found)"
        if let limit = freshness.errorAfter, data > limit { return .error(.lists, text, fix: fix) }
        if let limit = freshness.warnAfter, data > limit { return .warning(.lists, text, fix: fix) }
        guard !found.hasSuffix(Self.writes) else {
            return .warning(.lists, text, fix: "Make a role that may only SELECT what the lists need.")
        }
        return .ok(.lists, text)
    }

    private static func words(_ list: KnownList, at now: Date) -> String {
        list.fetched > now
            ? "fetched while this machine's clock was fast" : "fetched \(list.timeSinceFetch(at: now).rounded) ago"
    }

    private static let writes = "its role may change tables"

    /// What a person should know of a source that answers.
    private func look(at wanted: ListFetch.Wanted) async throws(FetchProblem) -> String {
        let origin = wanted.origin
        switch origin.kind {
        case .command(let words):
            let program = try sources.program(words, origin).path
            guard FileManager.default.isExecutableFile(atPath: program) else { throw .program(.start) }
            return "\(program) may run"
        case .sqlite(let file, let query):
            let path = try sources.database(file)
            do throws(QueryError) {
                try check(SQLiteQuery(query.text, of: path).columnNames(sources.limit(Self.patience)), of: wanted)
            } catch {
                throw FetchProblem(error, within: Self.patience)
            }
            return "the database can be read"
        case .postgres(let address, let query):
            let queries = try sources.connect(to: address, origin)
            do throws(QueryError) {
                try check(queries.columnNames(of: query.text, within: Self.patience), of: wanted)
            } catch {
                throw FetchProblem(error, within: Self.patience)
            }
            return "the database answers, \(queries.mayWrite ? Self.writes : "its role only reads")"
        case .https(let source):
            let request = try sources.download(sources.expanded(source), origin)
            do throws(Download.Problem) {
                // The list itself is not needed.
                _ = try await request.get(since: nil, within: Self.patience) { _ in false }
            } catch {
                if error != .refused { throw .download(error) }
            }
            return "the server answers"
        }
    }

    /// Throws if a column is missing that the audience and its fields name.
    private func check(_ names: [String], of wanted: ListFetch.Wanted) throws(QueryError) {
        guard case .list(_, let columns) = wanted.audience.source else { return }
        let named = [columns.token, columns.fid, columns.seen].compactMap { $0?.value }
        let needed = named + wanted.audience.fields.map(\.value.column)
        guard let missing = needed.filter({ !names.contains($0) }).min() else { return }
        throw .failed("the query has no column '\(missing)'", help: "correct 'query', 'columns' or 'fields'")
    }
}
