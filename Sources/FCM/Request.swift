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
    /// Asks and changes nothing.
    case read(Query)
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
    /// with errors in format v2, or by the pages of the Instance ID service and of device groups. See
    /// docs/reference/fcm.md.
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
        case .read(let query):
            return WireRequest(
                service: query.service, method: "GET", path: query.path(of: project),
                headers: query.service == .iid ? [Self.tokenHeader] : Self.formatHeaders, body: [])
        }
    }

    private static func wire(
        _ operation: BatchOperation, _ topic: TopicName, _ registrations: [Registration]
    ) -> WireRequest {
        WireRequest(
            service: .iid, method: "POST", path: operation == .add ? "/iid/v1:batchAdd" : "/iid/v1:batchRemove",
            headers: [contentType, tokenHeader],
            body: JSONValue.bytes(["registration_tokens": registrations.json, "to": .string("/topics/\(topic)")]))
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
        var body: [String: JSONValue] = [
            "notification_key_name": .string(name.rawValue), "operation": .string(word),
            "registration_ids": members.json,
        ]
        body["notification_key"] = key.map { .string($0.rawValue) }
        return WireRequest(method: "POST", path: path, headers: headers, body: JSONValue.bytes(body))
    }
}

extension [Registration] {
    fileprivate var json: JSONValue { .array(map { .string($0.rawValue) }) }
}

extension JSONValue {
    /// The bytes of an object without numbers: only a number can fail to be JSON.
    fileprivate static func bytes(_ members: [String: JSONValue]) -> [UInt8] {
        do { return try JSONValue.object(members).bytes() } catch {
            preconditionFailure("texts and lists of texts are JSON: \(error)")
        }
    }
}
