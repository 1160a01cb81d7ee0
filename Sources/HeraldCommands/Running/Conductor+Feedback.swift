import Foundation
import HeraldCore
import HeraldStore

/// What a run tells others when it has ended.
extension Conductor {
    /// Hands dead registrations to the database that herald.yaml names, if the run was allowed to do anything. Whatever
    /// goes wrong there, the run ended as it did, and the next one tells what is left.
    func tellDeaths(of plan: Plan, under lock: (any StateLock)?) async {
        guard isReal, let lock, let feedback = context.settings.feedback, lock.mayWrite?() != false else { return }
        if plan.hasUnapprovedSettings {
            return console.error(
                "herald: warning: dead registrations are not handed over before somebody approves herald.yaml\n")
        }
        do {
            guard let store = try await context.state.openIfPresent(for: .changing) else { return }
            // The numbers are fixed before anybody is told, so that whoever is told twice can see it.
            try await store.commit([.numberDeaths(run: request.id)])
            try await tell(feedback, of: store)
        } catch let error as FetchProblem {
            console.error(
                "herald: warning: dead registrations were not handed over: \(error.description)\n"
                    + "  help: \(error.helpForFeedback); the next run tries again\n")
        } catch {
            let reason = CommandFailure(blaming: error).message ?? "the state cannot be read"
            console.error("herald: warning: dead registrations were not handed over: \(reason)\n")
        }
    }

    private func tell(_ feedback: FeedbackSettings, of store: any StateStore) async throws {
        var target: PostgresTelling?
        while true {
            let notices = try await store.deathNotices(limit: PostgresTelling.batch)
            // A batch is of one run.
            guard let run = notices.first?.run, let last = notices.last(where: { $0.run == run }) else { return }
            let sources = ListSources(
                folder: context.files.folder, settings: context.settings, environment: context.common.environment,
                isStopped: { false })
            if target == nil { target = try sources.tell(feedback) }
            do throws(QueryError) {
                try target?.tell(notices.filter { $0.run == run }, with: feedback.dead.text)
            } catch {
                throw FetchProblem.query(error)
            }
            try await store.commit([.toldDeaths(run: run, through: last.number)])
        }
    }
}

extension FetchProblem {
    fileprivate var helpForFeedback: String {
        if case .query(.failed(_, nil)) = self { "correct the statement of 'dead', and try it by hand" } else { help }
    }
}

extension ListSources {
    fileprivate func tell(_ feedback: FeedbackSettings) throws(FetchProblem) -> PostgresTelling {
        let address = try address(feedback.postgres, ca: feedback.ca)
        do throws(QueryError) { return try PostgresTelling(address) } catch { throw .query(error) }
    }
}
