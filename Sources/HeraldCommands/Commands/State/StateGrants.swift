import ArgumentParser
import HeraldStore

struct StateGrants: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grants", abstract: "Print the SQL that gives a role its rights to a state in PostgreSQL.",
        discussion: """
            It runs nothing: read it, and let the owner of the schema run it. A reader can plan with '--lists skip', show \
            a calendar, the state and a snapshot, and sees no registration, no group's key and no fingerprint key. A \
            runner can do everything but make, migrate and move a state. After 'state migrate', print and run it again.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(help: ArgumentHelp("A role that plans.", valueName: "role"))
    var reader: String?

    @Option(help: ArgumentHelp("A role that applies and runs.", valueName: "role"))
    var runner: String?

    func validate() throws {
        if (reader == nil) == (runner == nil) {
            throw ValidationError(
                reader == nil ? "no role is named" : "--reader and --runner cannot be combined",
                help: "add either --reader ROLE or --runner ROLE")
        }
    }

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        guard let database = context.state as? StateDatabase else {
            throw CommandFailure(
                .wrong, "the state \(context.state.name) is a file, and has no roles",
                help: "give rights to the file instead: whoever may read it may read the state")
        }
        guard let role = RoleName(reader ?? runner ?? "") else {
            throw CommandFailure(
                .wrong, "PostgreSQL can have no role of this name",
                help: "write 1 to 63 bytes without control characters, and neither 'public' nor 'none'")
        }
        context.console.result(reader == nil ? database.grants(runner: role) : database.grants(reader: role))
    }
}
