internal import FCM
internal import NIOCore
internal import NIOHTTP1

/// A call as either HTTP version's handlers take it.
struct HTTPCall: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer

    init(_ wire: WireRequest, to endpoint: Endpoint, bearer: AccessToken?) {
        self.init(wire.method, endpoint, wire.path, wire.headers, bearer: bearer, wire.body)
    }

    /// Posts a form (`application/x-www-form-urlencoded`).
    init(form: [(name: String, value: String)], to target: TokenEndpoint) {
        let text = form.map { "\($0.name.percentEncodedSegment)=\($0.value.percentEncodedSegment)" }
        self.init(
            "POST", target.endpoint, target.path, [("content-type", "application/x-www-form-urlencoded")],
            bearer: nil, Array(text.joined(separator: "&").utf8))
    }

    private init(
        _ method: String, _ endpoint: Endpoint, _ path: String, _ fields: [(name: String, value: String)],
        bearer: AccessToken?, _ body: [UInt8]
    ) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(fields.count + 4)
        headers.add(name: "host", value: endpoint.authority)
        headers.add(name: "user-agent", value: "herald")
        for (name, value) in fields { headers.add(name: name, value: value) }
        headers.add(name: "content-length", value: String(body.count))
        if let bearer { headers.add(name: "authorization", value: "Bearer \(bearer.rawValue)") }
        head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: path, headers: headers)
        self.body = ByteBuffer(bytes: body)
    }
}
