import Foundation
import Synchronization

/// Relays between herald and a server on 127.0.0.1. A gate decides what passes. It can be an HTTP proxy, which tunnels
/// to that server whatever name it is asked for.
final class Relay: Sendable {
    /// Bytes that arrived in one piece. Exchanges do not overlap on a connection, and the head of a request or an
    /// answer fits into one piece.
    struct Piece: Sendable {
        /// Tells connections apart.
        let connection: Int
        let isRequest: Bool
        let bytes: ArraySlice<UInt8>

        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// Whether the piece is the beginning of a request or an answer.
        var isHead: Bool {
            isRequest ? text.contains(" HTTP/1.1\r\n") : text.hasPrefix("HTTP/1.1 ")
        }
    }

    /// Runs on the thread that moves the bytes; `false` ends the connection. The second parameter forwards the piece.
    typealias Gate = @Sendable (Piece, () -> Bool) -> Bool

    let port: Int
    private let listener: Int32
    private let isProxy: Bool
    private let server: sockaddr_in
    private let state = Mutex(State())

    private struct State {
        var connections = 0
        var sockets: [Int32] = []
        var tunnels: [String] = []
    }

    init(serverPort: Int, isProxy: Bool = false) throws {
        server = Self.loopback(serverPort)
        self.isProxy = isProxy
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

    func start(_ gate: @escaping Gate) {
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    close(listener)
                    return
                }
                Thread.detachNewThread { [self] in serve(client, gate) }
            }
        }
    }

    /// The first lines of all requests for a tunnel.
    var tunnels: [String] { state.withLock(\.tunnels) }

    /// Refuses connections from now on.
    func refuseOthers() { shutdown(listener, Int32(SHUT_RDWR)) }

    func stop() {
        refuseOthers()
        cut()
    }

    /// Ends all connections, and takes new ones.
    func cut() { state.withLock { $0.sockets.forEach { _ = shutdown($0, Int32(SHUT_RDWR)) } } }

    private func serve(_ client: Int32, _ gate: Gate) {
        let upstream = socket(AF_INET, Self.stream, 0)
        defer {
            close(client)
            close(upstream)
        }
        var address = server
        guard
            Self.withAddress(&address, { connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }) == 0
        else { return }
        let number = state.withLock { state in
            state.sockets += [client, upstream]
            state.connections += 1
            return state.connections
        }
        defer { state.withLock { $0.sockets.removeAll { $0 == client || $0 == upstream } } }
        guard !isProxy || openTunnel(client) else { return }
        var polled = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&polled, 2, -1) > 0 {
            if polled[0].revents != 0, !move(from: client, to: upstream, number, isRequest: true, gate) { return }
            if polled[1].revents != 0, !move(from: upstream, to: client, number, isRequest: false, gate) { return }
        }
    }

    /// Reads the head of a CONNECT, which comes in one piece, and answers it.
    private func openTunnel(_ client: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(client, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        let head = String(decoding: buffer[..<count], as: UTF8.self)
        guard head.hasPrefix("CONNECT "), head.hasSuffix("\r\n\r\n") else { return false }
        state.withLock { $0.tunnels.append(String(head.prefix { $0 != "\r\n" })) }
        let answer = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
        return send(client, answer, answer.count, Self.noSignal) == answer.count
    }

    private func move(from source: Int32, to sink: Int32, _ connection: Int, isRequest: Bool, _ gate: Gate) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(source, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        return gate(Piece(connection: connection, isRequest: isRequest, bytes: buffer[..<count])) {
            send(sink, buffer, count, Self.noSignal) == count
        }
    }

    static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func withAddress(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }

    #if os(Linux)
        static let stream = Int32(SOCK_STREAM.rawValue)
        static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        static let stream = SOCK_STREAM
        static let noSignal: Int32 = 0
    #endif
}
