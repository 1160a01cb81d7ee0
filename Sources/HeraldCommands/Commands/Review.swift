import ArgumentParser
import Foundation
import HeraldCore

struct Review: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review", abstract: "Write everything that the reviewers of a pull request need.",
        discussion: """
            Checks and plans once, and writes plan.md, plan.html, plan.json, diagnostics.sarif, codequality.json and \
            terraform.json. It trusts no file: variables in herald.yaml stay as they are, and it opens no state but the \
            one that HERALD_STATE or --snapshot names. Posts nothing. In GitHub Actions it also writes annotations, the \
            job's summary and outputs. Exits with 1 on mistakes, and with 3 if a guard refuses.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var snapshot: SnapshotOptions

    @Option(help: ArgumentHelp("Show what the files change against where HEAD left this branch.", valueName: "ref"))
    var base: String?

    @Option(help: "required, or skip: do not open the files that lists are in.")
    var lists: ListPolicy = .required

    @Option(
        name: .customLong("out"), help: ArgumentHelp("The folder for the files.", valueName: "folder"),
        completion: .directory)
    var folder = "herald-review"

    @Option(help: ArgumentHelp("Plan for another instant: 2026-12-01T09:00:00+01:00.", valueName: "time"))
    var at: TimeArgument?

    @Option(help: ArgumentHelp("How many days ahead to look for sends to come.", valueName: "number"))
    var days = PlanDocument.usualDays

    func validate() throws {
        try ValidationError.require("--days", days, in: 0...3660)
    }

    func run() async throws {
        let now = Date()
        let files = try ReviewedFiles(Common(herald.common, options), lists: lists, at: at?.date ?? now)
        let output = try ReviewOutput(folder, files)
        guard let workspace = try files.workspace() else {
            try output.writeMistakes()
            throw CommandFailure(.wrong)
        }
        var document = try await workspace.document(
            from: try await files.source(of: workspace, snapshot, at: now), at: at?.date ?? now, created: now,
            PlanScope(days: days))
        document.compare(with: try base.map { try workspace.comparison(with: $0, files.common.environment) })
        document.warn(of: files.diagnostics, in: files.paths)
        try output.write(document)
        if document.isRefused { throw CommandFailure(.refused) }
    }
}
