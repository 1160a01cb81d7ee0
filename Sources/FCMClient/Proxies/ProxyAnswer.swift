/// Reads a proxy's answer to `CONNECT` (RFC 9112 §4).
struct ProxyAnswer {
    enum Reading: Hashable {
        case more
        /// From here on the connection is the server's.
        case tunnel
        case refused(status: Int)
        /// Not HTTP, or bytes behind the head of a tunnel: a server says nothing before it is asked.
        case unreadable
    }

    /// The longest head that is read.
    static let longestHead = 16_384

    private var head: [UInt8] = []

    mutating func read(_ bytes: some Sequence<UInt8>) -> Reading {
        head.append(contentsOf: bytes)
        guard let end = Self.end(of: head) else { return head.count > Self.longestHead ? .unreadable : .more }
        let line = String(decoding: head.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0", words[1].utf8.count == 3,
            let status = Int(words[1]), (200...599).contains(status)
        else { return .unreadable }
        guard status < 300 else { return .refused(status: status) }
        return end == head.count ? .tunnel : .unreadable
    }

    /// The index behind the empty line.
    private static func end(of head: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        return head.firstRange(of: mark)?.upperBound
    }
}
