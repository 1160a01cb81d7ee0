internal import FCM

/// A message whose parts are each valid, for rules that compare several parts.
struct MessageDraft {
    let node: Node
    let json: [String: JSONValue]

    func check(_ findings: inout Findings) {
        checkParts(&findings)
        PayloadSize(self).check(&findings)
    }

    /// Everything but its size.
    func checkParts(_ findings: inout Findings) {
        checkContent(&findings)
        checkReplacedData(&findings)
        AndroidRules(self).check(&findings)
        AppleRules(self).check(&findings)
        WebRules(self).check(&findings)
        RoundedIntegers(draft: self).check(&findings)
    }

    subscript(_ path: String...) -> JSONValue? { value(at: path[...]) }

    /// The value at the end of a path, if it is in the file.
    func node(_ path: String...) -> Node? { node(at: path) }

    func node(at path: [String]) -> Node? { entry(at: path[...])?.value }

    /// The place of the key at the end of a path, or of the last part of the path that exists.
    func key(_ path: String...) -> TextRange { key(at: path) }

    func key(at path: [String]) -> TextRange {
        for length in stride(from: path.count, to: 0, by: -1) {
            if let entry = entry(at: path[..<length]) { return entry.keyRange }
        }
        return node.range
    }

    func value(at path: ArraySlice<String>) -> JSONValue? {
        guard let first = path.first else { return nil }
        return path.dropFirst().reduce(json[first]) { value, key in value?[key] }
    }

    private func entry(at path: ArraySlice<String>) -> Node.Entry? {
        var found: Node.Entry?
        var next = node
        for key in path {
            guard let entry = next.mapping?.first(where: { $0.key == key }) else { return nil }
            found = entry
            next = entry.value
        }
        return found
    }
}

extension MessageDraft {
    private func checkContent(_ findings: inout Findings) {
        if !hasContent {
            findings.warning(.emptyMessage, "the message has no notification and no data", at: node.range)
        }
        if let payload = self["apns", "payload"], payload["aps"]?.object == nil {
            findings.error(
                .apsMissing, "an APNs payload needs an 'aps' mapping", at: key("apns", "payload"))
        }
    }

    /// A platform's own `data` replaces the message's, so that the other keys never arrive there.
    private func checkReplacedData(_ findings: inout Findings) {
        guard let common = json["data"]?.object else { return }
        for platform in AndroidPart.allCases.map(\.rawValue) + ["webpush"] {
            guard let own = self[platform, "data"]?.object else { continue }
            let lost = (node("data")?.mapping ?? []).filter { common[$0.key] != nil && own[$0.key] == nil }
            guard !lost.isEmpty else { continue }
            let shown = lost.prefix(5).map { "'\($0.key)'" }.joined(separator: ", ") + (lost.count > 5 ? ", …" : "")
            findings.diagnostics.append(
                .warning(
                    .dataReplaced, "'\(platform).data' replaces 'data', so that \(shown) does not get there",
                    at: findings.at(key(platform, "data")),
                    notes: lost.prefix(5).map { .init("not sent to that platform", at: findings.at($0.keyRange)) },
                    help: "repeat in '\(platform).data' what its app needs of 'data'"))
        }
    }

    /// Whether a device of any platform would show anything or hand anything to the app.
    private var hasContent: Bool {
        // Most messages have one of these.
        if hasContent(at: ["notification"]) || hasContent(at: ["data"]) { return true }
        // A background sync wakes the app, with or without data.
        if self["android_v2", "background_sync"] != nil { return true }
        let android = AndroidPart.allCases.flatMap { [[$0.rawValue, "data"], $0.notification] }
        let others = [
            ["apns", "payload"], ["apns", "live_activity_token"], ["webpush", "data"], ["webpush", "notification"],
        ]
        return (android + others).contains(where: hasContent)
    }

    private func hasContent(at path: [String]) -> Bool {
        value(at: path[...]).map { $0.object?.isEmpty != true } ?? false
    }
}

extension JSONValue {
    /// The value of a number.
    var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .digits(let text): Double(text)
        default: nil
        }
    }
}
