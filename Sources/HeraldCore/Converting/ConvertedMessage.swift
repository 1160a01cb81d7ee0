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
            written = root["message"]?.object ?? root
            if (root["validate_only"] ?? root["validateOnly"])?.isTrue == true { notes.append(.dryRun) }
            parts = written.filter { !Self.targetKeys.contains($0.key) && $0.key != "name" }
            if written == root { parts["validate_only"] = nil }
        case .legacy:
            let legacy = LegacyMessage(root)
            (written, parts, lifetime) = (legacy.target, legacy.message, legacy.lifetime)
            notes += legacy.notes
        case .apns:
            written = [:]
            let isShown = ApplePayload.isShown(root["aps"]?.object ?? [:])
            parts = ["apns": ["headers": .object(ApplePayload.headers(isShown: isShown)), "payload": .object(root)]]
            notes.append("only Apple devices show it; 'message: {notification: …}' is for all platforms")
        }
        var translation = MessageTranslation()
        message = translation.message(parts)
        let (target, remark) = Self.target(written)
        (self.form, self.target, self.lifetime) = (form, target, lifetime)
        self.notes = notes + translation.notes + (remark.map { [$0] } ?? [])
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

    private static let targetKeys: Set<String> = [
        "to", "token", "tokens", "fid", "fids", "topic", "condition", "registration_ids", "notification_key",
    ]

    /// Whom the message is for, and what to say about it.
    private static func target(_ written: [String: JSONValue]) -> (Target?, String?) {
        for (key, value) in written.sorted(by: { $0.key < $1.key }) where targetKeys.contains(key) {
            let texts = value.array?.compactMap(\.string) ?? value.string.map { [$0] } ?? []
            guard let first = texts.first, !first.isEmpty else { continue }
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
        return (nil, nil)
    }

    private static func named(_ kind: String, _ value: String) -> Target? {
        WrittenTarget(kind: kind, value: value).map(Target.named)
    }
}

extension String {
    fileprivate var withoutTopicPrefix: String { hasPrefix("/topics/") ? String(dropFirst(8)) : self }
}
