import ArgumentParser
import HeraldCore

/// Which text of a personal campaign is meant, and what fills it.
struct TextOptions: ParsableArguments {
    static let names = "--sample, --locale and --variant"

    @Option(
        help: ArgumentHelp(
            "For a personal campaign: fill it with this sample of its audience, from 1.", valueName: "number"))
    var sample: Int?

    @Option(help: ArgumentHelp("Only the text of this locale.", valueName: "tag"))
    var locale: String?

    @Option(help: ArgumentHelp("Only this variant.", valueName: "name"))
    var variant: String?

    func validate() throws {
        guard let sample else { return }
        try ValidationError.require(
            sample > 0, "--sample: \(sample) is not possible", help: "count samples from 1")
    }

    func choice(revealsRows: Bool = false) -> TextChoice {
        TextChoice(sample: sample, locale: locale, variant: variant, revealsRows: revealsRows)
    }

    /// Names the campaign where its text cannot be chosen.
    static func explaining<Value>(_ campaign: Campaign, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let problem as TextProblem {
            throw CommandFailure(.wrong, "campaign '\(campaign.name.value)': \(problem)", help: problem.help)
        }
    }

    /// For campaigns that send everybody the same.
    ///
    /// - Parameter options: those that say which text.
    static func nothingPersonal(_ campaign: String?, _ options: String = names) -> CommandFailure {
        let what = campaign.map { "campaign '\($0)' sends" } ?? "these campaigns send"
        return CommandFailure(
            .wrong, "\(what) everybody the same text", help: "leave out \(options), which are for personal campaigns")
    }
}
