internal import FCM

/// A message that was written for something else, in the form of a campaign file.
package struct ConvertedMessage: Sendable {
    package enum Target: Hashable, Sendable {
        case named(WrittenTarget)
        /// `tokens` or `fids`.
        case registrations(kind: String, [String])
    }

    package let form: MessageForm
    /// `nil` if the message does not say.
    package let target: Target?
    /// What its author should know: what was left out or changed, in sentences without full stop.
    package let notes: [String]
    let message: [String: JSONValue]
    /// How long it is worth something, in seconds.
    let lifetime: Int64?

    /// In bytes. FCM takes messages of a few kilobytes; a list of many registrations needs more.
    package static let maximumSize = 4 << 20
    /// The most levels of nesting. FCM's messages have less than ten.
    private static let depth = 32

    /// - Parameter form: `nil` to tell by the keys.
    package init(reading bytes: [UInt8], form given: MessageForm?) throws(ConversionProblem) {
        guard bytes.count <= Self.maximumSize else { throw .tooLarge }
        let root = try Self.object(in: try Stanza.content(of: bytes))
        guard let form = given ?? MessageForm(of: root) else { throw .unknownForm }
        var (parts, written, notes, lifetime) = (root, root, [String](), Int64?.none)
        switch form {
        case .v1:
            if (root["validate_only"] ?? root["validateOnly"])?.isTrue == true { notes.append(.dryRun) }
            let request = root.filter { !Self.requestKeys.contains($0.key) && $0.value != .null }
            written = request
            if let message = request["message"]?.object {
                written = message
                try Self.take(request, beside: &written, &notes)
            }
            parts = written.filter { !Self.targetKeys.contains($0.key) && $0.key != "name" }
        case .legacy:
            let legacy = LegacyMessage(root)
            (written, parts, lifetime) = (legacy.target, legacy.message, legacy.lifetime)
            notes += legacy.notes
        case .apns:
            written = [:]
            let aps = root["aps"]?.object ?? [:]
            let headers = ApplePayload.headers(of: aps, isShown: ApplePayload.isShown(aps))
            parts = ["apns": ["headers": .object(headers), "payload": .object(root)]]
            notes.append("only Apple devices show it; 'message: {notification: …}' is for all platforms")
        }
        var translation = MessageTranslation()
        message = translation.message(parts)
        let (target, remark) = try Self.target(written)
        (self.form, self.target, self.lifetime) = (form, target, lifetime)
        self.notes = notes + translation.notes + (remark.map { [$0] } ?? [])
    }

    /// Takes the targets that stand beside a message, and notes what else stands there.
    private static func take(
        _ request: [String: JSONValue], beside message: inout [String: JSONValue], _ notes: inout [String]
    ) throws(ConversionProblem) {
        for (key, value) in request.sorted(by: { $0.key < $1.key }) where key != "message" {
            guard targetKeys.contains(key) else {
                notes.append("\(key.printable) is left out: it stands beside the message, and not in it")
                continue
            }
            if isEmpty(value) { continue }
            if let own = message[key], !isEmpty(own) { throw .severalTargets(["message.\(key)", key]) }
            message[key] = value
        }
    }

    private static func object(in bytes: [UInt8]) throws(ConversionProblem) -> [String: JSONValue] {
        let root: JSONValue
        do throws(JSONValue.StrictProblem) { root = try JSONValue(strictly: bytes, depth: depth) } catch {
            switch error {
            case .syntax(let offset): throw .notJSON(line: bytes.prefix(offset).count { $0 == 0x0A } + 1)
            case .tooDeep: throw .tooDeep
            case .duplicateName(let name): throw .duplicateName(name)
            }
        }
        if let items = root.array { throw .list(items.count) }
        guard let members = root.object else { throw .noObject }
        return members
    }

    private static let targetKeys = listKeys.union(["to", "token", "fid", "topic", "condition", "notification_key"])
    /// Beside the message in a request, or among its keys where it stands alone.
    private static let requestKeys: Set<String> = ["validate_only", "validateOnly"]
    private static let listKeys: Set<String> = ["tokens", "fids", "registration_ids"]

    /// Whom the message is for, and what to say about it.
    private static func target(_ written: [String: JSONValue]) throws(ConversionProblem) -> (Target?, String?) {
        let filled = written.filter { targetKeys.contains($0.key) && !isEmpty($0.value) }
        guard filled.count < 2 else { throw .severalTargets(filled.keys.sorted()) }
        guard let (key, value) = filled.first else { return (nil, nil) }
        let texts = try texts(value, at: key)
        guard let first = texts.first else { return (nil, nil) }
        if listKeys.contains(key) {
            let kind: Registration.Kind = key == "fids" ? .fid : .token
            if let place = texts.firstIndex(where: { Registration($0, kind: kind) == nil }) {
                throw .noRegistration(path: value.array == nil ? key : "\(key)[\(place)]")
            }
        }
        switch key {
        case "condition": return (named("condition", first), nil)
        case "topic": return (named("topic", first.withoutTopicPrefix), nil)
        case "to" where first.hasPrefix("/topics/"): return (named("topic", first.withoutTopicPrefix), nil)
        case "fid", "fids": return (.registrations(kind: "fids", texts), nil)
        case "notification_key": return (nil, "notification_key names no group; say which with --target group:NAME")
        default:
            // A token has a colon behind the id of its installation. The key of a device group has none.
            let isGroupKey = texts.count == 1 && !first.contains(":")
            let remark = "the target may be the key of a device group; if so, convert with --target group:NAME"
            return (.registrations(kind: "tokens", texts), isGroupKey ? remark : nil)
        }
    }

    /// Whether a value is empty. Some programs write keys that they do not use.
    private static func isEmpty(_ value: JSONValue) -> Bool { [.null, "", .array([])].contains(value) }

    /// The texts of a target's key. Only keys of registrations may have a list.
    private static func texts(_ value: JSONValue, at key: String) throws(ConversionProblem) -> [String] {
        guard let items = value.array, listKeys.contains(key) else {
            guard let text = value.string else { throw .noText(path: key) }
            return [text]
        }
        var texts: [String] = []
        for (place, item) in items.enumerated() {
            guard let text = item.string else { throw .noText(path: "\(key)[\(place)]") }
            texts.append(text)
        }
        return texts
    }

    private static func named(_ kind: String, _ value: String) -> Target? {
        WrittenTarget(kind: kind, value: value).map(Target.named)
    }
}

extension String {
    fileprivate var withoutTopicPrefix: String { hasPrefix("/topics/") ? String(dropFirst(8)) : self }
}
