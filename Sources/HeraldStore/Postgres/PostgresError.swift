/// Why PostgreSQL did not do what it was asked. It never holds a value that was sent.
enum PostgresError: Error, Hashable, Sendable {
    /// No connection could be made.
    case unreachable(String)
    /// The connection ended. What was asked last may have been done.
    case cut
    /// The server did not answer in time, so the connection was given up. What was asked last may have been done.
    case silent
    /// The server refused, and did nothing of the transaction.
    ///
    /// - statement: The number of the refused statement among those that were sent together.
    case refused(Refusal, statement: Int)
    /// An answer has not the form that herald asked for.
    case unexpected(String)
}

/// The server's reason, known by its SQLSTATE.
struct Refusal: Hashable, Sendable {
    /// Five characters. Codes that begin with `HL` are herald's own (`PostgresSchema.functions`).
    let code: String
    /// The server's sentence, without values that were sent.
    let message: String

    /// - Parameter message: the server's primary message.
    init(code: String, message: String) {
        self.code = code
        // Sentences about data and constraints may quote values.
        let mayQuote = ["21", "22", "23", "P0"].contains { code.hasPrefix($0) }
        self.message = mayQuote ? "it refused a value (SQLSTATE \(code))" : message
    }

    /// herald's own codes.
    static let leaseLost = "HL001"
    static let committedBefore = "HL002"
    static let occurrenceTaken = "HL003"
    static let moved = "HL004"
    static let failedOver = "HL005"

    /// Something that is stored there is not as it was written.
    static let damaged = "XX001"

    /// There is no such schema, table or column.
    var isMissing: Bool { ["3F000", "42P01", "42703"].contains(code) }
    static let noRight = "42501"
    var isNoRight: Bool { code == Self.noRight }
    static let readOnly = "25006"
    /// A standby, or a server that was made read-only.
    var isReadOnly: Bool { code == Self.readOnly }
    /// What a standby says to a `BEGIN` that is to write, and any server to much else.
    static let unsupported = "0A000"

    static let locked = "55P03"
    /// Somebody held a lock for too long.
    var isLocked: Bool { code == Self.locked }

    /// Whether the same transaction may succeed on another try, perhaps over a new connection: the server stops or
    /// starts (57P), has no room for connections, became read-only by a failover, chose this transaction to end a
    /// deadlock, or somebody held a lock for too long.
    var isPassing: Bool {
        ["40001", "40P01", "53300", Self.readOnly, "25P03", Self.locked].contains(code)
            || ["57P", "08"].contains { code.hasPrefix($0) }
    }
}

extension PostgresError {
    /// Whether it may be gone after another try.
    var isPassing: Bool {
        switch self {
        case .unreachable, .cut, .silent: true
        case .refused(let refusal, _): refusal.isPassing
        case .unexpected: false
        }
    }

    /// The code of the server's refusal.
    var code: String? { if case .refused(let refusal, _) = self { refusal.code } else { nil } }

    /// For the middle of a sentence.
    var phrase: String {
        switch self {
        case .unreachable(let reason): "no connection: \(reason)"
        case .cut: "the connection was cut"
        case .silent: "the server does not answer"
        case .refused(let refusal, _) where refusal.isReadOnly: "the server is read-only"
        case .refused(let refusal, _) where refusal.isNoRight:
            "its role has no right to this (\(refusal.message))"
        case .refused(let refusal, _) where refusal.isLocked:
            "another session of the database holds a lock on its tables"
        case .refused(let refusal, _): "PostgreSQL says: \(refusal.message)"
        case .unexpected(let what): what
        }
    }

    /// What to do about it. `nil` if all that is known is that something is wrong with the server.
    var help: String? {
        switch self {
        case .refused(let refusal, _) where refusal.isReadOnly: "connect to the server that takes writes"
        case .refused(let refusal, _) where refusal.isNoRight: Self.grants
        case .refused(let refusal, _) where refusal.isLocked:
            "wait until that session ends, or end it (pg_stat_activity lists it), then run the command again"
        case .unreachable, .cut, .silent: "look at the database server and the network, then run the command again"
        case .refused, .unexpected: nil
        }
    }

    static let grants = "give the role its rights: 'herald state grants' prints the SQL"
}
