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
        guard try await context.state.openIfPresent(for: .reading) == nil else {
            throw CommandFailure(.wrong, "there is a state already at \(context.state.name)")
        }
        // An apply may be creating the state at this moment.
        try await context.state.lock(for: "state init").hold {
            _ = try await context.state.create(context.state.newIdentity(created: Date()))
        }
        context.console.info(
            "herald: made the state \(context.state.name) for project '\(context.settings.project)' at \(context.destination.kind.rawValue)\n"
        )
    }
}
