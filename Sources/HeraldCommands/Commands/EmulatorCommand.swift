import ArgumentParser
import FCMEmulator
import Foundation

struct EmulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulator",
        abstract: "Run a local FCM that delivers to nobody.",
        discussion: """
            Prints FCM_EMULATOR_HOST=HOST:PORT first; export that line and every command talks to it. With --tls it is \
            https://HOST:PORT, and FCM_EMULATOR_CA=FILE follows: the certificate to trust, herald-emulator-PORT.pem in \
            the temporary directory, made at start and removed at the end. A browser shows its devices at that address. What \
            it accepted is at /emulator/v1/ledger, a device's inbox at /emulator/v1/devices/REGISTRATION/inbox. What is to \
            go wrong is told to /emulator/v1/faults.

            With a --host that other machines can reach, FCM_EMULATOR_TOKEN=TOKEN follows too: calls to /emulator/v1 must \
            send it as 'Authorization: Bearer TOKEN', and a browser opens the printed link. FCM's own calls need no token.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var emulator: EmulatorOptions

    func run() async throws {
        let console = Common(herald.common, options).console
        let server = Emulator(emulator.configuration, now: { Date() })
        let host = emulator.host.contains(":") ? "[\(emulator.host)]" : emulator.host
        let serving = Task {
            try await server.run { endpoint in
                let scheme = endpoint.certificate == nil ? "" : "https://"
                let authority = endpoint.certificate.map { "FCM_EMULATOR_CA=\($0)\n" } ?? ""
                let token = endpoint.token.map { "FCM_EMULATOR_TOKEN=\($0)\n" } ?? ""
                console.result("FCM_EMULATOR_HOST=\(scheme)\(host):\(endpoint.port)\n\(authority)\(token)")
                if let link = endpoint.link(from: host) { console.info("herald: the page is at \(link)\n") }
            }
        }
        let signals = Signals.listen { serving.cancel() }
        do { try await serving.value } catch { if signals.first == 0 { throw error } }
    }
}
