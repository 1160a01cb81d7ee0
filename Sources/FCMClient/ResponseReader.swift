internal import FCM
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1

/// Assembles one response from its parts.
struct ResponseReader {
    /// The longest body that is kept. FCM's answers are about a thousandth of it.
    static let longestBody = 1 << 20

    /// The final response as far as it has arrived.
    private(set) var response: Response?

    /// Whether the final response has begun.
    var hasBegun: Bool { response != nil }

    /// How far the exchange got, once a connection has its request.
    var progress: Progress { hasBegun ? .answering : .sent }

    /// Adds a piece of the body. `false` means that the body is longer than the limit.
    mutating func append(_ bytes: ByteBuffer) -> Bool {
        let length = (response?.body.count ?? 0) + bytes.readableBytes
        guard length <= Self.longestBody else { return false }
        response?.body.append(contentsOf: bytes.readableBytesView)
        return true
    }

    /// Starts with the head of the final response.
    ///
    /// - Parameter isDateNeeded: Looking for one in the head of every success would cost the fast path time.
    private mutating func begin(status: Int, isDateNeeded: Bool, field: (String) -> String?) {
        response = Response(
            status: status, retryAfter: field("retry-after"), date: isDateNeeded ? field("date") : nil)
    }
}

// MARK: HTTP/2

extension ResponseReader {
    /// Reads a block of header fields: a head, also an informational one, or trailers. `false` means that it is
    /// neither.
    mutating func read(_ fields: HPACKHeaders) -> Bool {
        guard let text = fields.first(name: ":status") else { return hasBegun }
        guard !hasBegun, let status = Int(text), (100...999).contains(status) else { return false }
        if status >= 200 { begin(status: status, isDateNeeded: status >= 400) { fields.first(name: $0) } }
        return true
    }
}

// MARK: HTTP/1.1

extension ResponseReader {
    enum Step: Hashable {
        case more
        /// `reusable` tells whether the server keeps the connection open for another request.
        case complete(Response, reusable: Bool)
        case tooLong
    }

    /// - Parameter isReusable: What the heads said so far. Start with `false`.
    mutating func read(_ part: HTTPClientResponsePart, isReusable: inout Bool) -> Step {
        switch part {
        case .head(let head) where head.status.code < 200:
            return .more
        case .head(let head):
            begin(status: Int(head.status.code), isDateNeeded: true) { head.headers.first(name: $0) }
            response?.metadataFlavor = head.headers.first(name: "metadata-flavor")
            isReusable = head.isKeepAlive
            return .more
        case .body(let bytes):
            return append(bytes) ? .more : .tooLong
        case .end:
            // An end without a final head ends an informational response.
            guard let response else { return .more }
            return .complete(response, reusable: isReusable)
        }
    }
}
