import FCM

/// A message without its target, in snake_case.
struct Message: Hashable, Sendable {
    let fields: [String: JSONValue]
    /// The fields as JSON in one line.
    let bytes: [UInt8]

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
}
