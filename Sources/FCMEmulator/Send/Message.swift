import FCM

/// A message without its target, in snake_case.
struct Message: Hashable, Sendable {
    let fields: [String: JSONValue]
    /// The fields as JSON in one line.
    let bytes: [UInt8]

    /// FCM's limit on a payload, in bytes of its keys and values.
    static let maximumPayload = 4096

    init(fields: [String: JSONValue]) throws(GoogleError) {
        self.fields = fields
        do {
            bytes = try JSONValue.object(fields).bytes()
        } catch {
            throw .violation("Invalid JSON payload received. A number is out of range.", at: "message")
        }
    }

    static func == (one: Message, other: Message) -> Bool { one.bytes == other.bytes }
    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    subscript(_ field: String) -> JSONValue? { fields[field] }

    /// The bytes that count against the limit on a platform, after that platform's overrides.
    ///
    /// FCM does not say how it measures: here it is keys and values, for Apple the JSON that APNs gets, without the
    /// keys that FCM adds.
    func payloadSize(on platform: Platform) -> Int {
        switch platform {
        case .ios:
            return (try? JSONValue.object(ApplePush.content(of: self)).bytes().count) ?? 0
        case .android:
            let push = AndroidPush(self)
            return push.notification.contentSize + push.data.contentSize
        case .web:
            let push = WebPush(self)
            return push.notification.contentSize + push.data.contentSize
        }
    }
}

extension [String: JSONValue] {
    /// UTF-8 bytes of all keys and values.
    fileprivate var contentSize: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.contentSize } }
}

extension JSONValue {
    fileprivate var contentSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .object(let members): members.contentSize
        case .array(let elements): elements.reduce(0) { $0 + $1.contentSize }
        case .int(let number): String(number).utf8.count
        case .double(let number): String(number).utf8.count
        case .bool(let value): value ? 4 : 5
        case .null: 4
        }
    }
}
