import FCM

/// A `messages:send` that fits the schema and follows FCM's rules. Whether the target exists is for the world to say.
struct SendRequest: Sendable {
    let target: Target
    let message: Message
    let validateOnly: Bool
    /// The size of the body. If it is small, the message cannot be too large.
    private let bodySize: Int

    /// The target as the request named it.
    enum Target: Hashable, Sendable {
        /// From the field `token`. It may hold a fid.
        case token(String)
        case fid(String)
        case topic(TopicName)
        /// With the text as sent, which may not be canonical.
        case condition(Condition, String)

        var field: String {
            switch self {
            case .token: "token"
            case .fid: "fid"
            case .topic: "topic"
            case .condition: "condition"
            }
        }

        var value: String {
            switch self {
            case .token(let text), .fid(let text), .condition(_, let text): text
            case .topic(let topic): topic.rawValue
            }
        }
    }

    init(parsing body: [UInt8]) throws(GoogleError) {
        guard let document = body.isEmpty ? [:] : try? JSONValue(parsing: body) else {
            throw .violation("Invalid JSON payload received. Unexpected token.")
        }
        let request = try SchemaReader.read(document, as: .sendRequest)
        guard var fields = request["message"]?.object else {
            throw .invalidMessage("The message is not set.", at: "message")
        }
        target = try Self.takeTarget(from: &fields)
        try MessageRules.check(fields)
        message = try Message(fields: fields)
        validateOnly = request["validate_only"] == true
        bodySize = body.count
    }

    /// Refuses a message that is too large on one of the platforms.
    func checkSize(for platforms: some Sequence<Platform>) throws(GoogleError) {
        let maximum = DevicePayload.maximumSize
        guard bodySize > maximum else { return }
        if platforms.contains(where: { DevicePayload.size(of: message.fields, on: $0) > maximum }) {
            throw GoogleError(
                status: .invalidArgument, message: "Message is too large. The maximum is 4K (4096 bytes).",
                details: [.badRequest([]), .fcm(.invalidArgument)])
        }
    }

    private static func takeTarget(from fields: inout [String: JSONValue]) throws(GoogleError) -> Target {
        let names = ["fid", "token", "topic", "condition"]
        guard let name = names.first(where: { fields[$0] != nil }), let text = fields[name]?.string, !text.isEmpty
        else {
            throw .invalidMessage("Recipient of the message is not set.", at: "message")
        }
        fields[name] = nil
        switch name {
        case "fid": return .fid(text)
        case "token": return .token(text)
        case "topic":
            guard let topic = TopicName(rawValue: text) else {
                throw .invalidMessage("Topic name contains invalid characters.", at: "message")
            }
            return .topic(topic)
        default:
            guard let condition = try? Condition(asFCM: text) else {
                throw .invalidMessage("Invalid condition expression provided.", at: "message.condition")
            }
            return .condition(condition, text)
        }
    }
}
