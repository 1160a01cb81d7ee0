import ArgumentParser

struct Groups: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups", abstract: "Take the members of device groups along before FCM ends the groups.",
        subcommands: [GroupsExport.self])

    @ParentCommand var herald: Herald
}
