import ArgumentParser
import HeraldCore
import HeraldStore

struct State: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read the record of what herald did.", subcommands: [Show.self])

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show memberships and occurrences as the record has them.")

        @ParentCommand var herald: Herald
        @OptionGroup var options: CommonOptions

        @Argument(help: "Only this topic, campaign or occurrence.")
        var name: String?

        @Option(help: "text or json.")
        var format: OutputFormat = .text

        func run() async throws {
            let session = try Session.open(Common(herald.common, options))
            guard let store = try session.openStore() else {
                throw session.console.end(.missing(path: session.statePath))
            }
            do {
                let document = StateDocument(try await store.record(), only: name)
                if let name, document.isEmpty {
                    throw session.console.end(.wrong, "the record has no topic, campaign or occurrence '\(name)'")
                }
                session.console.result(document.rendered(as: format, session.console.output))
            } catch let error as StateError {
                throw session.console.end(error)
            }
        }
    }
}
