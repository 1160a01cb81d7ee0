import ArgumentParser
import Dispatch
import Foundation
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

@main
struct Sink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take any send as FCM would, as fast as this library can, and keep when each came.",
        discussion: """
            HTTP/2 over TLS. Prints SINK=https://HOST:PORT and SINK_CA=FILE first. GET /stats tells the figures as JSON, \
            DELETE /stats begins them anew; SIGTERM prints them and ends it.
            """)

    @Option(help: "The certificate to show, as PEM; it is good for 127.0.0.1.")
    var certificate: String

    @Option(help: "Its private key, as PEM.")
    var key: String

    @Option(help: "The port to listen on; 0 takes a free one.")
    var port = 0

    @Option(help: "How long an answer waits after its request was complete: 100ms, 2s.")
    var latency: Span = Span(nanoseconds: 0)

    @Option(help: "How many requests a connection may have under way.")
    var streams = 100

    @Option(help: "How many threads serve connections.")
    var threads = 1

    @Option(help: "From when on after the first request the rate counts as settled: 5s.")
    var after: Span = Span(nanoseconds: 0)

    struct Span: ExpressibleByArgument {
        var nanoseconds: Int64

        init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

        init?(argument: String) {
            let units: [(String, Int64)] = [("ms", 1_000_000), ("s", 1_000_000_000)]
            for (unit, size) in units where argument.hasSuffix(unit) {
                guard let count = Int64(argument.dropLast(unit.count)), (0..<1_000_000).contains(count) else {
                    return nil
                }
                nanoseconds = count * size
                return
            }
            return nil
        }

        var defaultValueDescription: String { "\(nanoseconds / 1_000_000)ms" }
    }

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535") }
        guard streams > 0, threads > 0 else { throw ValidationError("--streams and --threads are at least 1") }
    }

    func run() async throws {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        tls.applicationProtocols = ["h2"]
        let security = try NIOSSLContext(configuration: tls)
        let arrivals = Shared()
        let offset = UInt64(after.nanoseconds)
        let behaviour = SinkConnection.Behaviour(latency: .nanoseconds(latency.nanoseconds), offset: offset)
        let limit = streams
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: threads))
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    try operations.addHandler(NIOSSLServerHandler(context: security))
                    try operations.addHandler(WriteJoiner())
                    try operations.addHandler(
                        NIOHTTP2Handler(mode: .server, connectionConfiguration: Self.connection(streams: limit)))
                    try operations.addHandler(SinkConnection(behaviour, arrivals))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        Self.print("SINK=https://127.0.0.1:\(server.localAddress?.port ?? port)\nSINK_CA=\(certificate)\n")
        signal(SIGTERM, SIG_IGN)
        let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        termination.setEventHandler {
            Self.print(arrivals.value.withLock { $0 }.json(after: offset))
            Self.exit()
        }
        termination.activate()
        try await server.closeFuture.get()
    }

    /// The only client is ours, so nothing needs to be validated or limited against attacks.
    private static func connection(streams: Int) -> NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: streams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16 << 10),
        ]
        configuration.headerBlockValidation = .disabled
        configuration.contentLengthValidation = .disabled
        configuration.controlFrameRateLimit.maximumCount = 1_000_000
        return configuration
    }

    private static func print(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
