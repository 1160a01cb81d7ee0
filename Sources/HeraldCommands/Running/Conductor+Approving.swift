import Foundation
import HeraldCore
import HeraldStore

/// What a plan must pass before it is carried out: the guards, and a person's approval.
extension Conductor {
    /// A run without a person watching does what the guards allow, and reports what it leaves out. So does an apply
    /// where a guard is about one campaign's rows only.
    func tellLeftOut(_ course: RunCourse) throws {
        if case .leaveOut = request.guards, let refusal = course.blocking.first {
            var failure = CommandFailure(
                .refused,
                "guard \(refusal.kind.rawValue): \(refusal.message); nothing was done",
                help: refusal.help)
            failure.command = "herald apply \(refusal.override)"
            throw failure
        }
        tell(course.leftOut, outcome: "; left out")
    }

    func show(_ plan: Plan, _ document: PlanDocument, needsApproval: Bool) {
        switch request.shows {
        case .never: return
        case .whenNotEmpty where plan.isEmpty: return
        case .always, .whenNotEmpty: break
        }
        // Nobody can approve what they have not seen.
        guard !console.isQuiet || needsApproval else { return }
        console.result(document.text(console.output))
        let overrides = request.guards.overrides
        let overridden = Set(plan.refusals.filter { overrides.allow($0.kind, for: $0.name) }.map(\.kind.rawValue))
        if !overridden.isEmpty { console.info("Let through: \(overridden.sorted().joined(separator: ", "))\n") }
    }

    /// Ends the command if a guard refuses something and no override allows it.
    func obeyGuards(_ course: RunCourse) throws {
        guard case .stop(let overrides) = request.guards else { return }
        for entry in overrides.entries {
            guard let name = entry.name, !course.plan.has(entry.kind, of: name) else { continue }
            let help = entry.kind == .maxForgetPercent ? "; name a step, as in send:to-all@once" : ""
            console.info("herald: --override \(entry.kind.rawValue)=\(name) matches nothing in this plan\(help)\n")
        }
        guard !course.blocking.isEmpty else { return }
        tell(course.blocking)
        throw CommandFailure(.refused)
    }

    /// Names each refusal, and once for each guard what to do.
    private func tell(_ refusals: [GuardRefusal], outcome: String = "") {
        for refused in refusals.byGuard {
            let lines = refused.messages.map { "herald: guard \(refused.kind.rawValue): \($0)\(outcome)\n" }
            console.error(lines.joined() + "  help: \(refused.help)\n")
        }
    }

    /// Asks the person who has seen the plan. Nobody knows how long the answer takes.
    func approve(_ state: KnownState) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                .wrong, "not approved: there is no terminal to ask on; nothing was done",
                help: "add --auto-approve, or apply a saved plan")
        }
        let making = state.exists ? "" : " (and make the state \(context.state.name))"
        guard console.confirms("Do it\(making)?") else { throw CommandFailure.notApproved }
        if haveFilesChanged {
            throw CommandFailure(
                .wrong, "files of the workspace changed while this waited for your answer; nothing was done",
                help: "apply again, and look at the new plan")
        }
    }
}

extension Plan {
    /// Whether a guard refuses something of that name, or, if it judges while a run works, may come to do so.
    fileprivate func has(_ kind: Guard, of name: String) -> Bool {
        switch kind {
        case .maxForgetPercent:
            (steps.map(\.id) + held.map { .send($0.occurrence) }).contains { $0.rawValue == name }
        case .foreignGroup: true
        default: refusals.contains { $0.kind == kind && $0.name == name }
        }
    }
}
