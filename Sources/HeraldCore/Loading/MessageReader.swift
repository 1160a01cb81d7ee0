internal import FCM

extension Campaign {
    /// Reads a campaign's `message`, or what changes it, into JSON for the wire. The parts of a personal message are
    /// compared later, when it is whole.
    static func message(
        from node: Node, as reading: MessageReading = .plain, named name: String = "'message'",
        _ findings: inout Findings
    ) -> Located<[String: JSONValue]>? {
        guard let entries = node.mapping else {
            findings.error(.wrongType, "\(name) must be a mapping, not \(node.kindName)", at: node.range)
            return nil
        }
        for entry in entries where ["token", "fid", "topic", "condition"].contains(entry.key) {
            findings.error(
                .messageTarget, "'\(entry.key)' does not belong into the message", at: entry.keyRange,
                help: "the campaign's 'target' says whom it is for")
            return nil
        }
        let errorsBefore = findings.errors
        let json = MessageShape.message.json(from: node, "the message", as: reading, &findings)
        // Each text can be checked on its own. The parts together can be checked only if each one is valid.
        MessageDraft(node: node, json: [:]).checkTexts(isPersonal: reading.isPersonal, &findings)
        guard findings.errors == errorsBefore,
            case .object(let message)? = json
        else {
            // The rules that compare parts do not run now, and the warning about the preview is one of them. It is
            // given here, so that a comment that allows it does not count as unused.
            if let preview = entries.first(where: { $0.key == AndroidPart.preview.rawValue }) {
                findings.usesPreview(at: preview.keyRange)
            }
            return nil
        }
        if !reading.isPersonal { MessageDraft(node: node, json: message).check(&findings) }
        return Located(message, at: findings.at(node.range))
    }
}

extension MessageShape {
    /// The node as JSON of this shape. `nil` if something is wrong with it. That is then reported.
    func json(
        from node: Node, _ name: String, as reading: MessageReading = .plain, _ findings: inout Findings
    ) -> JSONValue? {
        switch self {
        case .string:
            return node.text(name, &findings).map { .string($0.value) }
        case .form(let form):
            if form == .color, node.reportHiddenColor(name, &findings) { return nil }
            guard let text = node.text(name, &findings) else { return nil }
            let checked = reading.isPersonal ? form.literal(text) : text
            return checked.map { form.check($0, name, &findings) } ?? true ? .string(text.value) : nil
        case .bool, .int:
            return scalarJSON(from: node, name, &findings)
        case .duration:
            return duration(from: node, name, &findings).map { .string($0.protobufText) }
        case .timeToLive:
            guard let duration = duration(from: node, name, &findings) else { return nil }
            guard duration <= .longestTimeToLive else {
                findings.timeToLiveTooLong(name, at: node.range)
                return nil
            }
            return .string(duration.protobufText)
        case .time:
            guard let text = node.scalar?.text, let utc = Self.utc(text) else {
                let meant = node.scalar.flatMap { WrittenTime(meantBy: $0.text)?.withOffset }
                findings.error(
                    .eventTime, "\(name) must be a time with its offset from UTC", at: node.range,
                    help: meant.map { "write \($0)" } ?? "as in 2026-12-01T09:00:00+01:00", replacement: meant)
                return nil
            }
            return .string(utc)
        case .oneOf(let values):
            guard let text = node.text(name, &findings) else { return nil }
            let written = text.value.uppercased()
            guard values.contains(written), [written, written.lowercased()].contains(text.value) else {
                let near = findings.advice.nearest(to: written, among: values)
                findings.error(
                    .invalidValue, "\(name) cannot be '\(text.value)'", at: node.range,
                    help: near.map { "did you mean '\($0)'?" } ?? "one of: \(values.joined(separator: ", "))",
                    replacement: near)
                return nil
            }
            return .string(written)
        case .strings:
            return object(from: node, name, reading, &findings) { entry, findings in
                entry.value.text("'\(entry.key)'", &findings).map { .string($0.value) }
            }
        case .data:
            return object(from: node, name, reading, &findings) { entry, findings in
                DataKey.check(entry, &findings)
                return entry.value.text("'\(entry.key)'", &findings).map { .string($0.value) }
            }
        case .lightColor:
            return lightColor(from: node, name, &findings)
        case .list(let shape):
            guard let items = node.sequence else {
                findings.error(.wrongType, "\(name) must be a list, not \(node.kindName)", at: node.range)
                return nil
            }
            return .array(items.compactMap { shape.json(from: $0, "an entry of \(name)", as: reading, &findings) })
        case .object(let shapes, _):
            let keys = shapes.keys.sorted()
            return object(from: node, name, reading, &findings) { entry, findings in
                guard let shape = shapes[entry.key] else {
                    findings.unknownKey(entry, of: name, keys, among: node.mapping ?? [])
                    return nil
                }
                let json = shape.json(from: entry.value, "'\(entry.key)'", as: reading, &findings)
                let isDropped = json?.isEmpty == true && !shape.keepsEmpty
                // In a change an empty list replaces the message's.
                return isDropped && !(reading.isPatch && json?.array != nil) ? nil : json
            }
        case .verbatim:
            return node.verbatimJSON(name, allowingNull: reading.isPatch, &findings)
        case .apnsPayload:
            let json = node.verbatimJSON(name, allowingNull: reading.isPatch, &findings)
            return json?.withNumericFlags(or: reading.isPatch ? .null : nil)
        }
    }

