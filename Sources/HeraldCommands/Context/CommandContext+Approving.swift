import Foundation
import HeraldCore
import HeraldStore

/// Approvals of plans.
extension CommandContext {
    /// Records what the files here decide. Ends the command if that is not what the plan says.
    func approve(_ plan: ApprovedPlan, from path: String, by name: String) async throws {
        let desired = try Resolver.desired(of: workspace, ListedRecipients(files.recipientIndex))
        let approval = files.approval(of: desired)
        try plan.check(against: approval, from: path)
        let sizes = plan.sizeDifferences(from: approval, settings.approval)
        guard sizes.isEmpty else { throw ApprovedPlan.different(sizes, from: path) }
        try await state.require()
        let store = try await state.open(for: .changing)
        let known = try await store.snapshot().approvals
        try await commit([.approve(plan.recorded(approval, by: name, at: machine.now(), after: known))], to: store)
        if workspace.listsSkipped {
            console.info("herald: the lists were not read, so no sizes were recorded: only guards limit them\n")
        }
        console.info("herald: \(name) approved \(count(approval.digests.count, "definition"))\n")
    }

    /// Takes all approvals out of the state, which required them until now.
    func endApprovals(isApproved: Bool) async throws {
        try await state.require()
        let store = try await state.open(for: .changing)
        guard try await !store.snapshot().approvals.isEmpty else {
            return console.info("herald: no approvals are recorded\n")
        }
        try confirm("Remove all approvals, so that this state requires none?", isApproved: isApproved)
        try await commit([.approve([:])], to: store)
        console.info(
            settings.approval.isRequired
                ? "herald: the approvals are gone; herald.yaml still says 'approval: required', so nothing is done "
                    + "until somebody approves\n"
                : "herald: the approvals are gone; what the files say is done without any\n")
    }
}

extension ApprovedPlan {
    init(at path: String) throws {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure.unreadable("the plan \(path)")
        }
        do throws(SavedPlan.Problem) { try self.init(reading: Array(bytes)) } catch {
            throw CommandFailure(
                error, in: path, help: "name the JSON of 'herald plan --format json', or plan.json of 'herald review'")
        }
    }

    /// Ends the command if the files decide something else.
    func check(against files: Approval, from path: String) throws {
        if isOlder {
            throw CommandFailure(
                .stalePlan, "\(path) is from an older herald, whose approvals cover less",
                help: "plan and review again with this herald")
        }
        let differences = differences(from: files)
        guard differences.isEmpty else { throw Self.different(differences, from: path) }
    }

    fileprivate static func different(_ names: [String], from path: String) -> CommandFailure {
        CommandFailure(
            .stalePlan, "the files are not those of \(path); different: \(listed(names))",
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
