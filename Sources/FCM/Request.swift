/// One call to FCM, before it becomes HTTP.
package enum Request: Sendable {
    /// The most registrations in one `batch`.
    package static let maximumBatch = 1000

    case send(body: [UInt8])
    case subscribe(Registration, to: TopicName)
    case unsubscribe(Registration, from: TopicName)
    /// Subscribes or unsubscribes many registrations at once, through the Instance ID service.
    case batch(BatchOperation, TopicName, [Registration])
    case group(GroupOperation)
}

package enum BatchOperation: String, Hashable, Sendable, CaseIterable {
    case add, remove
}

/// A change of a device group, or a look at it.
package enum GroupOperation: Hashable, Sendable {
    case create(GroupName, [Registration])
    case add(GroupName, NotificationKey, [Registration])
    /// Removing the last member deletes the group.
    case remove(GroupName, NotificationKey, [Registration])
    /// Asks for a key of a group that exists.
    case retrieve(GroupName)
}

/// The HTTP form of a call: `POST`, `PATCH`, `DELETE` or `GET`, a path with its query, and a JSON body.
package struct WireRequest: Hashable, Sendable {
    /// Which of Google's servers the request goes to.
    package enum Service: Hashable, Sendable, CaseIterable {
        case fcm
        /// The Instance ID service.
        case iid
    }

    package var service: Service = .fcm
    package var method: String
    package var path: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package static func == (one: WireRequest, other: WireRequest) -> Bool {
        one.service == other.service && one.method == other.method && one.path == other.path && one.body == other.body
            && one.headers.elementsEqual(other.headers, by: ==)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(service)
        hasher.combine(method)
        hasher.combine(path)
        hasher.combine(body)
    }
}

extension Request {
    /// The HTTP form by FCM's REST reference (`projects.messages.send`, `projects.registrations.topicSubscriptions`)
    /// with errors in format v2, or by the pages of the Instance ID service and of device groups. See docs/fcm.md.
    package func wire(project: Project) -> WireRequest {
        let base = "/v1/projects/\(project.id.percentEncodedSegment)"
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
        case .batch(let operation, let topic, let registrations):
            return Self.wire(operation, topic, registrations)
        case .group(let operation):
            return operation.wire(sender: project.senderID)
        }
    }

    private static func wire(
        _ operation: BatchOperation, _ topic: TopicName, _ registrations: [Registration]
    ) -> WireRequest {
        WireRequest(
            service: .iid, method: "POST", path: operation == .add ? "/iid/v1:batchAdd" : "/iid/v1:batchRemove",
            headers: [contentType, tokenHeader],
            body: Array(#"{"registration_tokens":\#(registrations.json),"to":"/topics/\#(topic)"}"#.utf8))
    }

    private static let formatHeaders = [(name: "x-goog-api-format-version", value: "2")]
    private static let jsonHeaders = formatHeaders + [contentType]
    fileprivate static let contentType = (name: "content-type", value: "application/json")
    /// Tells the older services that the bearer token is an OAuth token and not a server key.
    fileprivate static let tokenHeader = (name: "access_token_auth", value: "true")
}

extension GroupOperation {
    package var name: GroupName {
        switch self {
        case .create(let name, _), .add(let name, _, _), .remove(let name, _, _), .retrieve(let name): name
        }
    }

    /// The key that the call names.
    package var key: NotificationKey? {
        switch self {
        case .create, .retrieve: nil
        case .add(_, let key, _), .remove(_, let key, _): key
        }
    }

    fileprivate func wire(sender: SenderID?) -> WireRequest {
        var headers = [Request.contentType, Request.tokenHeader]
        // The header is called `project_id`, but it takes the project's number.
        if let sender { headers.append((name: "project_id", value: sender.rawValue)) }
        let path = "/fcm/notification"
        let word: String
        let members: [Registration]
        switch self {
        case .create(_, let registrations): (word, members) = ("create", registrations)
        case .add(_, _, let registrations): (word, members) = ("add", registrations)
        case .remove(_, _, let registrations): (word, members) = ("remove", registrations)
        case .retrieve(let name):
            let query = "?notification_key_name=\(name.rawValue.percentEncodedSegment)"
            return WireRequest(method: "GET", path: path + query, headers: headers, body: [])
        }
        // Keys hold no characters that JSON escapes.
        let key = key.map { #""notification_key":"\#($0.rawValue)","# } ?? ""
        let body =
            #"{\#(key)"notification_key_name":"\#(name.escaped)","operation":"\#(word)","#
            + #""registration_ids":\#(members.json)}"#
        return WireRequest(method: "POST", path: path, headers: headers, body: Array(body.utf8))
    }
}

extension GroupName {
    /// The name inside a JSON string. Of the characters that JSON escapes, only these two are printable.
    fileprivate var escaped: String {
        rawValue.reduce(into: "") { text, character in
            if character == "\"" || character == "\\" { text.append("\\") }
            text.append(character)
        }
    }
}

extension [Registration] {
    /// A JSON array. Registrations hold no characters that JSON escapes.
    fileprivate var json: String {
        isEmpty ? "[]" : #"["\#(map(\.rawValue).joined(separator: #"",""#))"]"#
    }
}

extension String {
    /// Percent-encodes everything but RFC 3986's unreserved characters, for a path segment or a query value.
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