    private func duration(from node: Node, _ name: String, _ findings: inout Findings) -> Duration? {
        if let text = node.scalar?.text, let duration = Duration(written: text) ?? Duration(protobuf: text) {
            return duration
        }
        let meant = node.scalar.flatMap { Duration.spelling(meantBy: $0.text) }
        findings.error(
            .invalidValue, "\(name) must be a duration", at: node.range,
            help: meant.map { "write \($0)" } ?? "write 3600s, 90m or 4h", replacement: meant)
        return nil
    }

    /// An RFC 3339 time in UTC. The fraction is kept as text, because a `Date` would round it.
    private static func utc(_ text: String) -> String? {
        let point = text.firstIndex(of: ".") ?? text.endIndex
        let fraction = text[point...].dropFirst().prefix { $0.isASCII && $0.isNumber }
        let rest = text[point...].dropFirst(fraction.count + 1)
        guard Date(rfc3339: text) != nil, let date = Date(rfc3339: String(text[..<point]) + rest) else { return nil }
        let whole = date.rfc3339
        return fraction.isEmpty ? whole : "\(whole.dropLast()).\(fraction)Z"
    }

    /// `google.type.Color`, with each part from 0 to 1.
    private func lightColor(from node: Node, _ name: String, _ findings: inout Findings) -> JSONValue? {
        if let entries = node.mapping {
            let parts = ["red", "green", "blue", "alpha"]
            let json = node.verbatimJSON(name, &findings)?.object ?? [:]
            for entry in entries {
                let share = json[entry.key]?.number ?? -1
                if parts.contains(entry.key), (0...1).contains(share) { continue }
                findings.error(
                    .color, "'\(entry.key)' of \(name) is not one of red, green, blue and alpha from 0 to 1",
                    at: entry.keyRange, help: "or write the colour as \"#1a6fb0\"")
                return nil
            }
            return .object(json)
        }
        if node.reportHiddenColor(name, &findings) { return nil }
        guard let text = node.text(name, &findings) else { return nil }
        guard let bytes = text.value.hexColor else {
            findings.error(
                .color, "\(name) cannot be '\(text.value)'", at: node.range,
                help: "write \"#RRGGBB\" or \"#RRGGBBAA\", as in \"#1a6fb0\"")
            return nil
        }
        let shares = bytes.map { JSONValue.double(Double($0) / 255) }
        return [
            "red": shares[0], "green": shares[1], "blue": shares[2], "alpha": shares.count > 3 ? shares[3] : 1,
        ]
    }

    private func object(
        from node: Node, _ name: String, _ reading: MessageReading, _ findings: inout Findings,
        value: (Node.Entry, inout Findings) -> JSONValue?
    ) -> JSONValue? {
        guard let entries = node.mapping else {
            findings.error(.wrongType, "\(name) must be a mapping, not \(node.kindName)", at: node.range)
            return nil
        }
        var members: [String: JSONValue] = [:]
        for entry in entries {
            // An unknown key is reported even if it is to be removed.
            let isRemoved = reading.isPatch && entry.value.isNull && isKnown(entry.key)
            members[entry.key] = isRemoved ? .null : value(entry, &findings)
        }
        return .object(members)
    }

