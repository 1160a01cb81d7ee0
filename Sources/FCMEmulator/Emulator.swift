import Hummingbird
import Logging
import NIOCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A server that behaves like Firebase Cloud Messaging and delivers nothing to anybody.
package struct Emulator: Sendable {
    package struct Configuration: Sendable {
        package var host: String
        /// 0 takes any free port.
        package var port: Int
        /// A file to which each accepted send is appended before its answer leaves.
        package var ledger: String?
        /// Whether only registrations enrolled through `PUT /emulator/v1/registrations` exist; else any well-formed one.
        package var strict: Bool

        package init(host: String = "127.0.0.1", port: Int = 0, ledger: String? = nil, strict: Bool = false) {
            self.host = host
            self.port = port
            self.ledger = ledger
            self.strict = strict
        }
    }

    private let configuration: Configuration
    private let now: @Sendable () -> Date

    package init(_ configuration: Configuration = Configuration(), now: @escaping @Sendable () -> Date) {
        self.configuration = configuration
        self.now = now
    }

    /// Serves until its task is cancelled, and then returns.
    ///
    /// - Parameter onReady: called with the port once connections are accepted.
    package func run(onReady: @escaping @Sendable (_ port: Int) async -> Void) async throws {
        let backend = Backend(strict: configuration.strict, now: now, keep: try openLedger())
        let application = Application(
            responder: EmulatorResponder(backend: backend),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), backlog: 1024),
            onServerRunning: { await onReady($0.localAddress?.port ?? 0) },
            logger: Logger(label: "herald.emulator", factory: { _ in SwiftLogNoOpLogHandler() }))
        do {
            try await application.run()
        } catch  where Task.isCancelled {
            // What ends a cancelled server is of no interest.
        } catch {
            // Once it listens nothing makes it fail: an address that is taken, forbidden or unknown does.
            throw EmulatorError.cannotListen(
                host: configuration.host, port: configuration.port, reason: Self.words(for: error))
        }
    }

    /// The system's own words, without those of the code that heard them.
    private static func words(for error: any Error) -> String {
        guard let code = (error as? IOError)?.errnoCode else { return String(describing: error) }
        return String(cString: strerror(code))
    }

    private func openLedger() throws(EmulatorError) -> (@Sendable ([UInt8]) throws -> Void)? {
        guard let path = configuration.ledger else { return nil }
        let file = try LedgerFile(path: path)
        return { try file.append($0) }
    }
}

/// Why an emulator does not run.
package enum EmulatorError: Error, Hashable, Sendable, CustomStringConvertible {
    case cannotListen(host: String, port: Int, reason: String)
    case cannotOpenLedger(path: String, reason: String)
    case cannotWriteLedger(reason: String)

    package var description: String {
        switch self {
        case .cannotListen(let host, let port, let reason): "cannot listen on \(host):\(port): \(reason)"
        case .cannotOpenLedger(let path, let reason): "cannot open the ledger '\(path)': \(reason)"
        case .cannotWriteLedger(let reason): "cannot write the ledger: \(reason)"
        }
    }
}
