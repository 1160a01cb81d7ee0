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

    /// A call on the way to an access token, over HTTP/1.1.
    convenience init(_ call: TokenCall) {
        let fields = call.headers.map { (name: $0.name, value: $0.value.rawValue) }
        let head = RequestHead(
            call.method, call.url.endpoint, .http1, path: call.url.path, fields, isShared: false)
        self.init(head, body: Array(call.body.rawValue.utf8))
    }

    /// A text for an address that a person gave, over HTTP/1.1.
    convenience init(
        posting text: String, of type: String, to url: TokenURL, _ headers: [(name: String, value: String)]
    ) {
        let fields = [(name: "content-type", value: type)] + headers
        let head = RequestHead("POST", url.endpoint, .http1, path: url.path, fields, isShared: false)
        self.init(head, body: Array(text.utf8))
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
        self.init(wire.method, endpoint, endpoint.version, path: wire.path, fields, isShared: isShared)
    }

    fileprivate init(
        _ method: String, _ endpoint: Endpoint, _ version: WireVersion, path: String,
        _ fields: [(name: String, value: String)], isShared: Bool
    ) {
        let fields = [(name: "user-agent", value: "herald")] + fields
        switch version {
        case .http1:
            var headers = HTTPHeaders()
            headers.add(name: "host", value: endpoint.authority)
            for (name, value) in fields { headers.add(name: name, value: value) }
            self = .http1(
                HTTPRequestHead(
                    version: .http1_1, method: HTTPMethod(rawValue: method), uri: path, headers: headers))
        case .http2:
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
