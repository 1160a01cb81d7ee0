import Foundation
import Synchronization

/// Stands between herald and PostgreSQL on a Unix socket, and does one thing wrong.
package final class PostgresProxy: Sendable {
    /// What happens to the piece of bytes that herald sends as the chosen one.
    package enum Fault: CaseIterable, Sendable {
        /// It does not arrive, and the connection ends.
        case cutBefore
        /// It arrives, and the connection ends before the server can answer.
        case cutPromptly
        /// The server does what it says and answers, but the connection ends first.
        case cutAfter
        /// As `cutAfter`, in the middle of the answer.
        case cutInAnswer
        /// It does not arrive. The connection stays open and silent.
        case silenceBefore
        /// It arrives, and nothing comes back. The connection stays open.
        case silenceAfter
        /// It arrives long after herald has given up and gone on over another connection.
        case late
        /// It arrives a little later.
        case delay
    }

    /// A piece of bytes that herald sends.
    package enum Moment: Sendable {
        /// By its number, from 1 and counted from the beginning.
        case piece(Int)
        /// By its number among those that commit a change.
        case commit(Int)
        /// The next one with this text.
        case text(String)
    }

    package let folder: String
    private let server: String
    private let listener: Int32
    private let state = Mutex(State())
    private let door = Door()

    private struct State {
        /// What is done at a piece, before it is forwarded or after.
        var action: (moment: Moment, isBefore: Bool, body: @Sendable () -> Void)?
        var fault: (moment: Moment, fault: Fault)?
        var (pieces, commits) = (0, 0)
        var isRefusing = false
        var lateThreads = 0
        var clients: Set<Int32> = []
    }

    /// - Parameter folder: of the server's socket. By default that of the server that all tests share.
    package init(to folder: String? = nil) throws {
        server = try folder ?? PostgresTestServer.running().folder
        self.folder = NSTemporaryDirectory() + "herald-px-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        listener = Self.closed(socket(AF_UNIX, Self.stream, 0))
        var address = Self.address(self.folder)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) } == 0
        }
        guard isBound, listen(listener, 64) == 0 else { throw CocoaError(.fileWriteUnknown) }
        let door = listener
        Thread.detachNewThread { [weak self] in
            while true {
                let client = Self.closed(accept(door, nil, nil))
                guard client >= 0, let self else { return }
                if self.state.withLock(\.isRefusing) {
                    close(client)
                    continue
                }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// How many pieces herald has sent so far.
    package var pieces: Int { state.withLock(\.pieces) }
    /// How many of them committed a change.
    package var commits: Int { state.withLock(\.commits) }

    /// Does it to the piece after `rest` others.
    package func arm(_ fault: Fault, after rest: Int) {
        state.withLock { $0.fault = (.piece($0.pieces + rest + 1), fault) }
    }

    package func arm(_ fault: Fault, at moment: Moment) { state.withLock { $0.fault = (moment, fault) } }

    /// Does something once, before a piece is forwarded or after.
    package func act(at moment: Moment, before isBefore: Bool, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.action = (moment, isBefore, body) }
    }

    /// Forwards nothing that herald sends, until it is let go. Connections stay open, and what was sent arrives then.
    package func hold() { door.close() }

    package func letGo() { door.open() }

    /// Whether the fault has happened.
    package var isSpent: Bool { state.withLock { $0.fault == nil && $0.lateThreads == 0 } }

    /// Accepts no connection any more, or accepts them again.
    package func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    /// Cuts all connections.
    package func endConnections() { state.withLock { for client in $0.clients { shutdown(client, Int32(SHUT_RDWR)) } } }

    private func serve(_ client: Int32) {
        state.withLock { _ = $0.clients.insert(client) }
        let upstream = Self.closed(socket(AF_UNIX, Self.stream, 0))
        var address = Self.address(server)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(upstream, $0, size) }
        }
        relay(client, upstream)
        state.withLock { _ = $0.clients.remove(client) }
        close(client)
        close(upstream)
    }

    private func relay(_ client: Int32, _ upstream: Int32) {
        while true {
            var both = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&both, 2, -1) > 0 else { return }
            if both[1].revents != 0 {
                guard let piece = Self.receive(upstream), Self.send(piece, to: client) else { return }
            }
            if both[0].revents != 0 {
                guard let piece = Self.receive(client) else { return }
                let (fault, action) = meet(piece)
                if action?.isBefore == true { action?.body() }
                door.pass()
                if let fault {
                    guard carryOut(fault, piece, client, upstream) else { return }
                } else {
                    guard Self.send(piece, to: upstream) else { return }
                }
                if action?.isBefore == false { action?.body() }
            }
        }
    }

    /// Counts a piece. Returns the fault that it meets, and what is done at it.
    private func meet(_ piece: [UInt8]) -> (Fault?, (isBefore: Bool, body: @Sendable () -> Void)?) {
        let data = Data(piece)
        let isCommit = Self.contains(data, "COMMIT") && !Self.contains(data, "READ ONLY")
        return state.withLock { state in
            state.pieces += 1
            if isCommit { state.commits += 1 }
            let (pieces, commits) = (state.pieces, state.commits)
            func isNow(_ moment: Moment) -> Bool {
                switch moment {
                case .piece(let number): pieces >= number
                case .commit(let number): isCommit && commits >= number
                case .text(let text): Self.contains(data, text)
                }
            }
            var (fault, action): (Fault?, (isBefore: Bool, body: @Sendable () -> Void)?)
            if let armed = state.fault, isNow(armed.moment) { (fault, state.fault) = (armed.fault, nil) }
            if let armed = state.action, isNow(armed.moment) {
                (action, state.action) = ((armed.isBefore, armed.body), nil)
            }
            if fault == .late { state.lateThreads += 1 }
            return (fault, action)
        }
    }

    private static func contains(_ piece: Data, _ text: String) -> Bool { piece.range(of: Data(text.utf8)) != nil }

    /// Returns whether the connection goes on.
    private func carryOut(_ fault: Fault, _ piece: [UInt8], _ client: Int32, _ upstream: Int32) -> Bool {
        switch fault {
        case .cutBefore: break
        case .cutPromptly: _ = Self.send(piece, to: upstream)
        case .cutAfter:
            _ = Self.send(piece, to: upstream)
            _ = Self.answer(of: upstream)
        case .cutInAnswer:
            _ = Self.send(piece, to: upstream)
            if let answer = Self.answer(of: upstream) {
                _ = Self.send(Array(answer.prefix(answer.count / 2)), to: client)
            }
        case .silenceBefore: Self.waitForEnd(of: client)
        case .silenceAfter:
            _ = Self.send(piece, to: upstream)
            Self.waitForEnd(of: client)
        case .late:
            Self.waitForEnd(of: client)
            // Time for herald's next try.
            Thread.sleep(forTimeInterval: 0.3)
            _ = Self.send(piece, to: upstream)
            _ = Self.answer(of: upstream)
            state.withLock { $0.lateThreads -= 1 }
        case .delay:
            Thread.sleep(forTimeInterval: 0.05)
            return Self.send(piece, to: upstream)
        }
        return false
    }

    // MARK: Bytes

    private static func receive(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &buffer, buffer.count)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// What the server says to a piece; `nil` if it waits for more.
    private static func answer(of upstream: Int32) -> [UInt8]? {
        var descriptor = pollfd(fd: upstream, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 200) > 0 ? receive(upstream) : nil
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Foundation.send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, noSignal)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// No program that a test starts keeps it open.
    private static func closed(_ descriptor: Int32) -> Int32 {
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    private static func waitForEnd(of descriptor: Int32) { while receive(descriptor) != nil {} }

    private static func address(_ folder: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(folder)/.s.PGSQL.5432".utf8) }
        return address
    }

    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #else
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif
}

/// What passes only while it is open.
///
/// It is `Sendable` because the condition guards its only state.
private final class Door: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = true

    func close() { condition.withLock { isOpen = false } }

    func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }

    func pass() { condition.withLock { while !isOpen { condition.wait() } } }
}
