package import FCM

extension Registration {
    /// A made-up fid, different for each number.
    package static func fid(_ number: Int) -> Registration { made("cTEST" + digits(number, 17)) }

    /// A made-up token of the installation `fid(number)`. Another `version` is the token after a rotation.
    package static func token(_ number: Int, version: Int = 0) -> Registration {
        made(fid(number).rawValue + ":APA91b" + digits(version, 120))
    }

    private static func digits(_ number: Int, _ length: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: length - text.count) + text
    }

    private static func made(_ text: String) -> Registration {
        guard let registration = Registration(text) else { preconditionFailure("a sample is malformed") }
        return registration
    }
}

extension TopicName: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        guard let name = TopicName(rawValue: value) else { preconditionFailure("'\(value)' is no topic name") }
        self = name
    }
}
