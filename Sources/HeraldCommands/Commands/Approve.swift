import ArgumentParser
import HeraldCore

struct Approve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Record that a person approved what the files decide.",
        discussion: """
            PLAN is the JSON of a plan that was reviewed. The files and lists here must decide the same, and what is \
            recorded is worked out from them. From then on 'apply' and 'run' do only what was approved, whatever \
            herald.yaml says, until --end. It works while a run is under way.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The plan, from 'herald review' or 'herald plan --format json'.", completion: .file())
    var plan: String?

    @Option(help: ArgumentHelp("Who approved it (default: whom the CI names).", valueName: "name"))
    var by: String?

    @Option(help: "required, or skip: record no sizes, so that only guards limit them.")
    var lists: ListPolicy = .required

    @Flag(help: "Remove all approvals, so that this state requires none.")
    var end = false

    @Flag(help: "Do not ask before --end.")
    var autoApprove = false

    func validate() throws {
        try ValidationError.require(
            plan != nil || end, "a plan is missing", help: "name the plan.json of a review")
        try ValidationError.require(
            plan == nil || !end, "--end takes no plan", help: "leave out the plan, or --end")
    }

    func run() async throws {
        let common = Common(herald.common, options)
        guard let plan else {
            return try await CommandContext.openSettings(common).endApprovals(isApproved: autoApprove)
        }
        let approved = try ApprovedPlan(at: plan)
        let name = try Approver.name(by, environment: common.environment)
        try await CommandContext.open(common, lists: lists).approve(approved, from: plan, by: name)
    }
}
