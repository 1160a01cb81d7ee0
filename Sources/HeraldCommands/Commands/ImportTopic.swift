import ArgumentParser
import FCM
import HeraldCore

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Record in the state what others made at FCM.",
        subcommands: [ImportTopic.self])

    @ParentCommand var herald: Herald
}

struct ImportTopic: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topic", abstract: "Ask FCM who in an audience follows a topic, and record it.",
        discussion: """
            Asks for each registration of the audience, within 'fcm.subscription_rate'. Where it is dead, it asks for \
            another one that the lists name for the same installation. Nobody is subscribed or unsubscribed, and it can \
            be repeated. Those recorded as pre-existing are never unsubscribed, unless the topic \
            says 'adopt: true'. Those recorded as managed count as subscribed by herald.
            """)

    @ParentCommand var imports: Import
    @OptionGroup var options: CommonOptions

    @Argument(help: "The topic's name at FCM.")
    var topic: String

    @Option(help: ArgumentHelp("Whose registrations to ask for.", valueName: "name"))
    var audience: String

    @Option(name: .customLong("as"), help: "pre-existing or managed.")
    var membership: ImportedMembership = .preexisting

    func run() async throws {
        let topic = try TopicName(argument: topic)
        let context = try CommandContext.open(Common(imports.herald.common, options))
        try await ImportRun(context: context, topic: topic, audience: audience, membership: membership).conduct()
    }
}

/// What those who follow an imported topic count as.
enum ImportedMembership: String, CaseIterable, ExpressibleByArgument {
    case preexisting = "pre-existing"
    case managed

    var reclassification: Reclassification {
        switch self {
        case .preexisting: .importedAsPreexisting
        case .managed: .importedAsManaged
        }
    }
}

extension TopicName {
    init(argument: String) throws {
        guard let name = TopicName(rawValue: argument) else {
            throw CommandFailure(
                .usage, "'\(argument.printable)' is no topic name",
                help: "a name has up to 900 letters, digits and -_.~%, and no '/topics/' before it")
        }
        self = name
    }
}
