import ArgumentParser
import FCMEmulator
import Foundation

struct EmulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulator",
        abstract: "Run a local FCM that delivers to nobody.",
        discussion: """
            Prints FCM_EMULATOR_HOST=HOST:PORT first; export that line and every command talks to it. What it accepted \
            is at /emulator/v1/ledger, a device's inbox at /emulator/v1/devices/REGISTRATION/inbox.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 takes a free one.")
    var port = 0

    @Option(
        help: ArgumentHelp("Append each accepted send to this file before it is answered.", valueName: "file"),
        completion: .file())
    var ledger: String?

    @Flag(help: "Know only registrations that were put to /emulator/v1/registrations.")
    var strict = false

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535") }
    }

    func run() async throws {
        let console = Common(herald.common, options).console
        let emulator = Emulator(
            Emulator.Configuration(host: host, port: port, ledger: ledger, strict: strict), now: { Date() })
        let host = host.contains(":") ? "[\(host)]" : host
        let serving = Task {
            try await emulator.run { port in console.result("FCM_EMULATOR_HOST=\(host):\(port)\n") }
        }
        let signals = Signals.listen { serving.cancel() }
        do {
            try await serving.value
        } catch  where signals.first != 0 {
            return
        } catch let error as EmulatorError {
            throw console.end(.wrong, error.description)
        }
    }
}
