internal import FCM

/// JSON as lines of YAML in block style.
enum YAMLLines {
    /// The order of FCM's reference. Other keys follow by name.
    private static let order = [
        "notification", "data", "android", "android_v2", "apns", "webpush", "fcm_options", "title", "body", "image",
        "headers", "payload", "aps",
    ]

    static func of(_ members: [String: JSONValue], depth: Int) -> [String] {
        let indent = String(repeating: "  ", count: depth)
        return members.sorted { (rank($0.key), $0.key) < (rank($1.key), $1.key) }.flatMap { key, value in
            let inner = lines(value, depth: depth + 1)
            return inner.map { ["\(indent)\(key.inYAML):"] + $0 } ?? ["\(indent)\(key.inYAML): \(scalar(value))"]
        }
    }

    private static func rank(_ key: String) -> Int { order.firstIndex(of: key) ?? order.count }

    /// `nil` for what fits behind its key.
    private static func lines(_ value: JSONValue, depth: Int) -> [String]? {
        let indent = String(repeating: "  ", count: depth)
        switch value {
        case .object(let members) where !members.isEmpty: return of(members, depth: depth)
        case .array(let items) where !items.isEmpty:
            return items.flatMap { item in
                guard var inner = lines(item, depth: depth + 1), let first = inner.first else {
                    return ["\(indent)- \(scalar(item))"]
                }
                inner[0] = "\(indent)- \(first.dropFirst(indent.count + 2))"
                return inner
            }
        default: return nil
        }
    }

    private static func scalar(_ value: JSONValue) -> String {
        value.string.map(\.inYAML) ?? value.compactText
    }
}
