internal import NIOCore

/// Names one exchange of a pool.
struct AttemptID: RawRepresentable, Hashable, Sendable {
    let rawValue: Int
}

/// Names one connection of a pool, from the moment it is being opened.
struct ConnectionID: RawRepresentable, Hashable, Sendable {
    let rawValue: Int
}

/// Decides which connection carries which exchange, first come, first served. Opens no socket and reads no clock.
///
/// HTTP/1.1 is many connections with one exchange each, HTTP/2 few with many each: the same rules serve both. A connection
/// is filled before the next is used, and others are opened as soon as somebody waits.
struct PoolState {
    /// What the owner of the sockets must do next, one after the other.
    enum Effect: Hashable {
        case open(ConnectionID)
        case start(AttemptID, on: ConnectionID)
        case close(ConnectionID)
        /// Ends an exchange because the connection it waited for did not open.
        case fail(AttemptID, ConnectError)
    }

    private struct Connection {
        let id: ConnectionID
        var limit: Int
        var inFlight = 0
        var lastUsed: NIODeadline

        var hasRoom: Bool { inFlight < limit }
    }

    let maximumConnections: Int
    /// The most exchanges at once on one connection, whatever the server allows.
    let exchangesPerConnection: Int
    /// A connection unused for longer is replaced, so that a server that closes idle connections cannot cut a request.
    let idleLimit: TimeAmount

    private var opening: Set<ConnectionID> = []
    private var connections: [Connection] = []
    /// Connections that take no more exchanges, and how many they still carry.
    private var retired: [ConnectionID: Int] = [:]
    private var waiting = CircularBuffer<AttemptID>()
    private var lastID = 0

    init(maximumConnections: Int, exchangesPerConnection: Int, idleLimit: TimeAmount) {
        self.maximumConnections = maximumConnections
        self.exchangesPerConnection = exchangesPerConnection
        self.idleLimit = idleLimit
    }

    /// How many exchanges can be under way at once, by what the server has said so far.
    var capacity: Int {
        let usual = connections.last?.limit ?? exchangesPerConnection
        return connections.reduce((maximumConnections - connections.count) * usual) { $0 + $1.limit }
    }

    mutating func ask(_ attempts: some Sequence<AttemptID>, at now: NIODeadline) -> [Effect] {
        waiting.append(contentsOf: attempts)
        return settle(at: now)
    }

    /// Opens a connection where there is none.
    mutating func warm() -> [Effect] {
        opening.isEmpty && connections.isEmpty ? [open()] : []
    }

    /// Puts an exchange back at the head of the line: its connection turned out to be gone before anything was written.
    mutating func askAgain(_ attempt: AttemptID, at now: NIODeadline) -> [Effect] {
        waiting.prepend(attempt)
        return settle(at: now)
    }

    /// Takes an exchange out of the line. One that was started stays where it is.
    mutating func withdraw(_ attempt: AttemptID) {
        if let index = waiting.firstIndex(of: attempt) { waiting.remove(at: index) }
    }

    /// A connection is ready, for at most `serverLimit` exchanges at once.
    mutating func opened(_ id: ConnectionID, serverLimit: Int, at now: NIODeadline) -> [Effect] {
        guard opening.remove(id) != nil else { return [.close(id)] }
        connections.append(Connection(id: id, limit: min(serverLimit, exchangesPerConnection), lastUsed: now))
        return settle(at: now)
    }

    /// A connection did not open: the exchanges that it would have carried fail, and the others get another chance.
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

    /// So many exchanges left their connection, which is ready for others.
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

    /// A connection takes no more exchanges, and is closed after the last one it carries.
    mutating func retire(_ id: ConnectionID, at now: NIODeadline) -> [Effect] {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return [] }
        return [retire(connections.remove(at: index))].compactMap(\.self) + settle(at: now)
    }

    /// A connection was closed, by whichever end.
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

    /// Gives the line what there is, and opens what is missing.
    private mutating func settle(at now: NIODeadline) -> [Effect] {
        var effects: [Effect] = []
        while let attempt = waiting.first, let index = connections.lastIndex(where: \.hasRoom) {
            if connections[index].inFlight == 0, now - connections[index].lastUsed > idleLimit {
                if let close = retire(connections.remove(at: index)) { effects.append(close) }
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
