import ArgumentParser
import HeraldCore
import HeraldStore

struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "work", abstract: "Help runs on a state in PostgreSQL to send, until a signal comes.",
        discussion: """
            HERALD_STATE names the state: postgresql://USER@HOST/DATABASE. A worker needs no workspace and no lists. It \
            waits for a run, takes recipients of its sends, and keeps to the run's rates together with all others. \
            Project and endpoint must be those that the state belongs to.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(help: "The Firebase project that the state belongs to.")
    var project: String

    @Option(help: ArgumentHelp("Where FCM is, if not at Google.", valueName: "url"))
    var endpoint: String?

    @Option(help: ArgumentHelp("The file of a credential.", valueName: "file"), completion: .file())
    var credentials: String?

    @Option(
        name: .customLong("token-host"),
        help: ArgumentHelp("One more host that the credential may be sent to (repeatable).", valueName: "host"))
    var tokenHosts: [String] = []

    @Option(help: "The schema of the state.")
    var schema = "herald"

    @Option(help: ArgumentHelp("The most requests in flight at once (default: 1000).", valueName: "n"))
    var maxInFlight: Int?

    @Option(
        help: ArgumentHelp("Write figures for Prometheus' textfile collector to this file.", valueName: "file"),
        completion: .file())
    var metrics: String?

    func validate() throws {
        try ValidationError.require(
            maxInFlight ?? 1 > 0, "--max-in-flight is less than 1", help: "write 1 or more")
        for host in tokenHosts {
            try ValidationError.require(
                FCMSettings.isHostName(host), "--token-host: '\(host.printable)' is not a host's name",
                help: "write the name alone, in small letters: sts.example.com")
        }
    }

    func run() async throws {
        let common = Common(herald.common, options)
        let database = try common.sharedState(schema: schema)
        var settings = Settings(project: project)
        if let maxInFlight { settings.fcm.maxInFlight = maxInFlight }
        if let endpoint { settings.fcm.endpoint = endpoint }
        settings.fcm.tokenHosts = tokenHosts
        let destination = try Destination(
            settings.fcm, in: nil, credentials: credentials, environment: common.environment)
        let speed = try common.leaseSpeed(at: destination.kind)
        let server = try PostgresAddress(database, isFromFile: false, environment: common.environment).server
        let worker = Worker(
            common: common, settings: settings, destination: destination,
            server: server.faster(by: speed), times: LeaseTimes().faster(by: speed),
            metricsPath: metrics, signals: .listen(on: common.console))
        try await worker.work()
    }
}
