import ArgumentParser
import Foundation
import HeraldCore

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether somebody must do something, and what to type.",
        discussion: """
            Offline, and without any effect. Exits with 0 when nothing needs anybody, and with 4 when something does: each \
            such line has one command that mends it. A pause needs nobody.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var snapshot: SnapshotOptions

    @Option(help: ArgumentHelp("Look from another instant: 2026-12-01T09:00:00+01:00.", valueName: "time"))
    var at: TimeArgument?

    @Option(help: "required, or skip: do not read lists, so that guards about them are not judged.")
    var lists: ListPolicy = .required

    @Option(help: "text, json or html.")
    var format: StatusFormat = .text

    func run() async throws {
        let common = Common(herald.common, options)
        let now = at?.date ?? common.machine.now()
        let isOfState = snapshot.snapshot == nil
        // What waits for an approval must not keep the rest from being told.
        let unfetched = isOfState && lists == .required ? try await ListFetch.unfetched(common) : []
        let context = try CommandContext.open(
            common, lists: lists, at: now, cache: isOfState ? cache.use : nil, without: unfetched)
        let document = try await document(in: context, at: now)
        context.console.result(document.rendered(as: format, context.console.output))
        if !document.isCalm { throw CommandFailure(.failed) }
    }

    private func document(in context: CommandContext, at now: Date) async throws -> StatusDocument {
        let (source, standing) = try await context.standing(snapshot, at: now)
        let proposal = try await context.files.runProposal(from: source, at: now, clock: context.machine.now())
        var document = StatusDocument(proposal, standing, workspace: context.files.folder.name(context.settings))
        document.typedWorkspace = context.common.workspace
        return document
    }
}
