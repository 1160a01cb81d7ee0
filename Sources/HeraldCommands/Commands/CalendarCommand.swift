import ArgumentParser
import Foundation
import HeraldCore

struct CalendarCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calendar",
        abstract: "Show what is due in the next days, in local time and UTC.",
        discussion: """
            Offline, and by the YAML files alone: what was sent already is not known here, except with --snapshot, which \
            also shows what is paused. Changes of the clocks are pointed out. Disabled campaigns, and those without a \
            schedule, are left out.
            """)

    /// The most occurrences for each campaign. A campaign that is due every minute of a week has fewer.
    private static let limit = 20_000

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var snapshot: SnapshotOptions

    @Option(help: ArgumentHelp("Begin at another instant: 2026-12-01T09:00:00+01:00.", valueName: "time"))
    var at: TimeArgument?

    @Option(help: "How many days to show, from 1 to 366.")
    var days = 7

    @Option(help: "text, json, or ics for calendar programs.")
    var format: CalendarFormat = .text

    func validate() throws {
        try ValidationError.require("--days", days, in: 1...366)
    }

    func run() throws {
        let context = try CommandContext.open(Common(herald.common, options), lists: .skip)
        let document = try document(in: context)
        for name in document.shortened {
            context.console.error(
                "herald: campaign '\(name)' has more; the first \(Self.limit) are listed, see --days\n")
        }
        let stamp = CalendarDocument.Stamp(project: context.settings.project, made: context.machine.now())
        context.console.result(document.rendered(as: format, stamp, context.console.output))
    }

    private func document(in context: CommandContext) throws -> CalendarDocument {
        let campaigns = context.workspace.campaigns
        let start = at?.date ?? context.machine.now()
        let through = start.adding(.seconds(days * 86_400))
        // What is due at the instant that it is to begin at is shown.
        let after = at == nil ? start : start - 1
        guard let (snapshot, remarks) = try snapshot.read(of: context.stateOwner) else {
            return CalendarDocument(of: campaigns, after: after, through: through, limit: Self.limit)
        }
        for remark in remarks { context.console.error("herald: \(remark)\n") }
        return CalendarDocument(of: campaigns, from: snapshot, after: after, through: through, limit: Self.limit)
    }
}
