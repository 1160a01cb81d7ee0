import FCM
import HeraldTestSupport

@testable import HeraldCore

/// Approvals: nothing is sent that nobody approved as it is, and what somebody approved is sent.
extension Life {
    /// What somebody has approved, and what the state has of it.
    struct Approved {
        var files: LifeFiles
        var texts: [String: String]
        var recorded: [String: RecordedApproval]
    }

    /// Of some lives people approve what the files decide.
    var hasApprovers: Bool { seed % 5 == 2 }

    /// From the first approval on the state requires them, until a person ends that.
    private var requiresApproval: Bool { approved != nil }

    func approveOrEnd(_ random: inout SeededRandom) async throws {
        guard hasApprovers else { return }
        guard requiresApproval, Int.random(in: 0..<4, using: &random) == 0 else { return try await approve() }
        try await succeed(["approve", "--end", "--auto-approve"])
        approved = nil
        tell("approve --end")
    }

    /// The author has what they edited approved, or forgets to.
    func approveMostly(_ random: inout SeededRandom) async throws {
        guard requiresApproval, !isApproved, Int.random(in: 0..<3, using: &random) > 0 else { return }
        try await approve()
    }

    func approve() async throws {
        guard !files.areWrong else { return }
        refused = []
        let run = newRun(LifeFate())
        try check(try await herald(["plan", "--out", folder.newPlan()], run), of: run)
        try await succeed(["approve", folder.savedPlan, "--by", "Anna"])
        let one = Approved(files: files, texts: files.texts(settings), recorded: known.state.approvals)
        approvals.append(one)
        approved = one
        tell("approve")
    }

    /// Whether nothing is as nobody approved it.
    var isApproved: Bool { approved.map { $0.texts == files.texts(settings) } ?? true }

    /// Whether nobody changed herald.yaml since it was approved.
    var hasApprovedSettings: Bool {
        approved.map { $0.texts["herald.yaml"] == files.texts(settings)["herald.yaml"] } ?? true
    }

    /// An older state has the approvals of its day.
    func noteOlderApprovals() {
        let recorded = known.state.approvals
        approved = recorded.isEmpty ? nil : approvals.last { $0.recorded == recorded }
    }

    /// Whether a run left out what nobody approved. What somebody approved, with the same lists, it does.
    func leavesOutUnapproved(_ content: LifeRun.Content) throws -> Bool {
        let plans = content.plans.map(\.plan)
        let isLeftOut = plans.contains(where: \.isHeldUnapproved)
        if isLeftOut, isApproved {
            let words = plans.flatMap(\.unapproved).map { "\($0)" }.joined(separator: ", ")
            throw LifeProblem(promise: "does what is approved", words: words)
        }
        return isLeftOut || !isApproved
    }

    /// A message starts, which somebody approved as it is.
    func checkApproved(_ campaign: LifeFiles.Campaign) throws {
        guard let approved, let own = runFiles.campaigns.first(where: { $0.line == campaign.line }) else { return }
        let before = approved.files.campaigns.first { $0.line == own.line }
        let isSame =
            before.map { approved.files.text(effective($0)) } == runFiles.text(effective(own))
            && approved.texts["herald.yaml"] == runFiles.texts(settings)["herald.yaml"]
        if !isSame { throw LifeProblem(promise: "sends only what is approved", words: own.name) }
    }

    /// Where the workspace has no window, it is all the same whether a campaign lifts it.
    private func effective(_ campaign: LifeFiles.Campaign) -> LifeFiles.Campaign {
        guard settings.window == nil, campaign.window == .ofWorkspace else { return campaign }
        var campaign = campaign
        campaign.window = .always
        return campaign
    }
}

extension Plan {
    /// Whether it leaves out what nobody approved.
    var isHeldUnapproved: Bool { hasUnapprovedSettings || !unapproved.isEmpty }
}
