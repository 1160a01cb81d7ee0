import NIOCore

/// The parts of HTTP/2 framing that the tests need.
struct HTTP2Frames {
    var received: [UInt8] = []

    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, push, ping, goAway
    }

    struct Frame {
        /// `nil` for a kind that no test uses.
        let kind: Kind?
        let isAcknowledgement: Bool
        /// Whether the frame ends its stream.
        var isLast: Bool { isAcknowledgement }
        let stream: Int
        let payload: [UInt8]
    }

    /// The next complete frame.
    mutating func next() -> Frame? {
        guard received.count >= 9 else { return nil }
        let length = received[0..<3].reduce(0) { $0 << 8 | Int($1) }
        guard received.count >= 9 + length else { return nil }
        defer { received.removeFirst(9 + length) }
        return Frame(
            kind: Kind(rawValue: received[3]), isAcknowledgement: received[4] & 1 != 0,
            stream: received[5..<9].reduce(0) { $0 << 8 | Int($1) }, payload: Array(received[9..<9 + length]))
    }

    static func write(_ kind: Kind, flags: UInt8 = 0, stream: Int, _ payload: [UInt8], to buffer: inout ByteBuffer) {
        buffer.writeBytes([0, UInt8(payload.count >> 8), UInt8(payload.count & 255), kind.rawValue, flags])
        buffer.writeInteger(UInt32(stream))
        buffer.writeBytes(payload)
    }

    /// The client's connection preface.
    static func opening() -> ByteBuffer {
        var buffer = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        write(.settings, stream: 0, [], to: &buffer)
        return buffer
    }

    /// A complete request with a body.
    static func writePost(_ path: String, _ body: String, stream: Int, to buffer: inout ByteBuffer) {
        let fields =
            [0x83, 0x87, 0x04, UInt8(path.utf8.count)] + Array(path.utf8) + [0x01, 9] + Array("localhost".utf8)
        write(.headers, flags: 0x4, stream: stream, fields, to: &buffer)
        write(.data, flags: 0x1, stream: stream, Array(body.utf8), to: &buffer)
    }

    /// A complete request. Its fields are numbers of HPACK's static table, path and authority are plain literals.
    static func writeGet(
        _ path: String, authority: String = "localhost", headers: [(name: String, value: String)] = [], stream: Int,
        to buffer: inout ByteBuffer
    ) {
        func literal(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
        let others = headers.flatMap { (header) -> [UInt8] in [0x00] + literal(header.name) + literal(header.value) }
        let fields = [0x82, 0x87, 0x04] + literal(path) + [0x01] + literal(authority) + others
        write(.headers, flags: 0x5, stream: stream, fields, to: &buffer)
    }
}
