import Foundation
import Synchronization

/// A server on loopback that keeps what is posted to it, and answers as the test says.
final class Receiver: Sendable {
    struct Post: Sendable {
        let path: String
        /// By their names in small letters.
        let headers: [String: String]
        let body: String
    }

    enum Answer: Sendable {
        case status(Int)
        case redirect(to: String)
        /// No answer, until the caller goes.
        case silence
        case close
    }

    let port: Int
    private let listener: Int32
    private let kept = Mutex<[Post]>([])

    /// - Parameter answer: gets each post with its number, from 1.
    init(_ answer: @escaping @Sendable (Post, Int) -> Answer = { _, _ in .status(200) }) throws {
        let listener = socket(AF_INET, Relay.stream, 0)
        var address = Relay.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = Relay.withAddress(&address) { bind(listener, $0, length) } == 0 && listen(listener, 128) == 0
        guard isListening, Relay.withAddress(&address, { getsockname(listener, $0, &length) }) == 0 else {
            throw CocoaError(.fileReadUnknown)
        }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    close(listener)
                    return
                }
                Thread.detachNewThread { [self] in serve(client, answer) }
            }
        }
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var posts: [Post] { kept.withLock(\.self) }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ client: Int32, _ answer: (Post, Int) -> Answer) {
        defer { close(client) }
        guard let post = Self.read(client) else { return }
        let number = kept.withLock { posts in
            posts.append(post)
            return posts.count
        }
        switch answer(post, number) {
        case .status(let status): Self.write("HTTP/1.1 \(status) X\r\ncontent-length: 0\r\n\r\n", to: client)
        case .redirect(let place):
            Self.write("HTTP/1.1 302 X\r\nlocation: \(place)\r\ncontent-length: 0\r\n\r\n", to: client)
        case .silence:
            var byte: UInt8 = 0
            while recv(client, &byte, 1, 0) > 0 {}
        case .close: return
        }
        // Only the caller ends the connection, so that it reads the answer first.
        var byte: UInt8 = 0
        while recv(client, &byte, 1, 0) > 0 {}
    }

    private static func read(_ client: Int32) -> Post? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = bytes.firstRange(of: end) {
                let lines = String(decoding: bytes[..<range.lowerBound], as: UTF8.self).split(separator: "\r\n")
                let words = lines.first?.split(separator: " ") ?? []
                guard words.count == 3, words[0] == "POST" else { return nil }
                let fields = lines.dropFirst().compactMap { line -> (String, String)? in
                    guard let colon = line.firstIndex(of: ":") else { return nil }
                    return (
                        line[..<colon].lowercased(),
                        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                    )
                }
                let headers = Dictionary(fields) { first, _ in first }
                let length = headers["content-length"].flatMap { Int($0) } ?? 0
                if bytes.count - range.upperBound >= length {
                    let body = String(decoding: bytes[range.upperBound...].prefix(length), as: UTF8.self)
                    return Post(path: String(words[1]), headers: headers, body: body)
                }
            }
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private static func write(_ text: String, to client: Int32) {
        let bytes = Array(text.utf8)
        _ = send(client, bytes, bytes.count, Relay.noSignal)
    }
}
