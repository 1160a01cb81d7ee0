import Foundation
import Synchronization

/// Stands between herald and the emulator, passes everything on, and does something at one exact moment: it is how a
/// test kills a process between two requests without waiting for a while and hoping.
final class InterruptingProxy: Sendable {
    enum Moment: CaseIterable, Sendable {
        /// A request has arrived and was not passed on.
        case beforeRequest
        /// The server has answered, and the client does not know.
        case beforeAnswer
        /// The client has been given the answer.
        case afterAnswer
    }

    let port: Int
    private let listener: Int32
    private let server: sockaddr_in
    private let trigger: (moment: Moment, number: Int)
    private let action: @Sendable () -> Void
    private let state = Mutex(State())

    private struct State {
        var requests = 0
        var answers = 0
        var hasActed = false
        var sockets: [Int32] = []
    }

    /// - Parameters:
    ///   - serverPort: on 127.0.0.1.
    ///   - trigger: the moment, and at which request or answer (from 1) it comes.
    ///   - action: runs once, on the thread that moves the bytes; nothing is passed on after it.
    init(serverPort: Int, trigger: (moment: Moment, number: Int), action: @escaping @Sendable () -> Void) throws {
        server = Self.loopback(serverPort)
        self.trigger = trigger
        self.action = action
        let listener = socket(AF_INET, Self.stream, 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = Self.withAddress(&address) { bind(listener, $0, length) } == 0 && listen(listener, 128) == 0
        guard isListening, Self.withAddress(&address, { getsockname(listener, $0, &length) }) == 0 else {
            throw CocoaError(.fileReadUnknown)
        }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    var hasActed: Bool { state.withLock(\.hasActed) }

    func start() {
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    close(listener)
                    return
                }
                Thread.detachNewThread { [self] in serve(client) }
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        state.withLock { $0.sockets.forEach { _ = shutdown($0, Int32(SHUT_RDWR)) } }
    }

    private func serve(_ client: Int32) {
        let upstream = socket(AF_INET, Self.stream, 0)
        defer {
            close(client)
            close(upstream)
        }
        var address = server
        guard
            Self.withAddress(&address, { connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }) == 0
        else { return }
        state.withLock { $0.sockets += [client, upstream] }
        defer { state.withLock { $0.sockets.removeAll { $0 == client || $0 == upstream } } }
        var polled = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&polled, 2, -1) > 0 {
            if polled[0].revents != 0, !pass(from: client, to: upstream, isRequest: true) { return }
            if polled[1].revents != 0, !pass(from: upstream, to: client, isRequest: false) { return }
        }
    }

    private func pass(from source: Int32, to sink: Int32, isRequest: Bool) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(source, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        // Exchanges do not overlap on a connection, and a request's or answer's head fits into one read.
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        let isHead = isRequest ? text.contains(" HTTP/1.1\r\n") : text.hasPrefix("HTTP/1.1 ")
        if isHead, act(at: isRequest ? .beforeRequest : .beforeAnswer) { return false }
        if hasActed { return false }
        guard send(sink, buffer, count, Self.noSignal) == count else { return false }
        if isHead, !isRequest, act(at: .afterAnswer) { return false }
        return true
    }

    /// Counts, and acts if this is the moment. `true` when it was.
    private func act(at moment: Moment) -> Bool {
        let isNow = state.withLock { state -> Bool in
            if moment == .beforeRequest { state.requests += 1 }
            if moment == .beforeAnswer { state.answers += 1 }
            let number = moment == .beforeRequest ? state.requests : state.answers
            guard !state.hasActed, moment == trigger.moment, number >= trigger.number else { return false }
            state.hasActed = true
            return true
        }
        if isNow {
            action()
            // Who connects from now on is refused.
            shutdown(listener, Int32(SHUT_RDWR))
        }
        return isNow
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withAddress(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }

    #if os(Linux)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #endif
}
