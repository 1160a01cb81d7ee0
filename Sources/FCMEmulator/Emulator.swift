import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A server that behaves like Firebase Cloud Messaging and delivers nothing.
package struct Emulator: Sendable {
    /// How it behaves. It has many parts, because each option of `herald emulator` is one.
    package struct Configuration: Sendable {
        package var host: String
        /// 0 picks a free port.
        package var port: Int
        /// Names of this machine, besides `host`, under which clients reach it.
        package var allowedHosts: [String] = []
        /// Whether to serve HTTPS, with HTTP/2 and HTTP/1.1. The certificate is made at start.
        package var tls: Bool
        /// A file that gets a line for each accepted send, before the answer leaves.
        package var ledger: String?
        /// A file that keeps the world across restarts.
        package var data: String?
        /// A file with the faults in force at start, in the form of `PUT /emulator/v1/faults`.
        package var faults: String?
        /// Whether only registrations from `PUT /emulator/v1/registrations` exist. Otherwise every well-formed one
        /// does.
        package var strict: Bool
        /// How long it takes until topic sends see a subscription or its end.
        package var membershipDelay: Duration = .zero
        /// How often idle event streams get a comment, so that clients see that they are alive.
        package var heartbeat: Duration = .seconds(15)
        /// Whether calls need an access token from this emulator. Otherwise they need none.
        package var requiresAuthorization: Bool
        /// The lifetime that is told with an access token.
        package var tokenLifetime: Duration
        /// How long an issued token is accepted. `nil` means its lifetime. A shorter time acts like a revoked token.
        package var tokenAccepted: Duration?
        /// The service accounts that may get access tokens, with their public keys as PEM. If it is empty, every
        /// account may, and signatures are not verified.
        package var serviceAccounts: [String: String]
        /// The day whose FCM it is: what Google has ended by then is gone. `nil` means that nothing has ended.
        package var today: Date?

        package init(
            host: String = "127.0.0.1", port: Int = 0, tls: Bool = false, ledger: String? = nil,
            data: String? = nil, faults: String? = nil, strict: Bool = false,
            requiresAuthorization: Bool = false, tokenLifetime: Duration = .seconds(3599),
            tokenAccepted: Duration? = nil, serviceAccounts: [String: String] = [:]
        ) {
            self.host = host
            self.port = port
            self.tls = tls
            self.ledger = ledger
            self.data = data
            self.faults = faults
            self.strict = strict
            self.requiresAuthorization = requiresAuthorization
            self.tokenLifetime = tokenLifetime
            self.tokenAccepted = tokenAccepted
            self.serviceAccounts = serviceAccounts
        }
    }

    /// Where a running emulator can be reached.
    package struct Endpoint: Hashable, Sendable {
        package let port: Int
        /// The PEM file with the certificate to trust. `nil` without HTTPS.
        package let certificate: String?
        /// What calls to the emulator's own interface must send. `nil` if only this machine can reach it.
        package let token: String?

        /// The page's address with the token. `nil` if there is no token.
        ///
        /// - Parameter host: the address that the emulator listens on, as a URL has it.
        package func link(from host: String) -> String? {
            guard let token else { return nil }
            let host = HostName(authority: host)?.isWildcard == true ? "localhost" : host
            return "\(certificate == nil ? "http" : "https")://\(host):\(port)/?\(AccessRules.linkParameter)=\(token)"
        }
    }

    /// How long a stopping emulator may still send pending answers.
    private static let grace = Duration.seconds(2)

    private let configuration: Configuration
    private let now: @Sendable () -> Date

    package init(_ configuration: Configuration = Configuration(), now: @escaping @Sendable () -> Date) {
        self.configuration = configuration
        self.now = now
    }

    /// Serves until its task is cancelled, and then returns.
    ///
    /// - Parameter onReady: called once connections are accepted.
    package func run(onReady: @escaping @Sendable (Endpoint) async -> Void) async throws {
        let hosts = [configuration.host] + configuration.allowedHosts
        let identity = configuration.tls ? try ServerIdentity(hosts: hosts, now: now()) : nil
        let token = HostName(configuration.host).isLoopback ? nil : Self.newToken()
        let backend = try Backend(
            settings: World.Settings(configuration), signIn: try SignIn(configuration), faults: try readFaults(),
            data: configuration.data, ledger: configuration.ledger, now: now)
        try await withThrowingTaskGroup { group in
            let (ports, listening) = AsyncStream<Int>.makeStream()
            group.addTask {
                defer { listening.finish() }
                try await serve(backend, identity: identity, token: token) { listening.yield($0) }
            }
            for await port in ports {
                guard let identity else {
                    await onReady(Endpoint(port: port, certificate: nil, token: token))
                    continue
                }
                let file = try CertificateFile(path: CertificateFile.defaultPath(port: port), pem: identity.pem)
                await onReady(Endpoint(port: port, certificate: file.path, token: token))
                // The certificate file is deleted at the end of this scope, so the scope must last as long as the
                // server.
                try await group.waitForAll()
            }
            try await group.waitForAll()
        }
    }

    private func serve(
        _ backend: Backend, identity: ServerIdentity?, token: String?,
        onListening: @escaping @Sendable (_ port: Int) -> Void
    ) async throws {
        let tls = identity?.tlsConfiguration
        let rules = AccessRules(
            listeningOn: configuration.host, allowing: configuration.allowedHosts, token: token)
        let (drain, open) = (Drain(), OpenChannels())
        let logger = Logger(label: "herald.emulator", factory: { _ in SwiftLogNoOpLogHandler() })
        let answering = EmulatorResponder(backend: backend, rules: rules, isSecure: tls != nil, drain: drain)
        let application = Application(
            responder: answering,
            server: HTTPServerBuilder { _ in
                let responder: HTTPChannelHandler.Responder = { request, writer, channel in
                    drain.enter()
                    defer { drain.leave() }
                    let connection = Connection(
                        source: ApplicationRequestContextSource(channel: channel, logger: logger))
                    if !connection.isStream, request.headers[.expect]?.lowercased() == "100-continue" {
                        try await writer.writeInformationalHead(HTTPTypes.HTTPResponse(status: .continue))
                    }
                    let response = try await answering.respond(to: request, context: connection)
                    // Hummingbird's own way would overwrite a `Date` that a fault has set.
                    try await writer.write(response: response.head, body: response.body)
                }
                guard let tls else { return HTTP1Channel(responder: responder) }
                return try SecureChannel(tls, open, responder: responder)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), backlog: 1024),
            onServerRunning: { onListening($0.localAddress?.port ?? 0) },
            logger: logger)
        // This task is not cancelled with ours, so that pending answers can still be sent.
        let serving = Task { try await application.run() }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer {
                    group.cancelAll()
                    open.closeAll()
                }
                group.addTask { try await backend.beat(every: configuration.heartbeat) }
                try await withTaskCancellationHandler {
                    try await serving.value
                } onCancel: {
                    // Open event streams would delay the end.
                    backend.bell.putAway()
                    drain.begin { serving.cancel() }
                    Task {
                        try? await Task.sleep(for: Self.grace)
                        serving.cancel()
                    }
                }
            }
        } catch  where Task.isCancelled {
            // Errors from a cancelled server do not matter.
        } catch {
            // Once the server listens, it cannot fail. An address that is in use, not permitted or unknown fails
            // before.
            throw EmulatorError.cannotListen(
                host: configuration.host, port: configuration.port, reason: Self.words(for: error))
        }
    }

    private static func newToken() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }.base64URL
    }

    /// The system's own error text, without the names of our functions.
    private static func words(for error: any Error) -> String {
        guard let code = (error as? IOError)?.errnoCode else { return String(describing: error) }
        return String(cString: strerror(code))
    }

    private func readFaults() throws(EmulatorError) -> FaultScript {
        guard let path = configuration.faults else { return FaultScript() }
        let bytes: [UInt8]
        do { bytes = try [UInt8](contentsOf: path) } catch {
            throw .cannotReadFaults(path: path, reason: error.description)
        }
        do { return try FaultScript(parsing: bytes, at: now()) } catch {
            throw .cannotReadFaults(path: path, reason: error.description)
        }
    }
}

