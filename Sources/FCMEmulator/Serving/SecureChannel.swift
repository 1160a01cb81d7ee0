import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// A TLS connection that speaks HTTP/2 or HTTP/1.1, as the client chooses, and that ends with its task.
///
/// The channel that it wraps has two flaws: it waits for a handshake without a limit, and it keeps an idle HTTP/2
/// connection open when its task is cancelled.
struct SecureChannel: ServerChildChannel {
    private let base: HTTP2UpgradeChannel
    private let open: OpenChannels

    /// How long a cancelled connection may still send pending answers.
    private static let grace = TimeAmount.milliseconds(500)

    init(
        _ configuration: TLSConfiguration, _ open: OpenChannels, responder: @escaping HTTPChannelHandler.Responder
    ) throws {
        self.open = open
        base = try HTTP2UpgradeChannel(tlsConfiguration: configuration, responder: responder)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP2UpgradeChannel.Value> {
        open.add(channel)
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP2UpgradeChannel.Value, logger: Logger) async {
        let channel = value.channel
        await withTaskCancellationHandler {
            await base.handle(value: value, logger: logger)
        } onCancel: {
            channel.eventLoop.scheduleTask(in: Self.grace) { channel.close(promise: nil) }
        }
        channel.close(promise: nil)
    }
}

/// The connections that are open. A server that ends forgets those that it has accepted and not begun to handle.
final class OpenChannels: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { [self] _ in channels.withLock { $0[id] = nil } }
    }

    func closeAll() {
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }
}
