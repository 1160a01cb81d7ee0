internal import FCM
internal import Logging
internal import NIOCore
internal import Synchronization

/// Owns the connections to one endpoint. The pool and all its handlers run on one event loop, so nothing here needs a
/// lock. It has many parts, because connections and waiting requests have one owner.
actor ConnectionPool {
    /// A connection and the handler at the end of its pipeline.
    private struct Connection {
        let channel: any Channel
        let carrier: any Carrier
    }

    /// How many exchanges it can carry at once.
    nonisolated let capacity: Int
    private let loop: any EventLoop
    private let connector: Connector
    private let timeout: TimeAmount
    /// How often a connection with exchanges in progress is checked for being alive.
    private let beat: TimeAmount
    private let logger: Logger

    private var state: PoolState
    private var attempts: [AttemptID: Attempt] = [:]
    private var deadlines = Deadlines()
    private var connections: [ConnectionID: Connection] = [:]
    /// `PoolState.readyUntil` for callers that must not wait for the event loop, in nanoseconds. 0 if it is `nil`.
    private let readyUntil = Atomic<UInt64>(0)
    /// How many exchanges were started and are not answered yet.
    private let load = Atomic(0)
    /// How many exchanges it can carry by what the servers have said so far.
    private let places: Atomic<Int>
    private var waitingForConnection: [CheckedContinuation<Void, Never>] = []
    private var lastID = 0
    private var isTimed = false
    private var isBeating = false
    private var isWithdrawn = false

    init(
        state: PoolState, connector: Connector, timeout: TimeAmount, beat: TimeAmount, on loop: any EventLoop,
        logger: Logger
    ) {
        capacity = state.maximumConnections * state.exchangesPerConnection
        self.state = state
        places = Atomic(capacity)
        self.connector = connector
        self.timeout = timeout
        self.beat = beat
        self.loop = loop
        self.logger = logger
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// How many more exchanges it can carry now. A negative number tells how many are waiting.
    nonisolated var room: Int { places.load(ordering: .relaxed) - load.load(ordering: .relaxed) }

    /// Whether exchanges can start without waiting for a new connection.
    nonisolated var isReady: Bool {
        readyUntil.load(ordering: .relaxed) >= NIODeadline.now().uptimeNanoseconds
    }

    var openConnections: Int { connections.count }

    /// Opens a connection if there is none for new exchanges, and waits until it is open or has failed.
    func prepare() async {
        guard !isWithdrawn, !isReady else { return }
        await withCheckedContinuation { continuation in
            waitingForConnection.append(continuation)
            perform(state.warm(at: .now()))
        }
    }

    /// Carries calls. Each one is answered on the event loop, at the latest after `timeout`.
    nonisolated func start(_ attempts: ArraySlice<Attempt>) {
        load.add(attempts.count, ordering: .relaxed)
        loop.execute { self.assumeIsolated { $0.begin(attempts) } }
    }

    /// Carries one call and waits for its result.
    func carry(_ call: HTTPCall) async -> Exchange {
        lastID += 1
        let id = AttemptID(rawValue: lastID)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let attempt = Attempt(call: call) { continuation.resume(returning: $0) }
                if Task.isCancelled { return attempt.answer(Exchange(.cancelled, after: .waiting)) }
                load.add(1, ordering: .relaxed)
                begin([(id, attempt)])
            }
        } onCancel: {
            // This runs after `begin` in any case, because `begin` runs on this event loop without a break.
            loop.execute { self.assumeIsolated { $0.end(id, .cancelled) } }
        }
    }

    /// Ends the exchanges that wait for a connection, and takes no more. Those on a connection go on.
    func withdraw() {
        isWithdrawn = true
        for (id, attempt) in attempts where attempt.connection == nil { end(id, .shutDown) }
        tellWaitingForConnection()
    }

    /// Closes every connection, even if exchanges are in progress.
    func shutdown() async {
        withdraw()
        let open = connections.values
        for connection in open { connection.carrier.close(for: .shutDown) }
        for connection in open { try? await connection.channel.closeFuture.get() }
    }
}

// MARK: Exchanges

extension ConnectionPool {
    private func begin(_ started: ArraySlice<Attempt>) {
        let first = lastID + 1
        lastID += started.count
        begin(zip((first...).lazy.map(AttemptID.init), started))
    }

    private func begin(_ started: some Sequence<(AttemptID, Attempt)>) {
        let now = NIODeadline.now()
        for (id, attempt) in started {
            attempts[id] = attempt
            deadlines.append(id, at: now + timeout)
        }
        if isWithdrawn || !mayWrite {
            for (id, _) in started { end(id, isWithdrawn ? .shutDown : .barred) }
            return
        }
        deadlines.compact(keeping: attempts)
        perform(state.ask(started.lazy.map(\.0), at: now))
        watch()
    }