    /// Whether a mapping of this shape can have the key.
    private func isKnown(_ key: String) -> Bool {
        if case .object(let shapes, _) = self { shapes[key] != nil } else { true }
    }

    private func scalarJSON(from node: Node, _ name: String, _ findings: inout Findings) -> JSONValue? {
        let reading = node.scalar.flatMap { $0.isPlain ? PlainScalar($0.text) : nil }
        switch (self, reading) {
        case (.bool, .bool(let value)): return .bool(value)
        case (.int(let least), .int(let value)) where (least...Int64(Int32.max)).contains(value): return .int(value)
        default:
            let text = node.scalar?.text
            let (wanted, meant): (String, String?) =
                switch self {
                case .int(let least):
                    (
                        least == 0 ? "a whole number of at least 0" : "a whole number of 32 bits",
                        text.flatMap { Int(meantBy: $0) }.flatMap { $0 < least || $0 > Int32.max ? nil : "\($0)" }
                    )
                default: ("true or false", text.flatMap { Bool(meantBy: $0) }.map { "\($0)" })
                }
            findings.error(
                .wrongType, "\(name) must be \(wanted)", at: node.range, help: meant.map { "write \($0)" },
                replacement: meant)
            return nil
        }
    }
}

extension JSONValue {
    fileprivate var isEmpty: Bool { array?.isEmpty ?? object?.isEmpty ?? false }

    /// An APNs payload in which flags are the number 1, or left out.
    ///
    /// - Parameter absent: what takes the place of a flag that is left out.
    fileprivate func withNumericFlags(or absent: JSONValue?) -> JSONValue {
        guard var payload = object, var aps = payload["aps"]?.object else { return self }
        for flag in ApsValue.flags {
            switch aps[flag] {
            case .bool(true): aps[flag] = 1
            case .bool(false): aps[flag] = absent
            default: break
            }
        }
        payload["aps"] = .object(aps)
        return .object(payload)
    }
}

extension Node {
    /// The node as text, like `string`. If a colon in the text made YAML read a mapping, the message says so.
    fileprivate func text(_ name: String, _ findings: inout Findings) -> Located<String>? {
        guard let entries = mapping, entries.count == 1, let value = entries[0].value.scalar, !value.text.isEmpty else {
            return string(name, &findings)
        }
        let text = "\(entries[0].key): \(value.text)".quoted
        findings.error(
            .wrongType, "\(name) must be text, and YAML reads a mapping here: the colon makes it one", at: range,
            help: "write \(text)", replacement: text)
        return nil
    }

    /// Reports an empty value. A colour without quotes is empty, because its `#` begins a comment.
    fileprivate func reportHiddenColor(_ name: String, _ findings: inout Findings) -> Bool {
        guard let scalar, scalar.isPlain, scalar.text.isEmpty else { return false }
        findings.error(
            .nullValue, "\(name) has no value", at: range,
            help: "a colour needs quotes, as in \"#1a6fb0\": a plain # begins a comment")
        return true
    }
}

extension Findings {
    mutating func timeToLiveTooLong(_ name: String, at range: TextRange) {
        error(
            .ttlRange, "\(name) is longer than FCM keeps a message", at: range, help: "write 28d, which is the most",
            replacement: "28d")
    }
}

extension Duration {
    /// FCM refuses a message that it should keep for longer.
    static let longestTimeToLive = Duration.seconds(28 * 86_400)

    /// Reads the form of the wire: seconds with up to nine decimals and an `s`.
    fileprivate init?(protobuf text: String) {
        guard let match = text.wholeMatch(of: #/([0-9]{1,10})\.([0-9]{1,9})s/#), let seconds = Int64(match.1),
            let fraction = Int64(match.2)
        else { return nil }
        var nanoseconds = fraction
        for _ in match.2.utf8.count..<9 { nanoseconds *= 10 }
        self = .seconds(seconds) + .nanoseconds(nanoseconds)
    }
}
