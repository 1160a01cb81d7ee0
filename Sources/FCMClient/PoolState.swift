internal import NIOCore

/// Identifies one exchange of a pool.
struct AttemptID: RawRepresentable, Hashable, Sendable {
    let rawValue: Int
}

/// Identifies one connection of a pool, from the moment it begins to open.
struct ConnectionID: RawRepresentable, Hashable, Sendable {
    let rawValue: Int
}

/// Decides which connection carries which exchange, first come, first served. It opens no socket and reads no clock.
///
/// The same rules serve HTTP/1.1, with many connections and one exchange each, and HTTP/2, with few connections and
/// many exchanges each. A connection is filled before the next one is used. New connections open as soon as an exchange
/// waits.
struct PoolState {
    /// What the owner of the sockets must do next, in order.
    enum Effect: Hashable {
        case open(ConnectionID)
        case start(AttemptID, on: ConnectionID)
        case close(ConnectionID)
        /// Ends an exchange, because the connection that it waited for did not open.
        case fail(AttemptID, ConnectError)
    }

    private struct Connection {
        let id: ConnectionID
        var limit: Int
        var inFlight = 0
        var lastUsed: NIODeadline

        var hasRoom: Bool { inFlight < limit }

        /// Whether an exchange may start on it. A server may be about to close a connection that was idle for longer.
        func isFresh(at now: NIODeadline, _ idleLimit: TimeAmount) -> Bool {
            inFlight > 0 || now - lastUsed <= idleLimit
        }
    }

    let maximumConnections: Int
    /// The most exchanges at once on one connection, even if the server allows more.
    let exchangesPerConnection: Int
    /// A connection that was unused for longer is replaced. Servers close idle connections, and that could cut off a
    /// request.
    let idleLimit: TimeAmount

    private var opening: Set<ConnectionID> = []
    private var connections: [Connection] = []
    /// Connections that take no new exchanges, with the number that they still carry.
    private var retired: [ConnectionID: Int] = [:]
    private var waiting = CircularBuffer<AttemptID>()
    private var lastID = 0

    init(maximumConnections: Int, exchangesPerConnection: Int, idleLimit: TimeAmount) {
        self.maximumConnections = maximumConnections
        self.exchangesPerConnection = exchangesPerConnection
        self.idleLimit = idleLimit
    }

    /// How many exchanges can be in progress at once, by what the servers have said so far.
    var capacity: Int {
        let usual = connections.last?.limit ?? exchangesPerConnection
        return connections.reduce((maximumConnections - connections.count) * usual) { $0 + $1.limit }
    }

    mutating func ask(_ attempts: some Sequence<AttemptID>, at now: NIODeadline) -> [Effect] {
        waiting.append(contentsOf: attempts)
        return settle(at: now)
    }

    /// Until when exchanges can start without waiting for a new connection. `nil` if they must wait now. Connections
    /// that take no new exchanges do not count.
    var readyUntil: NIODeadline? {
        connections.lazy.map { $0.inFlight > 0 ? .distantFuture : $0.lastUsed + idleLimit }.max()
    }

    /// Opens a connection if exchanges would have to wait for one.
    mutating func warm(at now: NIODeadline) -> [Effect] {
        guard opening.isEmpty, readyUntil.map({ $0 < now }) ?? true else { return [] }
        // All of them have been idle for too long.
        let stale = connections.map { Effect.close($0.id) }
        connections = []
        return stale + [open()]
    }

    /// Puts an exchange back at the head of the queue. Its connection was gone before anything was written.
    mutating func askAgain(_ attempt: AttemptID, at now: NIODeadline) -> [Effect] {
        waiting.prepend(attempt)
        return settle(at: now)
    }

    /// Removes an exchange from the queue. A started one is not affected.
    mutating func withdraw(_ attempt: AttemptID) {
        if let index = waiting.firstIndex(of: attempt) { waiting.remove(at: index) }
    }

    /// A connection is ready. The server allows `serverLimit` exchanges at once.
    mutating func opened(_ id: ConnectionID, serverLimit: Int, at now: NIODeadline) -> [Effect] {
        guard opening.remove(id) != nil else { return [.close(id)] }
        connections.append(Connection(id: id, limit: min(serverLimit, exchangesPerConnection), lastUsed: now))
        return settle(at: now)
    }

    /// A connection did not open. The exchanges that it would have carried fail. The others wait for another one.
    mutating func failed(_ id: ConnectionID, _ error: ConnectError, at now: NIODeadline) -> [Effect] {
        guard opening.remove(id) != nil else { return [] }
        let doomed = waiting.prefix(exchangesPerConnection).map { Effect.fail($0, error) }
        waiting.removeFirst(doomed.count)
        return doomed + settle(at: now)
    }

    mutating func limit(_ id: ConnectionID, to serverLimit: Int, at now: NIODeadline) -> [Effect] {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return [] }
        connections[index].limit = min(serverLimit, exchangesPerConnection)
        return settle(at: now)
    }

    /// This many exchanges ended on a connection, which has room for others now.
    mutating func finished(_ count: Int, on id: ConnectionID, at now: NIODeadline) -> [Effect] {
        if let carried = retired[id] {
            retired[id] = carried > count ? carried - count : nil
            return carried > count ? [] : [.close(id)]
        }
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return [] }
        connections[index].inFlight -= count
        connections[index].lastUsed = now
        return settle(at: now)
    }

    /// A connection takes no new exchanges. It is closed after the last one that it carries.
    mutating func retire(_ id: ConnectionID, at now: NIODeadline) -> [Effect] {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return [] }
        return [retire(connections.remove(at: index))].compactMap(\.self) + settle(at: now)
    }

    /// A connection was closed by either side.
    mutating func gone(_ id: ConnectionID, at now: NIODeadline) -> [Effect] {
        retired[id] = nil
        connections.removeAll { $0.id == id }
        return settle(at: now)
    }

    private mutating func retire(_ connection: Connection) -> Effect? {
        if connection.inFlight == 0 { return .close(connection.id) }
        retired[connection.id] = connection.inFlight
        return nil
    }

    /// Starts waiting exchanges on connections with room, and opens the missing connections.
    private mutating func settle(at now: NIODeadline) -> [Effect] {
        var effects: [Effect] = []
        while let attempt = waiting.first, let index = connections.lastIndex(where: \.hasRoom) {
            guard connections[index].isFresh(at: now, idleLimit) else {
                effects.append(.close(connections.remove(at: index).id))
                continue
            }
            waiting.removeFirst()
            connections[index].inFlight += 1
            effects.append(.start(attempt, on: connections[index].id))
        }
        while opening.count * exchangesPerConnection < waiting.count,
            opening.count + connections.count < maximumConnections
        {
            effects.append(open())
        }
        return effects
    }

    private mutating func open() -> Effect {
        lastID += 1
        opening.insert(ConnectionID(rawValue: lastID))
        return .open(ConnectionID(rawValue: lastID))
    }
}
