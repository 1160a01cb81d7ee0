import ArgumentParser
import Foundation
import HeraldCore
import HeraldStore

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what 'apply' would do.",
        discussion: "Offline, and without any effect. A saved plan can be applied with 'herald apply FILE'.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var snapshot: SnapshotOptions

    @Option(help: ArgumentHelp("Save the plan to a file.", valueName: "file"), completion: .file())
    var out: String?

    @Option(help: ArgumentHelp("Plan for another instant: 2026-12-01T09:00:00+01:00.", valueName: "time"))
    var at: TimeArgument?

    @Option(help: ArgumentHelp("How many days ahead to look for sends to come.", valueName: "number"))
    var days = PlanDocument.usualDays

    @Option(
        help: ArgumentHelp("Also show what the files change against where HEAD left this branch.", valueName: "ref"))
    var base: String?

    @Option(help: "required, or skip: plan without the lists, for a CI that must not see them; counts are null.")
    var lists: ListPolicy = .required

    @Option(help: "text, json, markdown or html.")
    var format: PlanFormat = .text

    @Flag(
        name: .customLong("detailed-exitcode"), help: "Exit with 2 when there are changes, 3 when a guard would refuse."
    )
    var detailedExitCode = false

    @Option(help: ArgumentHelp("Only this campaign and its target (repeatable).", valueName: "name"))
    var campaign: [String] = []

    func validate() throws {
        try ValidationError.require("--days", days, in: 0...3660)
        if out == nil { return }
        try ValidationError.require(
            lists != .skip, "a plan without lists cannot be applied", help: "leave out --out")
        try ValidationError.require(
            snapshot.snapshot == nil, "a plan made from a snapshot cannot be applied", help: "leave out --out")
    }

    func run() async throws {
        let document = try await document()
        if let out {
            try FileKind.plan.requireReplaceable(out)
            do { try PrivateFile.write(document.json.prettyText, to: out) } catch {
                throw CommandFailure.unwritable("the plan cannot be written to \(out)")
            }
        }
        let console = Common(herald.common, options).console
        console.result(document.rendered(as: format, console.output))
        guard detailedExitCode else { return }
        if document.isRefused { throw CommandFailure(.refused) }
        if document.hasChanges { throw CommandFailure(.changes) }
    }
}
