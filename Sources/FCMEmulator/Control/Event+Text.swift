import FCM

extension EventLog.Event {
    /// A server-sent event with one JSON object as data.
    var text: String { Self.text(number: number, change.json) }

    /// Tells a client that missed events to read everything again.
    static func lost(upTo number: Int) -> String { text(number: number, ["change": "lost"]) }

    private static func text(number: Int, _ data: JSONValue) -> String {
        // The JSON has no line breaks, and no change contains a value that cannot be encoded.
        let bytes = (try? data.bytes()) ?? Array("{}".utf8)
        return "id: \(number)\ndata: \(String(decoding: bytes, as: UTF8.self))\n\n"
    }
}

extension EventLog.Change {
    var json: JSONValue {
        switch self {
        case .delivery(let id, let target, let fanOut):
            [
                "change": "delivery", "message_id": .string(id),
                "target": .object([target.field: .string(target.value)]),
                "fan_out": .int(Int64(fanOut)),
            ]
        case .request(let method, let path, let status):
            [
                "change": "request", "method": .string(method), "path": .string(path),
                "status": status.map { .int(Int64($0)) } ?? .null,
            ]
        case .registration(let registration):
            ["change": "registration", "registration": .string(registration.rawValue)]
        case .device(let registration): ["change": "device", "registration": .string(registration.rawValue)]
        case .topic(let topic): ["change": "topic", "topic": .string(topic.rawValue)]
        case .groups: ["change": "groups"]
        case .clock: ["change": "clock"]
        case .faults: ["change": "faults"]
        case .reset: ["change": "reset"]
        }
    }
}