    /// Ends an exchange, unless it has already ended.
    private func end(_ id: AttemptID, _ ending: Ending) {
        guard let attempt = attempts[id] else { return }
        if let place = attempt.connection, let connection = connections[place] {
            connection.carrier.giveUp(id, for: ending)
        } else {
            state.withdraw(id)
            tell(id, Exchange(ending, after: .waiting))
        }
    }

    private func tell(_ id: AttemptID, _ exchange: Exchange) {
        guard let attempt = attempts.removeValue(forKey: id) else { return }
        load.subtract(1, ordering: .relaxed)
        attempt.answer(exchange)
    }

    /// Whether this process may send now.
    private var mayWrite: Bool { connector.mayWrite?() ?? true }

    /// Starts the timers that exchanges need.
    private func watch() {
        if !isTimed, let deadline = deadlines.first {
            isTimed = true
            loop.scheduleTask(deadline: deadline) { self.assumeIsolated { $0.endLate() } }
        }
        if !isBeating, !attempts.isEmpty {
            isBeating = true
            loop.scheduleTask(in: beat) { self.assumeIsolated { $0.beatOnce() } }
        }
    }

    private func endLate() {
        isTimed = false
        for id in deadlines.takeLate(at: .now()) {
            // An exchange timed out, so its connection may be dead. It gets no new exchanges, but its others may
            // finish.
            if let place = attempts[id]?.connection { perform(state.retire(place, at: .now())) }
            end(id, .timedOut)
        }
        watch()
    }

    private func beatOnce() {
        isBeating = false
        for connection in connections.values { connection.carrier.beat() }
        watch()
    }

    private func perform(_ effects: [PoolState.Effect]) {
        for effect in effects {
            switch effect {
            case .open(let id): open(id)
            case .close(let id): connections[id]?.channel.close(promise: nil)
            case .start(let attempt, let connection): start(attempt, on: connection)
            case .fail(let attempt, let error): tell(attempt, Exchange(.notConnected(error), after: .waiting))
            }
        }
        for connection in connections.values { connection.carrier.flush() }
        places.store(state.capacity, ordering: .relaxed)
        readyUntil.store(state.readyUntil?.uptimeNanoseconds ?? 0, ordering: .relaxed)
    }

    private func start(_ id: AttemptID, on place: ConnectionID) {
        guard let call = attempts[id]?.call else {
            return perform(state.finished(1, on: place, at: .now()))
        }
        guard mayWrite else {
            tell(id, Exchange(.barred, after: .waiting))
            return perform(state.finished(1, on: place, at: .now()))
        }
        attempts[id]?.connection = place
        if connections[place]?.carrier.start(id, call) == true { return }
        // Nothing of it was written, so another connection can carry it.
        attempts[id]?.connection = nil
        let now = NIODeadline.now()
        perform(state.retire(place, at: now) + state.finished(1, on: place, at: now) + state.askAgain(id, at: now))
    }
}

// MARK: Connections

extension ConnectionPool {
    private func open(_ id: ConnectionID) {
        connector.open(on: loop).assumeIsolated().whenComplete { result in
            do {
                try self.opened(id, result.get())
            } catch {
                self.logger.debug("connection failed", metadata: ["error": "\(error)"])
                self.perform(self.state.failed(id, ConnectError(error), at: .now()))
            }
            self.tellWaitingForConnection()
        }
    }

    private func tellWaitingForConnection() {
        for continuation in waitingForConnection { continuation.resume() }
        waitingForConnection = []
    }

    private func opened(_ id: ConnectionID, _ channel: any Channel) throws {
        guard !isWithdrawn else { return channel.close(promise: nil) }
        let carrier = try connector.carrier(of: channel)
        connections[id] = Connection(channel: channel, carrier: carrier)
        channel.closeFuture.assumeIsolated().whenComplete { _ in
            self.connections[id] = nil
            self.perform(self.state.gone(id, at: .now()))
        }
        logger.debug("connection opened", metadata: ["connection": "\(id.rawValue)"])
        carrier.report = { self.heard($0, from: id) }
        perform(state.opened(id, serverLimit: carrier.limit, at: .now()))
    }

    private func heard(_ event: CarrierEvent, from id: ConnectionID) {
        switch event {
        case .ended(let attempt, let exchange):
            tell(attempt, exchange)
        case .freed(let count):
            perform(state.finished(count, on: id, at: .now()))
        case .limit(let limit):
            perform(state.limit(id, to: limit, at: .now()))
        case .retired:
            logger.debug("connection retired", metadata: ["connection": "\(id.rawValue)"])
            perform(state.retire(id, at: .now()))
        }
    }
}
