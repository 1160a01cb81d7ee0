internal import FCM

/// Turns a message of the v1 API or of an Admin SDK into one for a campaign file: names in snake_case, data as text, no
/// empty parts.
struct MessageTranslation {
    private(set) var notes: [String] = []

    /// Names of the Admin SDK for Node.js that differ in more than their spelling.
    private static let renamed = [
        "image_url": "image", "event_timestamp": "event_time", "vibrate_timings_millis": "vibrate_timings",
        "light_on_duration_millis": "light_on_duration", "light_off_duration_millis": "light_off_duration",
        "priority": "notification_priority",
    ]

    mutating func message(_ members: [String: JSONValue]) -> [String: JSONValue] {
        value(.object(members), as: .message, at: "")?.object ?? [:]
    }

    /// `nil` if there is nothing to keep.
    private mutating func value(_ value: JSONValue, as shape: MessageShape, at path: String) -> JSONValue? {
        if value == .null { return nil }
        switch shape {
        case .verbatim: return withoutNulls(value, at: path)
        case .apnsPayload: return ApplePayload.spelled(withoutNulls(value, at: path), at: path, &notes)
        case .object(let shapes, let keepsEmpty): return object(value, shapes, keepsEmpty, at: path)
        case .strings, .data: return texts(value, at: path)
        case .list(let element): return list(value, of: element, at: path)
        case .string, .form: return text(value, at: path)
        case .bool: return value.isTrue ? true : [false, 0, "false", "0"].contains(value) ? false : value
        case .int: return value.string.flatMap { Int64($0) }.map { .int($0) } ?? value
        case .oneOf(let values): return word(value, of: values)
        case .duration, .timeToLive: return duration(value, at: path)
        case .time:
            guard let milliseconds = value.int else { return value }
            return .string(Date(timeIntervalSince1970: Double(milliseconds / 1000)).rfc3339)
        case .lightColor: return value
        }
    }

    private mutating func object(
        _ value: JSONValue, _ shapes: [String: MessageShape], _ keepsEmpty: Bool, at path: String
    ) -> JSONValue? {
        guard let members = value.object else { return leave(path, "it is no object") }
        var kept: [String: JSONValue] = [:]
        var spellings: [String: String] = [:]
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let inner = path.isEmpty ? key : "\(path).\(key)"
            guard let known = Self.name(of: key, among: shapes), let shape = shapes[known] else {
                notes.append(.leftOut(inner))
                continue
            }
            if value == "" {
                notes.append(.empty(inner))
                continue
            }
            guard let json = self.value(value, as: shape, at: inner) else { continue }
            if let other = spellings[known] {
                // FCM's own name wins over other spellings of it.
                let (taken, left) = key == known ? (key, other) : (other, key)
                notes.append(.leftOut(left, for: taken, at: path))
                if taken == other { continue }
            }
            (kept[known], spellings[known]) = (json, key)
        }
        return keepsEmpty ? .object(kept) : .filled(kept)
    }

    private static func name(of key: String, among shapes: [String: MessageShape]) -> String? {
        let snake = key.inSnakeCase
        return [key, snake, renamed[snake] ?? ""].first { shapes[$0] != nil }
    }

    private mutating func texts(_ value: JSONValue, at path: String) -> JSONValue? {
        guard let members = value.object else { return leave(path, "it is no object") }
        var kept: [String: JSONValue] = [:]
        for (key, value) in members.sorted(by: { $0.key < $1.key }) where value != .null {
            kept[key] = .string(value.string ?? value.compactText)
            if value.string == nil {
                notes.append("\(path).\(key.printable) is text now: FCM takes nothing else there")
            }
        }
        return .filled(kept)
    }

    private mutating func list(_ value: JSONValue, of element: MessageShape, at path: String) -> JSONValue? {
        guard let items = value.listWithin.array else { return leave(path, "it is no list") }
        let kept = items.compactMap { self.value($0, as: element, at: path) }
        return kept.isEmpty ? nil : .array(kept)
    }

    private mutating func text(_ value: JSONValue, at path: String) -> JSONValue? {
        switch value {
        case .string: return value
        case .array, .object: return leave(path, "it is no text")
        default:
            notes.append("\(path) is text now")
            return .string(value.compactText)
        }
    }

    private func word(_ value: JSONValue, of values: [String]) -> JSONValue {
        guard let text = value.string?.uppercased() else { return value }
        return .string(values.first { $0 == text || $0 == "PRIORITY_\(text)" } ?? text)
    }

    private mutating func duration(_ value: JSONValue, at path: String) -> JSONValue {
        guard let milliseconds = value.int, milliseconds >= 0 else { return value }
        notes.append("\(path) was read as \(milliseconds) milliseconds, as in the Admin SDK for Node.js")
        return .string(Duration.milliseconds(milliseconds).protobufText)
    }

    /// YAML takes a key without a value for a mistake.
    private mutating func withoutNulls(_ value: JSONValue, at path: String) -> JSONValue {
        switch value {
        case .object(let members):
            var kept: [String: JSONValue] = [:]
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                let inner = "\(path).\(key)"
                if value == .null { leave(inner, "it is null") } else { kept[key] = withoutNulls(value, at: inner) }
            }
            return .object(kept)
        case .array(let items):
            return .array(
                items.enumerated().compactMap { place, item in
                    let inner = "\(path)[\(place)]"
                    if item != .null { return withoutNulls(item, at: inner) }
                    leave(inner, "it is null")
                    return nil
                })
        default: return value
        }
    }

    @discardableResult
    private mutating func leave(_ path: String, _ reason: String) -> JSONValue? {
        notes.append("\(path.printable) is left out: \(reason)")
        return nil
    }
}

extension String {
    /// `imageUrl` is `image_url`.
    fileprivate var inSnakeCase: String {
        var text = ""
        for letter in self {
            if letter.isUppercase { text += "_" }
            text += letter.lowercased()
        }
        return text
    }
}
