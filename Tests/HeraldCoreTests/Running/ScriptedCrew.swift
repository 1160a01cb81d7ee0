import FCM
import HeraldTestSupport
import Synchronization

@testable import HeraldCore

/// The crew of a process, in which others do what a test says.
final class ScriptedCrew: Crew {
    private let state: Mutex<State>

    struct State {
        var view: CrewView
        /// Whom nobody has claimed.
        var free: [JobID: RecipientSet] = [:]
        /// Whether the others claim all that is shared.
        var takesAll = false
        /// What they tell of a job when they leave it.
        var settlement = Settlement()
        /// Jobs that they were asked to leave.
        var dismissed: Set<JobID> = []
    }

    init(isConductor: Bool, free: [JobID: RecipientSet] = [:]) {
        var view = CrewView(isConductor: isConductor, validity: .seconds(1))
        view.others = 1
        state = Mutex(State(view: view, free: free))
    }

    @discardableResult
    func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    /// Each look is a reading.
    func view() -> CrewView {
        withState { state in
            state.view.reading += 1
            for (job, members) in state.free { state.view.jobs[job, default: JobView()].hasFree = !members.isEmpty }
            return state.view
        }
    }

    func adopt(_ share: Share, wants: Bool?) {}

    func pause(_ job: JobID?, for length: Duration) {}

    func dismiss(_ job: JobID?) {
        withState { state in state.dismissed.formUnion(job.map { [$0] } ?? Set(state.free.keys)) }
    }

    func share(_ send: SharedSend, to members: RecipientSet, rows: RowReader?) async throws -> JobID {
        withState { state in
            let job = JobID(rawValue: Int64(state.free.count + 1))
            state.free[job] = state.takesAll ? [] : members
            state.view.jobs[job] = JobView()
            if state.takesAll { state.view.jobs[job]?.open = members.count }
            return job
        }
    }

    func claim(in job: JobID) async throws -> Claim {
        withState { state in Claim(members: state.free.updateValue([], forKey: job) ?? []) }
    }

    func note(_ tally: Tally, in job: JobID) {}

    func leave(_ job: JobID) async throws -> Settlement {
        withState { state in
            (state.free[job], state.view.jobs[job]) = (nil, nil)
            return state.settlement
        }
    }

    func disband() async {}
}
