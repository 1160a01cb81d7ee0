import Foundation
import HeraldCore
import HeraldStore

/// Approvals of plans.
extension CommandContext {
    /// Ends the command if the files do not decide what the plan says.
    func approve(_ plan: ApprovedPlan, from path: String) throws {
        try plan.check(against: files.approval(), from: path)
    }

    func record(_ plan: ApprovedPlan, by name: String) async throws {
        try await state.require()
        let store = try await state.open(for: .changing)
        let known = try await store.snapshot().approvals
        try await commit([.approve(plan.recorded(by: name, at: Date(), after: known))], to: store)
    }
}

extension ApprovedPlan {
    init(at path: String) throws {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure.unreadable("the plan \(path)")
        }
        try self.init(reading: Array(bytes))
    }

    /// Ends the command if the files decide something else.
    func check(against files: Approval, from path: String) throws {
        let differences = differences(from: files)
        guard !differences.isEmpty else { return }
        throw CommandFailure(
            .stalePlan,
            "the files are not those of \(path); different: \(Self.listed(differences))",
            help: "plan and review again")
    }

    /// Ends the command if a list grew too much since.
    func check(_ plan: Plan, of files: Approval, _ settings: ApprovalSettings) throws {
        let excesses = excesses(of: plan, files, settings)
        guard !excesses.isEmpty else { return }
        throw CommandFailure(.stalePlan, "not approved: \(Self.listed(excesses))", help: "plan and review again")
    }

    private static let shown = 10

    private static func listed(_ names: [String]) -> String {
        let rest = names.count - shown
        return names.prefix(shown).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}

/// Who approves: the name that is given, or the person whose workflow runs.
enum Approver {
    /// GitHub's and GitLab's variables for the person who started the job.
    private static let variables = ["GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR", "GITLAB_USER_LOGIN"]

    static func name(_ given: String?, environment: [String: String]) throws -> String {
        let name = given ?? variables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let name, !name.isEmpty else {
            throw CommandFailure(
                .wrong, "nothing says who approved the plan", help: "add --by NAME")
        }
        guard name.count <= 200, name.printable == name else {
            throw CommandFailure(
                .wrong, "the name of who approved is too long, or has more than one line",
                help: "write at most 200 characters in one line after --by")
        }
        return name
    }
}
