internal import FCM

extension Campaign {
    /// Reads a campaign's `message` into the wire's JSON.
    static func message(
        from node: Node, _ findings: inout Findings
    ) -> Located<[String: JSONValue]>? {
        guard let entries = node.mapping else {
            findings.error(.wrongType, "'message' must be a mapping, not \(node.kindName)", at: node.range)
            return nil
        }
        for entry in entries where ["token", "fid", "topic", "condition"].contains(entry.key) {
            findings.error(
                .messageTarget, "'\(entry.key)' does not belong into the message", at: entry.keyRange,
                help: "the campaign's 'target' says whom it is for")
            return nil
        }
        for entry in entries where entry.key == "android_v2" {
            findings.error(
                .unsupported, "'android_v2' is a preview of FCM's that herald does not send", at: entry.keyRange,
                help: "use 'android'")
            return nil
        }
        let errorsBefore = findings.diagnostics.count { $0.severity == .error }
        let json = MessageShape.message.json(from: node, "the message", &findings)
        guard findings.diagnostics.count(where: { $0.severity == .error }) == errorsBefore,
            case .object(let message)? = json
        else { return nil }
        checkAPS(node, message, &findings)
        if !hasContent(message) {
            findings.diagnostics.append(
                .warning(.emptyMessage, "the message has no notification and no data", at: findings.at(node.range)))
        }
        return Located(message, at: findings.at(node.range))
    }

    /// Whether anything would be shown on, or handed to, a device of any platform.
    private static func hasContent(_ message: [String: JSONValue]) -> Bool {
        let parts = [
            message["data"], message["notification"], message["android"]?["data"], message["android"]?["notification"],
            message["apns"]?["payload"], message["apns"]?["live_activity_token"], message["webpush"]?["data"],
            message["webpush"]?["notification"],
        ]
        return parts.contains { $0 != nil && $0?.object?.isEmpty != true }
    }

    /// An APNs payload without `aps` reaches no device.
    private static func checkAPS(_ node: Node, _ message: [String: JSONValue], _ findings: inout Findings) {
        guard let payload = message["apns"]?["payload"], payload["aps"]?.object == nil else { return }
        let place = node.entry("apns")?.value.entry("payload")
        findings.error(
            .apsMissing, "an APNs payload needs an 'aps' mapping", at: place?.keyRange ?? node.range)
    }
}

extension Node {
    fileprivate func entry(_ key: String) -> Entry? { mapping?.first { $0.key == key } }
}

extension MessageShape {
    /// The node as JSON of this shape; `nil` when something is wrong with it, which is then reported.
    func json(from node: Node, _ name: String, _ findings: inout Findings) -> JSONValue? {
        switch self {
        case .string:
            return node.string(name, &findings).map { .string($0.value) }
        case .bool, .int:
            return scalarJSON(from: node, name, &findings)
        case .duration:
            guard let text = node.scalar?.text, let duration = Duration(written: text) ?? Duration(protobuf: text)
            else {
                findings.error(
                    .invalidValue, "\(name) must be a duration", at: node.range, help: "write 3600s, 90m or 4h")
                return nil
            }
            return .string(duration.protobufText)
        case .oneOf(let values):
            guard let text = node.string(name, &findings) else { return nil }
            guard values.contains(text.value) else {
                let near = suggestion(for: text.value, among: values).map { "did you mean '\($0)'?" }
                findings.error(
                    .invalidValue, "\(name) cannot be '\(text.value)'", at: node.range,
                    help: near ?? "one of: \(values.joined(separator: ", "))")
                return nil
            }
            return .string(text.value)
        case .strings:
            return object(from: node, name, &findings) { entry, findings in
                entry.value.string("'\(entry.key)'", &findings).map { .string($0.value) }
            }
        case .list(let shape):
            guard let items = node.sequence else {
                findings.error(.wrongType, "\(name) must be a list, not \(node.kindName)", at: node.range)
                return nil
            }
            return .array(items.compactMap { shape.json(from: $0, "an entry of \(name)", &findings) })
        case .object(let shapes):
            return object(from: node, name, &findings) { entry, findings in
                guard let shape = shapes[entry.key] else {
                    let keys = shapes.keys.sorted()
                    let near = suggestion(for: entry.key, among: keys).map { "did you mean '\($0)'?" }
                    findings.error(
                        .unknownKey, "'\(entry.key)' is not a key of \(name)", at: entry.keyRange,
                        help: near ?? "it has: \(keys.joined(separator: ", "))")
                    return nil
                }
                return shape.json(from: entry.value, "'\(entry.key)'", &findings)
            }
        case .verbatim:
            return verbatimJSON(from: node, name, &findings)
        }
    }

    private func object(
        from node: Node, _ name: String, _ findings: inout Findings,
        value: (Node.Entry, inout Findings) -> JSONValue?
    ) -> JSONValue? {
        guard let entries = node.mapping else {
            findings.error(.wrongType, "\(name) must be a mapping, not \(node.kindName)", at: node.range)
            return nil
        }
        var members: [String: JSONValue] = [:]
        for entry in entries {
            members[entry.key] = value(entry, &findings)
        }
        return .object(members)
    }

    private func scalarJSON(from node: Node, _ name: String, _ findings: inout Findings) -> JSONValue? {
        let reading = node.scalar.flatMap { $0.isPlain ? PlainScalar($0.text) : nil }
        switch (self, reading) {
        case (.bool, .bool(let value)): return .bool(value)
        case (.int, .int(let value)) where (0...Int64(Int32.max)).contains(value): return .int(value)
        default:
            let wanted = if case .bool = self { "true or false" } else { "a whole number of at least 0" }
            findings.error(.wrongType, "\(name) must be \(wanted)", at: node.range)
            return nil
        }
    }

    /// YAML's own reading, where all its versions agree; whatever they read differently is refused.
    private func verbatimJSON(from node: Node, _ name: String, _ findings: inout Findings) -> JSONValue? {
        switch node.content {
        case .mapping:
            return object(from: node, name, &findings) { entry, findings in
                verbatimJSON(from: entry.value, "'\(entry.key)'", &findings)
            }
        case .sequence(let items):
            return .array(items.compactMap { verbatimJSON(from: $0, "an entry of \(name)", &findings) })
        case .scalar(let scalar):
            guard scalar.isPlain else { return .string(scalar.text) }
            switch PlainScalar(scalar.text) {
            case .string: return .string(scalar.text)
            case .bool(let value): return .bool(value)
            case .int(let value): return .int(value)
            case .double(let value): return .double(value)
            case .null:
                findings.error(.nullValue, "\(name) has no value", at: node.range, help: "leave the key out")
                return nil
            case .trap(let reading):
                node.reportAmbiguity(reading, name, scalar.text, &findings)
                return nil
            }
        }
    }
}

extension Duration {
    /// Reads the wire's form: seconds with up to nine decimals and an `s`.
    fileprivate init?(protobuf text: String) {
        guard let match = text.wholeMatch(of: #/([0-9]{1,10})\.([0-9]{1,9})s/#), let seconds = Int64(match.1),
            let fraction = Int64(match.2)
        else { return nil }
        var nanoseconds = fraction
        for _ in match.2.utf8.count..<9 { nanoseconds *= 10 }
        self = .seconds(seconds) + .nanoseconds(nanoseconds)
    }
}
