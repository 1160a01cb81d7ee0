internal import FCM

/// The values that Apple accepts for a key of `aps`.
enum ApsValue {
    case flag
    case text
    case count
    case seconds
    case share
    case oneOf([String])
    case mapping
    case alert
    case sound
    /// A number that is 0 or 1.
    case bit

    /// The keys that are 1 or left out.
    static let flags = ["content-available", "mutable-content"]

    static let keys: [String: ApsValue] = [
        "alert": .alert, "badge": .count, "sound": .sound, "content-available": .flag, "mutable-content": .flag,
        "category": .text, "thread-id": .text, "target-content-id": .text,
        "interruption-level": .oneOf(["passive", "active", "time-sensitive", "critical"]), "relevance-score": .share,
        "filter-criteria": .text, "timestamp": .seconds, "event": .oneOf(["start", "update", "end"]),
        "content-state": .mapping, "stale-date": .seconds, "dismissal-date": .seconds, "attributes-type": .text,
        "attributes": .mapping, "url-args": .list,
    ]

    static let alertKeys: [String: ApsValue] = [
        "title": .text, "subtitle": .text, "body": .text, "loc-key": .text, "loc-args": .list, "title-loc-key": .text,
        "title-loc-args": .list, "subtitle-loc-key": .text, "subtitle-loc-args": .list, "action-loc-key": .text,
        "launch-image": .text,
    ]

    static let soundKeys: [String: ApsValue] = ["name": .filled, "critical": .bit, "volume": .share]

    /// A list of texts.
    case list
    /// A text that is not empty.
    case filled

    /// What the value must be, for use in a sentence; `nil` if the value is right.
    func fault(of value: JSONValue) -> String? {
        switch self {
        case .flag: value == 1 ? nil : "1, or be left out"
        case .text: value.string != nil ? nil : "text"
        case .count: value.int.map { $0 >= 0 } == true ? nil : "a whole number of at least 0"
        case .seconds: value.number.map { $0 >= 0 } == true ? nil : "a moment in UNIX seconds"
        case .share: value.number.map { (0...1).contains($0) } == true ? nil : "a number from 0 to 1"
        case .oneOf(let values): value.string.map(values.contains) == true ? nil : values.joined(separator: ", ")
        case .mapping: value.object != nil ? nil : "a mapping"
        case .list: value.array.map { $0.allSatisfy { $0.string != nil } } == true ? nil : "a list of texts"
        case .alert: value.string != nil || value.object != nil ? nil : "text, or a mapping with title and body"
        case .filled: value.string?.isEmpty == false ? nil : "text, not empty"
        case .bit: value == 0 || value == 1 ? nil : "0 or 1"
        case .sound: Self.soundFault(value)
        }
    }

    /// The value that was probably meant: a number written in quotes, or a text without them.
    func spelling(meantBy value: JSONValue) -> String? {
        switch (self, value) {
        case (.bit, .bool(let value)): value ? "1" : "0"
        case (.flag, .string(let text)): ["1", "true", "yes"].contains(text.lowercased()) ? "1" : nil
        case (.count, .string(let text)), (.seconds, .string(let text)): Int(meantBy: text).map { "\($0)" }
        case (.text, .int(let number)): "\(number)".quoted
        case (.oneOf(let values), .string(let text)): suggestion(for: text, among: values)
        default: nil
        }
    }

    /// What is wrong with a sound as a whole. The values of a critical sound are checked one by one.
    private static func soundFault(_ value: JSONValue) -> String? {
        if let name = value.string { return name.isEmpty ? "the name of a sound, not empty" : nil }
        guard let sound = value.object else { return "the name of a sound, or a critical sound" }
        return sound["name"] == nil ? "a critical sound with a 'name'" : nil
    }
}
