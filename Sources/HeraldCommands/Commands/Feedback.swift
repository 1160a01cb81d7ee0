import ArgumentParser
import HeraldCore
import HeraldStore

struct Feedback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feedback", abstract: "Write dead registrations, or every outcome, to a file.",
        discussion: """
            One JSON object a line, with registrations in clear, for an app's server. Only the file's owner may read \
            it. It replaces an older file when it is whole. Nothing is handed over to the database of 'feedback' in \
            herald.yaml: 'apply' and 'run' do that.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file(extensions: ["ndjson"]))
    var file: String

    @Flag(help: "What came of each recipient in each occurrence, instead of dead registrations.")
    var outcomes = false

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        try FileKind.feedback.requireReplaceable(file)
        let store = try await context.state.open(for: .inspecting)
        let lines = FeedbackLines(store)
        var pruned = 0
        do {
            try await PrivateFile.stream(to: file) { write in
                if outcomes { pruned = try await lines.outcomes(write) } else { try await lines.deaths(write) }
            }
        } catch is PrivateFile.Failure {
            throw CommandFailure.unwritable("\(file) cannot be written")
        }
        if pruned > 0 {
            context.console.info(
                "herald: \(count(pruned, "occurrence")) left out: pruned, so nobody knows what came of whom\n")
        }
    }
}
