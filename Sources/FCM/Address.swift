/// What one request addresses: exactly one of the message's target fields.
package enum Address: Hashable, Sendable {
    case registration(Registration)
    case topic(TopicName)
    case condition(Condition)
    /// A device group. Its key goes into the message's `token` field.
    case group(NotificationKey)

    /// The message field that carries the target.
    package var field: String {
        switch self {
        case .registration(let registration): registration.kind.rawValue
        case .topic: "topic"
        case .condition: "condition"
        case .group: "token"
        }
    }

    package var value: String {
        switch self {
        case .registration(let registration): registration.rawValue
        case .topic(let topic): topic.rawValue
        case .condition(let condition): condition.description
        case .group(let key): key.rawValue
        }
    }

    /// Whether one request reaches many devices. If it does, an HTTP 500 may mean that some of them got the message.
    package var fansOut: Bool {
        switch self {
        case .registration: false
        case .topic, .condition, .group: true
        }
    }
}
