/// One call to FCM, before it is HTTP.
package enum Request: Sendable {
    case send(body: [UInt8])
    case subscribe(Registration, to: TopicName)
    case unsubscribe(Registration, from: TopicName)
}

/// The HTTP request that carries a call: `POST`, `PATCH`, `DELETE` or `GET`, a path with its query, and a JSON body.
package struct WireRequest: Hashable, Sendable {
    package var method: String
    package var path: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package static func == (one: WireRequest, other: WireRequest) -> Bool {
        one.method == other.method && one.path == other.path && one.body == other.body
            && one.headers.elementsEqual(other.headers, by: ==)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(path)
        hasher.combine(body)
    }
}

extension Request {
    /// The call as FCM's REST reference has it (v1 `projects.messages.send`,
    /// `projects.registrations.topicSubscriptions`), in the v2 error format.
    package func wire(project: String) -> WireRequest {
        let base = "/v1/projects/\(project.percentEncodedSegment)"
        switch self {
        case .send(let body):
            return WireRequest(method: "POST", path: "\(base)/messages:send", headers: Self.jsonHeaders, body: body)
        case .subscribe(let registration, let topic):
            let path =
                "\(base)/registrations/\(registration.rawValue.percentEncodedSegment)/topicSubscriptions"
                + "?topic_name=\(topic.rawValue.percentEncodedSegment)"
            return WireRequest(method: "POST", path: path, headers: Self.jsonHeaders, body: Array("{}".utf8))
        case .unsubscribe(let registration, let topic):
            let path =
                "\(base)/registrations/\(registration.rawValue.percentEncodedSegment)/topicSubscriptions/"
                + "\(topic.rawValue.percentEncodedSegment)?allow_missing=true"
            return WireRequest(method: "DELETE", path: path, headers: Self.formatHeaders, body: [])
        }
    }

    private static let formatHeaders = [(name: "x-goog-api-format-version", value: "2")]
    private static let jsonHeaders = formatHeaders + [(name: "content-type", value: "application/json")]
}

extension String {
    /// Percent-encoded but for RFC 3986's unreserved characters; fit for a path segment and for a query value.
    package var percentEncodedSegment: String {
        var encoded = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }
}
