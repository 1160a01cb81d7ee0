internal import CLibPQ
internal import Foundation
internal import HeraldCore

/// One connection to PostgreSQL. Its calls block, so only a thread that waits for nothing else makes them.
final class PostgresConnection {
    /// How libpq names what it connects with, such as `host` and `dbname`.
    typealias Parameters = [String: String]

    let handle: OpaquePointer
    /// What `@` in statements stands for: the quoted schema and a point.
    private let prefix: String
    /// Whether nobody waits for an answer any more. The connection is of no use then.
    var isStopped: @Sendable () -> Bool = { false }
    /// How often that is asked.
    private static let look: Duration = .milliseconds(200)

    /// - Parameter schema: may hold any characters but NUL.
    init(_ parameters: Parameters, schema: String) throws(PostgresError) {
        if let problem = LibPQ.problem { throw .unreachable(problem) }
        prefix = "\"\(schema.replacing("\"", with: "\"\""))\"."
        let names = Array(parameters.keys)
        let keywords = names.map { strdup($0) } + [nil]
        let values = names.map { strdup(parameters[$0] ?? "") } + [nil]
        defer { (keywords + values).forEach { free($0) } }
        guard let handle = PQconnectdbParams(keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 0)
        else { throw .unreachable("out of memory") }
        self.handle = handle
        // Otherwise notices go to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0 else {
            throw .unreachable(Self.oneLine(String(cString: PQerrorMessage(handle))))
        }
        guard PQserverVersion(handle) >= 130_000 else {
            throw .unexpected("the server is older than PostgreSQL 13")
        }
    }

    deinit { PQfinish(handle) }

    /// The process that serves this connection.
    var backend: Int32 { PQbackendPID(handle) }
    var serverVersion: Int32 { PQserverVersion(handle) }

    /// Whether no transaction is open.
    var isIdle: Bool { PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// Sends all statements at once and waits for their answers. If one is refused, those after it are not done, and an
    /// open transaction is rolled back.
    @discardableResult
    func perform(
        _ statements: [PostgresStatement], until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> [PostgresRows] {
        guard PQenterPipelineMode(handle) == 1 else { throw .cut }
        for statement in statements { try send(statement) }
        guard PQpipelineSync(handle) == 1 else { throw .cut }
        var rows: [PostgresRows] = []
        var refusal: PostgresError?
        while true {
            guard let result = try next(until: deadline) else {
                // Between the answers of two statements.
                guard PQstatus(handle) == CONNECTION_OK else { throw .cut }
                continue
            }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                rows.append(PostgresRows(result))
                continue
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                guard PQexitPipelineMode(handle) == 1 else { throw .cut }
                guard let refusal else { return rows }
                try rollBack(until: deadline)
                throw refusal
            case PGRES_PIPELINE_ABORTED: break
            default: if refusal == nil { refusal = try Self.refusal(result, statement: rows.count) }
            }
            PQclear(result)
        }
    }

    /// Asks one question. What changes something is a `PostgresTransaction`.
    @discardableResult
    func perform(
        _ text: String, _ values: PostgresValue..., until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> PostgresRows {
        var statement = PostgresStatement(text)
        statement.values = values
        // Sent together, both are one transaction.
        guard let rows = try perform([.limits(until: deadline), statement], until: deadline).last else {
            throw .unexpected("an answer is missing")
        }
        return rows
    }

    /// Sends rows to a `COPY … FROM STDIN`. Whoever catches an error rolls back.
    func copy(
        _ text: String, _ rows: [UInt8], until deadline: ContinuousClock.Instant
    ) throws(PostgresError) {
        guard PQsendQuery(handle, expanded(text)) == 1 else { throw .cut }
        guard let begun = try next(until: deadline) else { throw .cut }
        defer { PQclear(begun) }
        guard PQresultStatus(begun) == PGRES_COPY_IN else {
            try drain(until: deadline)
            throw try Self.refusal(begun, statement: 0)
        }
        for piece in stride(from: 0, to: rows.count, by: 1 << 16) {
            let bytes = rows[piece..<min(rows.count, piece + 1 << 16)]
            try put(until: deadline) {
                bytes.withUnsafeBytes {
                    PQputCopyData(handle, $0.assumingMemoryBound(to: CChar.self).baseAddress, Int32($0.count))
                }
            }
        }
        try put(until: deadline) { PQputCopyEnd(handle, nil) }
        try drain(until: deadline)
    }

    /// Ends an open transaction without its changes.
    func rollBack(until deadline: ContinuousClock.Instant) throws(PostgresError) {
        if isIdle { return }
        guard PQsendQuery(handle, "ROLLBACK") == 1 else { throw .cut }
        try drain(until: deadline)
    }

    private func expanded(_ text: String) -> String { text.replacing("@", with: prefix) }
}

// MARK: Sending and receiving

extension PostgresConnection {
    private func send(_ statement: PostgresStatement) throws(PostgresError) {
        let values = statement.values
        // One byte more, so that an empty value has an address as well: without one it would be NULL.
        var joined: [UInt8] = []
        for value in values { joined += value.bytes ?? [] }
        joined.append(0)
        let sent = joined.withUnsafeBytes { joined in
            let start = joined.assumingMemoryBound(to: CChar.self).baseAddress
            var place = 0
            let pointers = values.map { value -> UnsafePointer<CChar>? in
                guard let bytes = value.bytes else { return nil }
                defer { place += bytes.count }
                return start.map { $0 + place }
            }
            return PQsendQueryParams(
                handle, statement.isOfState ? expanded(statement.text) : statement.text, Int32(values.count),
                values.map(\.type), pointers,
                values.map { Int32($0.bytes?.count ?? 0) }, values.map { _ in 1 }, 1)
        }
        guard sent == 1 else { throw .cut }
    }

    /// Reads the answers of the last statement, and throws if one is a refusal.
    private func drain(until deadline: ContinuousClock.Instant) throws(PostgresError) {
        var refusal: PostgresError?
        while let result = try next(until: deadline) {
            if PQresultStatus(result) != PGRES_COMMAND_OK {
                if refusal == nil { refusal = try Self.refusal(result, statement: 0) }
            }
            PQclear(result)
        }
        if let refusal { throw refusal }
        guard PQstatus(handle) == CONNECTION_OK else { throw .cut }
    }

    private func next(until deadline: ContinuousClock.Instant) throws(PostgresError) -> OpaquePointer? {
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw .cut }
            if PQisBusy(handle) == 0 { return PQgetResult(handle) }
            try wait(writing: unsent > 0, until: deadline)
            guard PQconsumeInput(handle) == 1 else { throw .cut }
        }
    }

    private func put(until deadline: ContinuousClock.Instant, _ body: () -> Int32) throws(PostgresError) {
        while true {
            switch body() {
            case 1: return
            case 0:
                try wait(writing: true, until: deadline)
                guard PQflush(handle) >= 0, PQconsumeInput(handle) == 1 else { throw .cut }
            default: throw .cut
            }
        }
    }

    /// Waits until the server has said something, or takes more.
    private func wait(writing: Bool, until deadline: ContinuousClock.Instant) throws(PostgresError) {
        var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN) | (writing ? Int16(POLLOUT) : 0), revents: 0)
        guard socket.fd >= 0 else { throw .cut }
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero, !isStopped() else { throw .silent }
            let count = poll(&socket, 1, Int32(min(rest, Self.look).seconds * 1000) + 1)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .cut }
        }
    }

    static func refusal(_ result: OpaquePointer, statement: Int) throws(PostgresError) -> PostgresError {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        // Without a code, libpq itself found that the connection is gone.
        guard let code = field(Int32(UInt8(ascii: "C"))) else { throw .cut }
        let message = oneLine(field(Int32(UInt8(ascii: "M"))) ?? "")
        return .refused(Refusal(code: code, message: message), statement: statement)
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }
}
