import HeraldCore
import Logging

/// Writes log messages to standard error, one a line: `herald: debug: connection opened (connection: 1)`.
struct ConsoleLog: LogHandler {
    let console: Console
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let list = facts.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        let line = "herald: \(event.level): \(event.message)" + (list.isEmpty ? "" : " (\(list))")
        console.error(line.replacing("\n", with: " ").maskingRegistrations + "\n")
    }
}

extension Common {
    /// What the client logs goes to standard error, from the level that `--log-level` names.
    var logger: Logger {
        let (console, level) = (console, logLevel)
        return Logger(label: "herald") { _ in ConsoleLog(console: console, logLevel: level) }
    }
}
