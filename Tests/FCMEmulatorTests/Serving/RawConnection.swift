import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A TCP connection for HTTP written by hand. It blocks a thread of its own and never a task.
final class RawConnection: Sendable {
    private let descriptor: CInt
    private let thread = DispatchQueue(label: "raw connection")

    struct Broken: Error {
        let call: String
        let code: CInt
    }

    init(port: Int) throws {
        #if canImport(Glibc)
            let kind = CInt(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Broken(call: "socket", code: errno) }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Broken(call: "connect", code: errno) }
    }

    deinit { close(descriptor) }

    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { throw Broken(call: "send", code: errno) }
            sent += count
        }
    }

    /// The next bytes. Empty after the other side has closed.
    func read() async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            thread.async { [descriptor] in
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count >= 0 {
                    continuation.resume(returning: Array(buffer[..<count]))
                } else {
                    continuation.resume(throwing: Broken(call: "recv", code: errno))
                }
            }
        }
    }

    /// Sends one request and reads its answer. The answer must have a content length.
    func exchange(
        _ method: String, _ target: String, _ body: String,
        headers: [String] = ["Host: localhost", "Content-Type: application/json"]
    ) async throws -> (status: Int, body: String, date: String?) {
        let head = ["\(method) \(target) HTTP/1.1"] + headers + ["Content-Length: \(body.utf8.count)"]
        try write(head.joined(separator: "\r\n") + "\r\n\r\n\(body)")
        var received: [UInt8] = []
        while true {
            let piece = try await read()
            if piece.isEmpty { throw Broken(call: "read", code: 0) }
            received += piece
            let text = String(decoding: received, as: UTF8.self)
            guard let end = text.firstRange(of: "\r\n\r\n") else { continue }
            let head = text[..<end.lowerBound].split(separator: "\r\n")
            let lengths = head.compactMap { line in
                line.lowercased().hasPrefix("content-length:")
                    ? line.split(separator: " ").last.flatMap { Int($0) } : nil
            }
            let rest = text[end.upperBound...]
            guard let length = lengths.first, rest.utf8.count >= length else { continue }
            let date = head.first { $0.lowercased().hasPrefix("date: ") }.map { String($0.dropFirst(6)) }
            return (head.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, String(rest), date)
        }
    }
}
