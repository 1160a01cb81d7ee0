import FCM

/// A made-up installation id: 22 characters, a `c` first.
let fidText = "cTEST-_890123456789AbZ"
/// A made-up token of that installation, with the colon real ones have.
let tokenText = fidText + ":APA91b" + String(repeating: "x9_-", count: 35)

extension Registration {
    static func sample(_ text: String) throws -> Registration {
        guard let registration = Registration(text) else { throw MalformedSample() }
        return registration
    }

    static var fid: Registration { get throws { try sample(fidText) } }
    static var token: Registration { get throws { try sample(tokenText) } }
}

extension TopicName {
    static func sample(_ text: String) throws -> TopicName {
        guard let name = TopicName(rawValue: text) else { throw MalformedSample() }
        return name
    }
}

extension GroupName {
    static func sample(_ text: String) throws -> GroupName {
        guard let name = GroupName(rawValue: text) else { throw MalformedSample() }
        return name
    }
}

extension NotificationKey {
    static func sample(_ text: String) throws -> NotificationKey {
        guard let key = NotificationKey(rawValue: text) else { throw MalformedSample() }
        return key
    }
}

struct MalformedSample: Error {}