/// Why an emulator cannot run.
package enum EmulatorError: Error, Hashable, Sendable, CustomStringConvertible {
    case cannotListen(host: String, port: Int, reason: String)
    case cannotOpenLedger(path: String, reason: String)
    case cannotReadFaults(path: String, reason: String)
    case cannotReadKey(account: String)
    case cannotUseData(path: String, reason: String)
    case cannotWriteCertificate(path: String, reason: String)
    case cannotWriteLedger(reason: String)

    package var description: String {
        switch self {
        case .cannotListen(let host, let port, let reason): "cannot listen on \(host):\(port): \(reason)"
        case .cannotOpenLedger(let path, let reason): "cannot open the ledger '\(path)': \(reason)"
        case .cannotReadFaults(let path, let reason): "cannot read the faults in '\(path)': \(reason)"
        case .cannotReadKey(let account): "the public key of '\(account)' is no PEM of an RSA key from 2048 bits on"
        case .cannotUseData(let path, let reason): "cannot use the data in '\(path)': \(reason)"
        case .cannotWriteCertificate(let path, let reason): "cannot write the certificate to '\(path)': \(reason)"
        case .cannotWriteLedger(let reason): "cannot write the ledger: \(reason)"
        }
    }

    /// What to do about it.
    package var help: String {
        switch self {
        case .cannotListen: "choose another --port or --host"
        case .cannotOpenLedger: "look at the path after --ledger and at who may write there"
        case .cannotReadFaults: "correct the file that --faults names"
        case .cannotReadKey: "give the account's public key as PEM"
        case .cannotUseData: "name another file with --data, or leave out --data"
        case .cannotWriteCertificate: "look at who may write there, or set TMPDIR to another folder"
        case .cannotWriteLedger: "make room where the ledger is, and start the emulator again"
        }
    }
}
