import HeraldCore

/// What a person reads about a fetch.
enum FetchText {
    /// - Returns: Whether the list was not fetched.
    static func show(_ audience: Audience, _ result: Result<FetchedList, FetchProblem>, on console: Console) -> Bool {
        let name = audience.name.value
        switch result {
        case .success(let list):
            console.info("herald: fetched '\(name)': \(count(list.rows, "row"))\n")
            return false
        // The command says once that a signal came.
        case .failure(.stopped): return true
        case .failure(let problem):
            console.error("herald: '\(name)' is not fetched: \(problem.description)\n  help: \(problem.help)\n")
            return true
        }
    }
}
