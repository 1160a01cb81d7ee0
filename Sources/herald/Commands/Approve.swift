import ArgumentParser
import HeraldCore

struct Approve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Record that a person approved what the files decide.",
        discussion: """
            PLAN is the JSON of a plan that was reviewed. The files here must decide the same. With 'approval: required' in \
            herald.yaml, 'apply' and 'run' do only what was approved. It works while a run is under way.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The plan, from 'herald review' or 'herald plan --format json'.", completion: .file())
    var plan: String

    @Option(help: ArgumentHelp("Who approved it (default: whom the CI names).", valueName: "name"))
    var by: String?

    func run() async throws {
        let context = try CommandContext.open(Common(herald.common, options), lists: .skip)
        let approved = try ApprovedPlan(at: plan)
        let name = try Approver.name(by, environment: context.common.environment)
        try context.approve(approved, from: plan)
        try await context.record(approved, by: name)
        context.console.info("herald: \(name) approved \(count(approved.definitions.count, "definition"))\n")
    }
}
