internal import FCM
internal import NIOCore
internal import NIOHTTP1

/// Carries exchanges over an HTTP/1.1 connection, one after the other.
final class ExchangeHandler: ChannelInboundHandler, Carrier {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    var report: (CarrierEvent) -> Void = { _ in }
    let limit = 1
    private var context: ChannelHandlerContext?
    private var attempt: AttemptID?
    private var reader = ResponseReader()
    private var isReusable = false
    private var requestWasWritten = false
    private var isUnflushed = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func start(_ attempt: AttemptID, _ call: HTTPCall) -> Bool {
        guard let context, context.channel.isActive, self.attempt == nil, case .http1(var head) = call.head else {
            return false
        }
        self.attempt = attempt
        reader = ResponseReader()
        isReusable = false
        requestWasWritten = false
        head.headers.add(name: "content-length", value: String(call.body.count))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !call.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: call.body)))), promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success:
                requestWasWritten = true
            case .failure(let error):
                if self.attempt == attempt { end(Ending(error)) }
                context.close(promise: nil)
            }
        }
        context.write(wrapOutboundOut(.end(nil)), promise: written)
        isUnflushed = true
        return true
    }

    func flush() {
        guard isUnflushed else { return }
        isUnflushed = false
        context?.flush()
    }

    func giveUp(_ attempt: AttemptID, for ending: Ending) {
        if self.attempt == attempt { close(for: ending) }
    }

    func close(for ending: Ending) {
        end(ending)
        context?.close(promise: nil)
    }

    func beat() {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard attempt != nil else { return context.close(promise: nil) }
        switch reader.read(unwrapInboundIn(data), isReusable: &isReusable) {
        case .more:
            break
        case .tooLong:
            close(for: .tooLong)
        case .complete(let response, let reusable):
            end(.answered(response))
            if reusable, requestWasWritten { report(.freed(1)) } else { context.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close(for: Ending(error)) }

    func channelInactive(context: ChannelHandlerContext) {
        end(.cut)
        context.fireChannelInactive()
    }

    private func end(_ ending: Ending) {
        guard let attempt else { return }
        self.attempt = nil
        report(.ended(attempt, Exchange(ending, after: reader.progress)))
    }
}
