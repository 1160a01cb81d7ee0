import FCM

/// A `messages:send` whose document fits the schema and whose message breaks none of FCM's rules. Whether anybody is
/// at its address is the world's business.
struct SendRequest: Sendable {
    let target: Target
    let message: Message
    let validateOnly: Bool
    /// The body's size; a small body cannot hold a message that is too large.
    private let bodySize: Int

    /// Whom it addresses, as the request named them.
    enum Target: Hashable, Sendable {
        /// In the field `token`, which takes an installation id as well.
        case token(String)
        case fid(String)
        case topic(TopicName)
        /// With its text, which need not be the canonical one.
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

    /// Refuses a message that is larger, on one of the platforms it may go to, than FCM carries.
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
