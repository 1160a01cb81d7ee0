internal import FCM
internal import NIOCore
internal import NIOHTTP1

/// Puts one response together from its parts.
struct ResponseReader {
    /// The longest body kept. FCM's answers are a thousandth of it.
    static let longestBody = 1 << 20

    enum Step: Hashable {
        case more
        /// `reusable` says whether the server leaves an HTTP/1.1 connection open for another request.
        case complete(Response, reusable: Bool)
        case tooLong
    }

    private var response: Response?
    private var reusable = false

    /// Whether the final response has begun.
    var hasBegun: Bool { response != nil }

    mutating func read(_ part: HTTPClientResponsePart) -> Step {
        switch part {
        case .head(let head) where head.status.code < 200:
            return .more
        case .head(let head):
            response = Response(
                status: Int(head.status.code), retryAfter: head.headers.first(name: "retry-after"),
                date: head.status.code < 400 ? nil : head.headers.first(name: "date"))
            reusable = head.isKeepAlive
            return .more
        case .body(let bytes):
            let length = (response?.body.count ?? 0) + bytes.readableBytes
            guard length <= Self.longestBody else { return .tooLong }
            response?.body.append(contentsOf: bytes.readableBytesView)
            return .more
        case .end:
            // An end without a final head closes an informational response.
            guard let response else { return .more }
            return .complete(response, reusable: reusable)
        }
    }
}
