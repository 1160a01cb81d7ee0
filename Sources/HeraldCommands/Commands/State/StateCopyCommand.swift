import ArgumentParser
import HeraldCore
import HeraldStore

struct StateCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Move the state to another place: a file or a PostgreSQL database.",
        discussion: """
            Everything is copied and compared. Then this state is sealed, with a note where it went, and the new one is \
            opened. After a crash the same command completes it. The sealed state stays; delete it when you do not need \
            it any more. Then set 'state' in herald.yaml, or HERALD_STATE, to the new place.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(
        help: ArgumentHelp(
            "A path in a folder that is there, or postgresql://USER@HOST/DATABASE. There must be no state.",
            valueName: "where"),
        completion: .file())
    var to: String

    @Option(
        help: ArgumentHelp("The schema in that database (default: as in herald.yaml, or herald).", valueName: "name"))
    var schema: String?

    func validate() throws {
        guard let schema else { return }
        guard PostgresSettings.isSchema(schema) else {
            throw ValidationError(
                "--schema: '\(schema)' is not a name for a schema", help: "write a-z, 0-9 and _, at most 63 characters")
        }
        guard PostgresSettings.isAddress(to) else {
            throw ValidationError(
                "--schema is only for a PostgreSQL database, and --to names a file", help: "leave out --schema")
        }
    }

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let destination = try context.settings.location(
            at: to, schema: schema, in: context.files.folder, context.common, endpoint: context.destination.kind)
        guard destination.name != context.state.name else {
            throw CommandFailure(
                .wrong, "the state is there already: \(destination.name)", help: "name another place with --to")
        }
        switch try await context.move(to: destination) {
        case .moved(let recipients):
            context.console.info(
                "herald: moved the state with \(count(recipients, "registration")) to \(destination.name)\n")
        case .wasMoved: context.console.info("herald: the state is at \(destination.name) already\n")
        }
        let advice =
            schema.map { "'state' in herald.yaml to the new place, with 'schema: \($0)'; HERALD_STATE names no schema" }
            ?? "'state' or HERALD_STATE to the new place"
        context.console.info("herald: \(context.state.name) is sealed; set \(advice)\n")
    }
}
