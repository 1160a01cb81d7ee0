internal import FCM
internal import NIOHPACK
internal import NIOHTTP1

/// A call in the form that a connection needs. It is a class, so that passing it on stays cheap.
final class HTTPCall: Sendable {
    let head: RequestHead
    let body: [UInt8]

    init(_ head: RequestHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    convenience init(_ wire: WireRequest, to endpoint: Endpoint, bearer: AccessToken?) {
        self.init(RequestHead(wire, to: endpoint, bearer: bearer), body: wire.body)
    }

    /// Posts a form (`application/x-www-form-urlencoded`).
    convenience init(form: [(name: String, value: String)], to target: TokenEndpoint) {
        let text = form.map { "\($0.name.percentEncodedSegment)=\($0.value.percentEncodedSegment)" }
        let head = RequestHead(
            "POST", target.endpoint, path: target.path, [("content-type", "application/x-www-form-urlencoded")],
            isShared: false)
        self.init(head, body: Array(text.joined(separator: "&").utf8))
    }
}

/// A request without its body, in the endpoint's version of HTTP. Requests that differ only in their bodies share one.
enum RequestHead: Sendable {
    /// Without `content-length`, because it depends on the body.
    case http1(HTTPRequestHead)
    case http2(HPACKHeaders)

    /// - Parameter isShared: Whether many requests will have exactly this head. HPACK then indexes the path.
    init(_ wire: WireRequest, to endpoint: Endpoint, bearer: AccessToken?, isShared: Bool = false) {
        var fields = wire.headers
        if let bearer { fields.append((name: "authorization", value: "Bearer \(bearer.rawValue)")) }
        self.init(wire.method, endpoint, path: wire.path, fields, isShared: isShared)
    }

    fileprivate init(
        _ method: String, _ endpoint: Endpoint, path: String, _ fields: [(name: String, value: String)], isShared: Bool
    ) {
        let fields = [(name: "user-agent", value: "herald")] + fields
        switch endpoint.scheme {
        case .http:
            var headers = HTTPHeaders()
            headers.add(name: "host", value: endpoint.authority)
            for (name, value) in fields { headers.add(name: name, value: value) }
            self = .http1(
                HTTPRequestHead(
                    version: .http1_1, method: HTTPMethod(rawValue: method), uri: path, headers: headers))
        case .https:
            var headers = HPACKHeaders()
            headers.add(name: ":method", value: method)
            headers.add(name: ":scheme", value: "https")
            headers.add(name: ":authority", value: endpoint.authority)
            headers.add(name: ":path", value: path, indexing: isShared ? .indexable : .nonIndexable)
            for (name, value) in fields { headers.add(name: name, value: value) }
            self = .http2(headers)
        }
    }
}
