package import FCM

extension Campaign.Target {
    /// Its key in a file, with the value. For listed registrations the value is only their number.
    package var named: (key: String, value: JSONValue) {
        switch self {
        case .topic(let name): ("topic", .string(name.rawValue))
        case .condition(let condition): ("condition", .string(condition.description))
        case .group(let name): ("group", .string(name.rawValue))
        case .audience(let name): ("audience", .string(name))
        case .registrations(let listed): (Self.listKey(listed), .int(Int64(listed.count)))
        }
    }

    /// The form in documents: `{"topic": "NAME"}`.
    package var json: JSONValue { .object([named.key: named.value]) }

    /// The form in the state: `topic:NAME`. For a list it only says that there was one. The ledger has the recipients.
    package var recordedText: String {
        if case .registrations = self { return "registrations:" }
        return "\(named.key):\(named.value.string ?? "")"
    }

    package var words: String {
        switch self {
        case .topic(let name): "topic \(name)"
        case .condition(let condition): "condition \(condition)"
        case .group(let name): "group \(name)"
        case .audience(let name): "audience \(name)"
        case .registrations(let listed): count(listed.count, "listed registration")
        }
    }

    /// Whether one request reaches everybody.
    package func isOneRequest(_ delivery: Campaign.Delivery) -> Bool {
        switch self {
        case .topic, .condition: true
        case .group: delivery.members == .key
        case .audience, .registrations: false
        }
    }

    /// Whether the campaign itself names everybody whom it goes to.
    package var namesRegistrations: Bool { if case .registrations = self { true } else { false } }

    /// The topics that decide who gets it.
    package var topics: [TopicName] {
        switch self {
        case .topic(let name): [name]
        case .condition(let condition): condition.topics
        case .group, .audience, .registrations: []
        }
    }

    package var groups: [GroupName] { if case .group(let name) = self { [name] } else { [] } }

    /// Topics whose new subscribers must not get it.
    package var excludedTopics: Set<TopicName> {
        if case .condition(let condition) = self { condition.excluded } else { [] }
    }

    /// Topics whose new subscribers may get it.
    package var includedTopics: Set<TopicName> {
        switch self {
        case .topic(let name): [name]
        case .condition(let condition): condition.included
        case .group, .audience, .registrations: []
        }
    }

    private static func listKey(_ listed: [Registration]) -> String {
        listed.first?.kind == .fid ? "fids" : "tokens"
    }
}
