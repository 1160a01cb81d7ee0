import FCM

/// `/iid/…`, the Instance ID service: the older API for the same subscriptions as ``SubscriptionService``.
///
/// It is not documented whether it accepts fids as tokens. Here it does, like the API that replaces it.
enum InstanceIDService {
    case batch(Operation)
    case subscribe(token: String, topic: String)
    case info(token: String)

    enum Operation: String {
        case add = "v1:batchAdd"
        case remove = "v1:batchRemove"
    }

    /// The most registrations in one batch.
    static let maximumBatch = 1000

    /// - Parameter path: the part after `/iid`.
    init?(path: ArraySlice<String>) {
        let path = Array(path)
        switch path.count {
        // The path without `info` is not documented, but clients use it.
        case 1: self = Operation(rawValue: path[0]).map(Self.batch) ?? .info(token: path[0])
        case 2 where path[0] == "info": self = .info(token: path[1])
        case 5 where path[0] == "v1" && path[2...3] == ["rel", "topics"]:
            self = .subscribe(token: path[1], topic: path[4])
        default: return nil
        }
    }

    /// `nil` if the path does not have this method.
    func answer(_ call: Call, from backend: Backend) throws(TextError) -> Answer? {
        switch (call.method, self) {
        case ("POST", .batch(let operation)): return try batch(operation, call, in: backend)
        case ("POST", .subscribe(let token, let topic)):
            let topic = try Self.topic(named: topic)
            let flaw = backend.change { (world, now) in world.join(token, topic, at: now) }
            if let flaw { throw TextError(status: flaw.status, text: flaw.code.rawValue) }
            return .json([:])
        case ("GET", .info(let token)): return .json(try info(token, call, from: backend))
        default: return nil
        }
    }

    private func batch(_ operation: Operation, _ call: Call, in backend: Backend) throws(TextError) -> Answer {
        let members = try call.members()
        guard let target = members["to"]?.string, target.hasPrefix(Self.topicPrefix) else {
            throw .malformedTopic
        }
        let topic = try Self.topic(named: String(target.dropFirst(Self.topicPrefix.count)))
        guard let listed = members["registration_tokens"]?.array, !listed.isEmpty else { throw .noTokens }
        let tokens = listed.compactMap(\.string)
        guard tokens.count == listed.count, tokens.count <= Self.maximumBatch else { throw .invalidArgument }
        let flaws = backend.change { (world, now) in
            tokens.map { token in
                switch operation {
                case .add: world.join(token, topic, at: now)
                case .remove: world.leave(token, topic, at: now)
                }
            }
        }
        return .json(["results": .array(flaws.map { $0.map { ["error": .string($0.code.rawValue)] } ?? [:] })])
    }

    /// What the service says about an instance. The app is not known here, so its name and version are made up.
    private func info(_ token: String, _ call: Call, from backend: Backend) throws(TextError) -> JSONValue {
        let (platform, following) = try backend.read { (world, _) throws(TextError) in
            switch world.subscriber(token) {
            case .success((let registration, let enrolment)):
                return (enrolment.platform, world.listedTopics(of: registration))
            case .failure(.notFound): throw .noInformation
            case .failure: throw .invalidToken
            }
        }
        var members: [String: JSONValue] = [
            "application": "com.example.app", "applicationVersion": "1",
            "authorizedEntity": .string(MetadataService.project.number),
            "platform": .string(platform.instanceIDName),
        ]
        if call.parameter("details") == "true", !following.isEmpty {
            let topics = following.map { ($0.rawValue, ["addDate": .string($1.day)] as JSONValue) }
            members["rel"] = ["topics": .object(Dictionary(topics) { first, _ in first })]
        }
        return .object(members)
    }

    private static let topicPrefix = "/topics/"

    private static func topic(named name: String) throws(TextError) -> TopicName {
        guard let topic = TopicName(rawValue: name) else { throw .malformedTopic }
        return topic
    }
}

/// Why a subscription did not change, in the service's own codes.
private enum Flaw: Error {
    case invalidArgument, notFound, tooManyTopics

    var code: FailureCode {
        switch self {
        case .invalidArgument: .invalidArgument
        case .notFound: .notFound
        case .tooManyTopics: .tooManyTopics
        }
    }

    /// The HTTP status if the error is the whole answer.
    var status: Int { self == .notFound ? 404 : 400 }
}

extension World {
    /// The registration, if it may have subscriptions. One of another project is not valid.
    fileprivate func subscriber(_ token: String) -> Result<(Registration, Enrolment), Flaw> {
        guard let registration = Registration(token) else { return .failure(.invalidArgument) }
        guard let enrolment = enrolment(of: registration), enrolment.state != .unregistered else {
            return .failure(.notFound)
        }
        return enrolment.state == .otherSender ? .failure(.invalidArgument) : .success((registration, enrolment))
    }

    /// Subscribing again changes nothing and succeeds.
    fileprivate mutating func join(_ token: String, _ topic: TopicName, at now: Date) -> Flaw? {
        switch subscriber(token) {
        case .failure(let flaw): return flaw
        case .success((let registration, let enrolment)):
            guard enrolment.topics[topic] == nil else { return nil }
            guard topicCount(of: registration) < SubscriptionService.maximumTopics else { return .tooManyTopics }
            join(registration, topic, at: now)
            return nil
        }
    }

    /// Unsubscribing from a topic that is not followed succeeds.
    fileprivate mutating func leave(_ token: String, _ topic: TopicName, at now: Date) -> Flaw? {
        switch subscriber(token) {
        case .failure(let flaw): return flaw
        case .success((let registration, _)):
            leave(registration, topic, at: now)
            return nil
        }
    }
}

extension Platform {
    fileprivate var instanceIDName: String {
        switch self {
        case .android: "ANDROID"
        case .ios: "IOS"
        case .web: "CHROME"
        }
    }
}

extension Date {
    /// `2026-12-01`, in UTC.
    fileprivate var day: String { String(rfc3339.prefix(10)) }
}

extension TextError {
    // These texts were observed at the service.
    fileprivate static let malformedTopic = TextError(text: "Topic name format is invalid")
    fileprivate static let noTokens = TextError(text: "MissingIIdToken")
    fileprivate static let invalidToken = TextError(text: "InvalidToken")
    fileprivate static let noInformation = TextError(
        status: 404, text: "No information found about this instance id.")
}
