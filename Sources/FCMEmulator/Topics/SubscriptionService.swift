import FCM

/// `projects.registrations.topicSubscriptions`: the topics that one registration follows.
///
/// A subscription belongs to one registration. Only the fan-out of a message groups registrations by installation.
struct SubscriptionService {
    let project: String
    let registration: String
    /// The last part of the path. `nil` for `list` and `create`.
    let topic: String?

    /// FCM's limit on the topics of one installation.
    static let maximumTopics = 2000
    private static let defaultPageSize = 1000
    private static let maximumPageSize = 2000

    /// The query parameters of a method.
    func parameters(of method: String) -> Set<String> {
        switch (method, topic) {
        case ("GET", nil): ["page_size", "page_token"]
        case ("POST", nil): ["topic_name"]
        case ("PATCH", _), ("DELETE", _): ["allow_missing"]
        default: []
        }
    }

    /// `nil` if the collection or the subscription does not have this method.
    func answer(_ call: Call, from backend: Backend) throws(GoogleError) -> Answer? {
        switch (call.method, topic) {
        case ("GET", nil): return try list(call, from: backend)
        case ("POST", nil): return try create(call, in: backend)
        case ("GET", let topic?): return try get(topic, from: backend)
        case ("PATCH", let topic?): return try upsert(topic, call, in: backend)
        case ("DELETE", let topic?): return try delete(topic, call, in: backend)
        default: return nil
        }
    }

    private func create(_ call: Call, in backend: Backend) throws(GoogleError) -> Answer {
        try checkBody(of: call)
        let topic = try Self.topic(named: call.parameter("topic_name") ?? "")
        let date = try backend.change { (world, now) throws(GoogleError) in
            let (registration, enrolment) = try subscriber(in: world)
            if enrolment.topics[topic] != nil { throw .alreadySubscribed }
            try world.subscribe(registration, to: topic, at: now)
            return now
        }
        return .json(subscription(to: topic, since: date))
    }

    private func upsert(_ name: String, _ call: Call, in backend: Backend) throws(GoogleError) -> Answer {
        try checkBody(of: call)
        let topic = try Self.topic(named: name)
        let allowsMissing = try call.flag("allow_missing")
        let date = try backend.change { (world, now) throws(GoogleError) in
            let (registration, enrolment) = try subscriber(in: world)
            if let date = enrolment.topics[topic] { return date }
            guard allowsMissing else { throw .noEntity }
            try world.subscribe(registration, to: topic, at: now)
            return now
        }
        return .json(subscription(to: topic, since: date))
    }

    private func delete(_ name: String, _ call: Call, in backend: Backend) throws(GoogleError) -> Answer {
        let topic = try Self.topic(named: name)
        let allowsMissing = try call.flag("allow_missing")
        try backend.change { (world, now) throws(GoogleError) in
            let (registration, enrolment) = try subscriber(in: world)
            guard allowsMissing || enrolment.topics[topic] != nil else { throw .noEntity }
            world.leave(registration, topic, at: now)
        }
        return .json([:])
    }

    private func get(_ name: String, from backend: Backend) throws(GoogleError) -> Answer {
        let topic = try Self.topic(named: name)
        let date = try backend.read { (world, _) throws(GoogleError) in
            let (registration, _) = try subscriber(in: world)
            guard let date = world.listedTopics(of: registration)[topic] else { throw .noEntity }
            return date
        }
        return .json(subscription(to: topic, since: date))
    }

    /// Sorted by topic name. Answers have the names of proto3 JSON, in lower camel case: Google's generated clients read
    /// no others.
    private func list(_ call: Call, from backend: Backend) throws(GoogleError) -> Answer {
        let asked = try call.number("page_size")
        if asked < 0 { throw .invalidMessage("page_size must not be negative.", at: "page_size") }
        let size = asked == 0 ? Self.defaultPageSize : min(asked, Self.maximumPageSize)
        let last = try call.parameter("page_token").flatMap { (token) throws(GoogleError) in
            token.isEmpty ? nil : try PageToken(token).last
        }
        let topics = try backend.read { (world, _) throws(GoogleError) in
            world.listedTopics(of: try subscriber(in: world).0)
        }
        let rest = topics.sorted { $0.key < $1.key }.drop { name, _ in last.map { name <= $0 } ?? false }
        let page = rest.prefix(size)
        var answer: [String: JSONValue] = [:]
        if !page.isEmpty {
            answer["topicSubscriptions"] = .array(page.map { subscription(to: $0.key, since: $0.value) })
        }
        if rest.count > size, let last = page.last {
            answer["nextPageToken"] = .string(PageToken(last: last.key).text)
        }
        return .json(.object(answer))
    }

    private func subscription(to topic: TopicName, since date: Date) -> JSONValue {
        let name = "projects/\(project)/registrations/\(registration)/topicSubscriptions/\(topic.rawValue)"
        return [
            "name": .string(name), "topicName": .string(topic.rawValue), "createTime": .string(date.rfc3339),
        ]
    }

    /// The registration in the path. Throws if FCM does not let it have subscriptions.
    private func subscriber(in world: World) throws(GoogleError) -> (Registration, Enrolment) {
        guard let registration = Registration(registration) else { throw .malformedRegistration }
        guard let enrolment = world.enrolment(of: registration), enrolment.state != .unregistered else {
            throw .noEntity
        }
        if enrolment.state == .otherSender { throw .senderMismatch }
        return (registration, enrolment)
    }

    /// The body is a subscription whose fields are all output only, so an empty one is fine.
    private func checkBody(of call: Call) throws(GoogleError) {
        let body = try call.content()
        guard let document = body.isEmpty ? [:] : try? JSONValue(parsing: body) else {
            throw .violation("Invalid JSON payload received. Unexpected token.")
        }
        _ = try SchemaReader.read(document, as: .topicSubscription)
    }

    private static func topic(named name: String) throws(GoogleError) -> TopicName {
        guard let topic = TopicName(rawValue: name) else {
            throw .invalidMessage("Topic name contains invalid characters.", at: "topic_name")
        }
        return topic
    }
}

extension World {
    fileprivate mutating func subscribe(
        _ registration: Registration, to topic: TopicName, at now: Date
    ) throws(GoogleError) {
        guard topicCount(of: registration) < SubscriptionService.maximumTopics else { throw .tooManyTopics }
        join(registration, topic, at: now)
    }
}

extension GoogleError {
    /// The error for a missing subscription and for a dead registration. FCM answers the same in both cases.
    fileprivate static let noEntity = GoogleError(status: .notFound, message: "Requested entity was not found.")

    fileprivate static let alreadySubscribed = GoogleError(
        status: .alreadyExists, message: "Requested entity already exists")

    static let malformedRegistration = GoogleError(
        status: .invalidArgument, message: "The registration token is not a valid FCM registration token",
        details: [.fcm(.invalidArgument)])

    /// How FCM reports this limit is not documented. The code is the one of the Instance ID service.
    static let tooManyTopics = GoogleError(
        status: .resourceExhausted, message: "The app instance is subscribed to too many topics.",
        details: [.fcm(.tooManyTopics)])
}
