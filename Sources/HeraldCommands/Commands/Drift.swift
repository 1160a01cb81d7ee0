import ArgumentParser
import FCM
import HeraldCore

struct Drift: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift",
        abstract: "Ask FCM who follows which topic, and compare with the state.",
        discussion: """
            Asks for every registration that the state has in a topic, those first that were asked for longest ago, within \
            'fcm.subscription_rate'. A call that was stopped, or that has a budget, is continued by the next one. A \
            difference is asked for once more after 'fcm.settle' before it counts. Nothing is changed at FCM.

            Exits with 0 whether anything differs or not, with 3 where more registrations are dead than \
            'guards.max_forget_percent' allows or nobody else answered, and with 4 where some could not be asked for.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(help: ArgumentHelp("Only this topic (repeatable).", valueName: "name"))
    var topic: [String] = []

    @Option(help: ArgumentHelp("Only who is in this audience (repeatable).", valueName: "name"))
    var audience: [String] = []

    @Option(help: ArgumentHelp("Ask for a random sample of so many registrations only.", valueName: "number"))
    var sample: Int?

    @Option(help: ArgumentHelp("Which sample: the same seed draws the same registrations.", valueName: "text"))
    var seed: String?

    @Option(help: ArgumentHelp("Stop after so many registrations, or after a time: 50000, 10m.", valueName: "budget"))
    var budget: BudgetArgument?

    @Flag(help: "Record in the state who has left, and forget dead registrations.")
    var record = false

    @Option(help: "text, json or markdown.")
    var format: DriftFormat = .text

    @Flag(name: .customLong("detailed-exitcode"), help: "Exit with 2 when FCM differs from the state.")
    var detailedExitCode = false

    func validate() throws {
        if let sample { try ValidationError.require("--sample", sample, in: 1...10_000_000) }
        try ValidationError.require(
            seed == nil || sample != nil, "--seed chooses a sample", help: "add --sample NUMBER, or leave out --seed")
    }

    func run() async throws {
        let topics = try topic.map { try TopicName(argument: $0) }
        let context = try CommandContext.open(
            Common(herald.common, options), lists: audience.isEmpty ? .skip : .required)
        let run = DriftRun(
            context: context, topics: topics, audiences: audience, sample: sample, seed: seed ?? "", budget: budget,
            records: record)
        let (document, failure) = try await run.conduct()
        context.console.result(document.rendered(as: format, context.console.output))
        if let failure { throw failure }
        if detailedExitCode, document.hasDrift { throw CommandFailure(.changes) }
    }
}
