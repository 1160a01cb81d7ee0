import ArgumentParser
import FCMEmulator

/// How the emulator behaves.
struct EmulatorOptions: ParsableArguments {
    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "Answer to this name too; for an emulator that others reach by a name. Repeatable.", valueName: "name"))
    var allowHost: [String] = []

    @Option(help: "The port to listen on; 0 takes a free one.")
    var port = 0

    @Flag(help: "Speak HTTPS, with HTTP/2 and HTTP/1.1, as FCM does.")
    var tls = false

    @Option(
        help: ArgumentHelp("Append each accepted send to this file before it is answered.", valueName: "file"),
        completion: .file())
    var ledger: String?

    @Option(
        help: ArgumentHelp(
            "Keep everything in this file, each call before it is answered, and go on from it after a restart.",
            valueName: "file"),
        completion: .file())
    var data: String?

    @Option(
        help: ArgumentHelp(
            "What is to go wrong from the start: a script as PUT /emulator/v1/faults takes it.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var faults: String?

    @Flag(help: "Know only registrations that were put to /emulator/v1/registrations.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "How long subscribing and unsubscribing take to have an effect, by the emulator's clock.", valueName: "time"
        ))
    var membershipDelay: SpanArgument?

    @Option(
        help: ArgumentHelp(
            "Answer as FCM will on that day: what Google has ended by then is gone.", valueName: "YYYY-MM-DD"))
    var today: DayArgument?

    @Flag(
        help: ArgumentHelp(
            "Refuse calls without an access token from the emulator's own /token.", visibility: .hidden))
    var requireSignIn = false

    @Option(help: ArgumentHelp("What /token says of a token's lifetime.", valueName: "time", visibility: .hidden))
    var tokenLifetime: SpanArgument?

    @Option(
        help: ArgumentHelp(
            "After which a token is refused, whatever /token said.", valueName: "time", visibility: .hidden))
    var tokenAccepted: SpanArgument?

    func validate() throws {
        try ValidationError.require("--port", port, in: 0...65_535)
        if let wrong = allowHost.first(where: { $0.isEmpty || $0.contains { "/:@*".contains($0) } }) {
            throw ValidationError(
                "--allow-host: '\(wrong)' is not a host's name",
                help: "write the name alone, without scheme, port and '*'")
        }
    }

    var configuration: Emulator.Configuration {
        var configuration = Emulator.Configuration(
            host: host, port: port, tls: tls, ledger: ledger, data: data, faults: faults, strict: strict)
        configuration.allowedHosts = allowHost
        configuration.requiresAuthorization = requireSignIn
        if let membershipDelay { configuration.membershipDelay = membershipDelay.duration }
        if let tokenLifetime { configuration.tokenLifetime = tokenLifetime.duration }
        configuration.today = today?.begin
        configuration.tokenAccepted = tokenAccepted?.duration
        return configuration
    }
}
