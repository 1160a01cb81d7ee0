internal import FCM
internal import NIOCore
internal import NIOHTTP1

/// A call as either HTTP version's handlers take it.
struct HTTPCall: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer

    /// `bearer` must be a usable token, see `isBearerToken`.
    init(_ wire: WireRequest, to endpoint: Endpoint, bearer: String?) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(wire.headers.count + 4)
        headers.add(name: "host", value: endpoint.authority)
        headers.add(name: "user-agent", value: "herald")
        for (name, value) in wire.headers { headers.add(name: name, value: value) }
        headers.add(name: "content-length", value: String(wire.body.count))
        if let bearer { headers.add(name: "authorization", value: "Bearer \(bearer)") }
        head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: wire.method), uri: wire.path, headers: headers)
        body = ByteBuffer(bytes: wire.body)
    }
}

extension String {
    /// Whether it can stand in an `Authorization` header: visible ASCII and nothing else.
    var isBearerToken: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7e).contains($0) } }
}
