import FCM

/// The service that a request calls, with the registrations and topics that it names.
struct FaultSubject: Sendable {
    let service: Service.Name
    /// Of a request to `oauth`.
    let endpoint: SignInService.Endpoint?
    private(set) var registrations: Set<String> = []
    private(set) var topics: Set<String> = []

    /// - Parameter withDetails: whether registrations and topics are needed, for which the body has to be read. The
    ///   result is `nil` for services that faults cannot affect.
    init?(of call: Call, to service: Service, withDetails: Bool) {
        guard let name = service.name else { return nil }
        self.service = name
        endpoint = service.signInEndpoint
        guard withDetails else { return }
        switch service {
        case .send: readMessage(in: call)
        case .topics(let service):
            registrations = [service.registration]
            if let topic = service.topic ?? call.parameter("topic_name") { topics = [topic] }
        case .instanceID(.batch):
            let members = Self.members(of: call)
            registrations = Self.strings(members["registration_tokens"])
            if let topic = members["to"]?.string { topics = [topic.withoutTopicPrefix] }
        case .instanceID(.subscribe(let token, let topic)):
            registrations = [token]
            topics = [topic]
        case .instanceID(.info(let token)): registrations = [token]
        case .groups: registrations = Self.strings(Self.members(of: call)["registration_ids"])
        case .oauth, .app: break
        }
    }

    /// A condition counts as naming its topics. The key of a group counts as a registration.
    private mutating func readMessage(in call: Call) {
        let message = Self.members(of: call)["message"]
        registrations = Set([message?["token"]?.string, message?["fid"]?.string].compactMap(\.self))
        if let topic = message?["topic"]?.string { topics.insert(topic) }
        if let text = message?["condition"]?.string, let condition = try? Condition(asFCM: text) {
            topics.formUnion(condition.topics.map(\.rawValue))
        }
    }

    private static func members(of call: Call) -> [String: JSONValue] {
        call.body.flatMap { try? JSONValue(parsing: $0).object } ?? [:]
    }

    private static func strings(_ value: JSONValue?) -> Set<String> { Set((value?.array ?? []).compactMap(\.string)) }
}

extension String {
    fileprivate var withoutTopicPrefix: String { hasPrefix("/topics/") ? String(dropFirst(8)) : self }
}
