import Foundation
import HeraldCore
import HeraldStore

/// What a run tells the database that herald.yaml names. Whatever goes wrong there, the run ended as it did, and the next
/// one tells what is left.
extension Conductor {
    /// Numbers who died since the run before, if the run was allowed to do anything. The numbers are fixed before anybody
    /// is told, so that whoever is told twice can see it.
    func noteDeaths(of plan: Plan, under lock: (any StateLock)?) async {
        guard isReal, let lock, context.settings.feedback != nil, lock.mayWrite?() != false else { return }
        if plan.hasUnapprovedSettings {
            return console.error(
                "herald: warning: dead registrations are not handed over before somebody approves herald.yaml\n")
        }
        do {
            guard let store = try await context.state.openIfPresent(for: .changing) else { return }
            try await store.commit([.numberDeaths(run: request.id)])
            request.telling.noteDeaths()
        } catch {
            warn("\(CommandFailure(blaming: error).message ?? "the state cannot be read")")
        }
    }

    /// Hands over those that are numbered, once the lock is free: nobody's database may keep the next run waiting.
    func tellDeaths() async {
        let telling = request.telling
        guard !telling.isStopped, telling.takeDeaths(), let feedback = context.settings.feedback else { return }
        do {
            let store = try await context.state.open(for: .changing)
            let sources = ListSources(
                folder: context.files.folder, settings: context.settings, environment: context.common.environment
            ) { telling.isStopped }
            var handover = Handover(to: feedback.dead.text, from: store)
            try await handover.tellAll { () throws(FetchProblem) in try sources.tell(feedback) }
            guard let (notice, problem) = handover.refusal else { return }
            warn(
                "\(problem.description); it took all but \(handover.refused.grouped)",
                help:
                    "look at number \(notice.number) of run \(notice.run), the first of them, "
                    + "in 'herald feedback --file FILE'; the next run tries again")
        } catch FetchProblem.stopped {
            warn("a signal stopped it", help: "the next run goes on")
        } catch let error as FetchProblem {
            warn(error.description, help: "\(error.helpForFeedback); the next run tries again")
        } catch {
            warn("\(CommandFailure(blaming: error).message ?? "the state cannot be read")")
        }
    }

    private func warn(_ problem: String, help: String? = nil) {
        let help = help.map { "  help: \($0)\n" } ?? ""
        console.error("herald: warning: dead registrations were not handed over: \(problem)\n\(help)")
    }
}

extension FetchProblem {
    fileprivate var helpForFeedback: String {
        switch self {
        case .query(.failed(_, nil)): "correct the statement of 'dead', and try it by hand"
        case .timeout: "look at the database, and make the statement of 'dead' faster"
        default: help
        }
    }
}

extension ListSources {
    fileprivate func tell(_ feedback: FeedbackSettings) throws(FetchProblem) -> PostgresTelling {
        let address = try address(feedback.postgres, ca: feedback.ca)
        do throws(QueryError) { return try PostgresTelling(address, isStopped: isStopped) } catch {
            throw error == .stopped ? .stopped : .query(hidden(error, of: feedback.postgres))
        }
    }
}
