import ArgumentParser
import Foundation
import HeraldCore
import HeraldStore

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

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func run() async throws {
        let common = Common(herald.common, options)
        let now = at?.date ?? common.machine.now()
        let context = try CommandContext.open(
            common, lists: lists, at: now, cache: snapshot.snapshot == nil ? cache.use : nil)
        let document = try await document(in: context, at: now)
        context.console.result(document.rendered(as: format, context.console.output))
        if !document.isCalm { throw CommandFailure(.failed) }
    }

    private func document(in context: CommandContext, at now: Date) async throws -> StatusDocument {
        let (files, every) = (context.files, context.settings.runEvery)
        let scope = PlanScope(days: PlanDocument.usualDays)
        let source: PlanSource
        var standing: StatusDocument.Standing
        if let (snapshot, remarks) = try snapshot.read(of: context.stateOwner) {
            for remark in remarks { context.console.error("herald: \(remark)\n") }
            source = .snapshot(snapshot, remarks: remarks)
            standing = .init(pauses: snapshot.pauses, lastRun: snapshot.lastRun, every: every)
        } else {
            let state = try await KnownState.read(
                from: context.state, for: .reading, at: now, filesIn: files.folder.path)
            standing = .init(pauses: state.recorded.pauses, lastRun: state.recorded.lastRun, every: every)
            if state.exists {
                let holder = try await context.state.holder()
                standing.isRunning = holder != nil
                let crew = try await context.state.crew().map(\.text)
                standing.workers = crew.isEmpty ? [holder ?? "no run"] : crew
            }
            source = .state(state, at: context.state)
        }
        standing.lists = files.listAges(at: now)
        let proposal = try await files.proposal(from: source, at: now, scope).proposal
        return StatusDocument(proposal, standing, workspace: files.folder.name(context.settings))
    }
}
