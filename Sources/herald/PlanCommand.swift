import ArgumentParser
import Foundation
import HeraldCore

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what 'apply' would do.",
        discussion: "Offline, and without any effect. A saved plan can be applied with 'herald apply FILE'.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(help: ArgumentHelp("Save the plan to a file.", valueName: "file"), completion: .file())
    var out: String?

    @Option(help: ArgumentHelp("Plan for another instant: 2026-12-01T09:00:00+01:00.", valueName: "time"))
    var at: TimeArgument?

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Flag(
        name: .customLong("detailed-exitcode"), help: "Exit with 2 when there are changes, 3 when a guard would refuse."
    )
    var detailedExitCode = false

    @Option(help: ArgumentHelp("Only this campaign and its target (repeatable).", valueName: "name"))
    var campaign: [String] = []

    func run() async throws {
        let session = try Session.open(Common(herald.common, options))
        let now = Date()
        let store = try session.openStore()
        let (plan, _) = try await session.plan(with: store, at: at?.date ?? now, campaigns: campaign)
        let document = PlanDocument(
            plan, id: "plan-\(UUID().uuidString.lowercased())", created: now, campaigns: campaign)
        if let out {
            do {
                try PrivateFile.write(document.json.prettyText, to: out)
            } catch {
                throw session.console.end(.wrong, "the plan cannot be written to \(out)")
            }
        }
        session.console.result(document.rendered(as: format, session.console.output))
        guard detailedExitCode else { return }
        if !plan.refusals.isEmpty { throw ExitStatus.refused.code }
        if !plan.isEmpty { throw ExitStatus.changes.code }
    }
}
