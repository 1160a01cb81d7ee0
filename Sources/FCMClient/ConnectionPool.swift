internal import FCM
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2

/// Owns the connections to one endpoint. It runs on one event loop together with all of their handlers, so nothing
/// in here needs a lock.
actor ConnectionPool {
    /// How many exchanges it carries at once.
    nonisolated let capacity: Int
    private let loop: any EventLoop
    private let connector: Connector
    private let timeout: TimeAmount
    private let logger: Logger

    private var state: PoolState
    private var attempts: [AttemptID: Attempt] = [:]
    private var connections: [ConnectionID: Connection] = [:]
    /// Of HTTP/1.1 connections; an HTTP/2 stream has its own.
    private var handlers: [ConnectionID: ExchangeHandler] = [:]
    private var lastID = 0
    private var isShutDown = false

    init(state: PoolState, connector: Connector, timeout: TimeAmount, on loop: any EventLoop, logger: Logger) {
        capacity = state.maximumConnections * state.exchangesPerConnection
        self.state = state
        self.connector = connector
        self.timeout = timeout
        self.loop = loop
        self.logger = logger
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// How many connections are open.
    var openConnections: Int { connections.count }

    /// Carries one exchange; it has ended one way or another after `timeout`.
    func carry(_ call: HTTPCall) async -> Exchange {
        lastID += 1
        let id = AttemptID(rawValue: lastID)
        defer { attempts[id] = nil }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { begin(Attempt(id: id, call: call, continuation: $0)) }
        } onCancel: {
            // Runs after `begin` in any case: until that returns, the loop is ours.
            loop.execute { self.assumeIsolated { $0.end(id, .cancelled) } }
        }
    }

    /// Closes every connection, whatever it carries.
    func shutdown() async {
        isShutDown = true
        for id in attempts.keys { end(id, .shutDown) }
        let channels = connections.values.map(\.channel)
        for channel in channels { channel.close(promise: nil) }
        for channel in channels { try? await channel.closeFuture.get() }
    }

    private func begin(_ attempt: Attempt) {
        if isShutDown { return attempt.end(.shutDown) }
        if Task.isCancelled { return attempt.end(.cancelled) }
        attempts[attempt.id] = attempt
        attempt.timeout = loop.scheduleTask(in: timeout) { [id = attempt.id] in
            self.assumeIsolated { $0.end(id, .timedOut) }
        }
        perform(state.ask(attempt.id, at: .now()))
    }

    private func end(_ id: AttemptID, _ ending: Ending) {
        guard let attempt = attempts[id], !attempt.isOver else { return }
        state.withdraw(id)
        attempt.end(ending)
        // A connection that let an exchange time out may be dead; what else it carries may go on.
        if ending == .timedOut, let connection = attempt.connection {
            perform(state.retire(connection, at: .now()))
        }
    }

    private func perform(_ effects: [PoolState.Effect]) {
        for effect in effects {
            switch effect {
            case .open(let id): open(id)
            case .close(let id): connections[id]?.channel.close(promise: nil)
            case .start(let attempt, let connection): start(attempt, on: connection)
            case .fail(let attempt, let error): end(attempt, .notConnected(error))
            }
        }
    }
}

// MARK: Connections

extension ConnectionPool {
    private func open(_ id: ConnectionID) {
        let report: @Sendable (HTTP2Watch.Event) -> Void = { event in
            self.assumeIsolated { $0.heard(event, from: id) }
        }
        connector.open(on: loop, report: report).assumeIsolated().whenComplete { result in
            do {
                try self.opened(id, result.get())
            } catch {
                self.logger.debug("connection failed", metadata: ["error": "\(error)"])
                self.perform(self.state.failed(id, ConnectError(error), at: .now()))
            }
        }
    }

    private func opened(_ id: ConnectionID, _ connection: Connection) throws {
        guard !isShutDown else { return connection.channel.close(promise: nil) }
        let serverLimit: Int
        switch connection {
        case .http1(let channel):
            serverLimit = 1
            let handler = ExchangeHandler { self.perform(self.state.finished(on: id, at: .now())) }
            try channel.pipeline.syncOperations.addHandler(handler)
            handlers[id] = handler
        case .http2(_, _, let streamLimit):
            serverLimit = streamLimit
        }
        connections[id] = connection
        connection.channel.closeFuture.assumeIsolated().whenComplete { _ in
            self.connections[id] = nil
            self.handlers[id] = nil
            self.perform(self.state.gone(id, at: .now()))
        }
        logger.debug("connection opened", metadata: ["connection": "\(id.rawValue)"])
        perform(state.opened(id, serverLimit: serverLimit, at: .now()))
    }

    private func heard(_ event: HTTP2Watch.Event, from id: ConnectionID) {
        logger.debug("connection event", metadata: ["connection": "\(id.rawValue)", "event": "\(event)"])
        switch event {
        case .streamLimit(let limit):
            perform(state.limit(id, to: limit, at: .now()))
        case .goAway(let last):
            for attempt in attempts.values where attempt.connection == id { attempt.heardGoAway(last: last) }
            perform(state.retire(id, at: .now()))
        case .failed:
            perform(state.retire(id, at: .now()))
        }
    }
}

// MARK: Exchanges

extension ConnectionPool {
    private func start(_ id: AttemptID, on connection: ConnectionID) {
        guard let attempt = attempts[id], !attempt.isOver else {
            return perform(state.finished(on: connection, at: .now()))
        }
        attempt.connection = connection
        switch connections[connection] {
        case .http1:
            if handlers[connection]?.carry(attempt) != true { startElsewhere(attempt) }
        case .http2(_, let multiplexer, _):
            let opening = loop.makePromise(of: (any Channel).self)
            opening.futureResult.assumeIsolated().whenComplete { self.opened($0, for: attempt, on: connection) }
            multiplexer.createStreamChannel(promise: opening) { stream in
                stream.eventLoop.makeCompletedFuture {
                    let codec = HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: .https)
                    try stream.pipeline.syncOperations.addHandler(codec)
                }
            }
        case nil:
            startElsewhere(attempt)
        }
    }

    private func opened(
        _ stream: Result<any Channel, any Error>, for attempt: Attempt, on connection: ConnectionID
    ) {
        guard case .success(let stream) = stream else {
            startElsewhere(attempt)
            return perform(state.finished(on: connection, at: .now()))
        }
        stream.closeFuture.assumeIsolated().whenComplete { _ in
            self.perform(self.state.finished(on: connection, at: .now()))
        }
        let handler = ExchangeHandler(becameFree: nil)
        let isUsable = !attempt.isOver && state.accepts(connection)
        do {
            try stream.pipeline.syncOperations.addHandler(handler)
            guard isUsable, handler.carry(attempt) else { throw ConnectError.closed }
        } catch {
            stream.close(promise: nil)
            startElsewhere(attempt)
        }
    }

    /// Gives an exchange of which nothing was written another connection.
    private func startElsewhere(_ attempt: Attempt) {
        guard !attempt.isOver else { return }
        if let connection = attempt.connection { perform(state.retire(connection, at: .now())) }
        attempt.connection = nil
        perform(state.askAgain(attempt.id, at: .now()))
    }
}
