import ArgumentParser
import Foundation
import HeraldCore
import HeraldStore

struct StateInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make an empty state, bound to this project and endpoint.",
        discussion: "So that 'run' may begin; the first apply makes one as well. An existing state stays as it is.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        try await context.state.initialize(created: context.machine.now())
        context.console.info(
            "herald: made the state \(context.state.name) for project '\(context.settings.project)' at \(context.destination.kind.rawValue)\n"
        )
    }
}
