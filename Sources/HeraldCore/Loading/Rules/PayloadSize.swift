internal import FCM

/// The size of a message on each platform, compared with FCM's limits.
struct PayloadSize {
    private let draft: MessageDraft

    /// Warns from here on, since FCM adds keys of its own.
    private static let nearLimit = 3900
    /// FCM's pages disagree on the limit for topics and conditions: 4096 or this.
    private static let topicLimit = 2048

    init(_ draft: MessageDraft) { self.draft = draft }

    func check(_ findings: inout Findings) {
        guard let (platform, size) = largest(above: Self.nearLimit) else { return }
        let place = findings.at(place(on: platform))
        let notes = breakdown(on: platform, findings)
        if size > DevicePayload.maximumSize {
            findings.diagnostics.append(
                .error(
                    .payloadSize,
                    "the message has \(size.grouped) bytes on \(platform.name), and FCM takes \(DevicePayload.maximumSize.grouped)",
                    at: place, notes: notes))
        } else {
            findings.diagnostics.append(
                .warning(
                    .payloadLarge,
                    "the message has \(size.grouped) bytes on \(platform.name), nearly the \(DevicePayload.maximumSize.grouped) "
                        + "that FCM takes", at: place, notes: notes))
        }
    }

    /// For a send that FCM itself fans out.
    func checkFanOut(_ findings: inout Findings) {
        guard let (platform, size) = largest(above: Self.topicLimit), size <= Self.nearLimit else { return }
        findings.diagnostics.append(
            .warning(
                .payloadLarge,
                "the message has \(size.grouped) bytes on \(platform.name), and to topics FCM may take \(Self.topicLimit.grouped) only",
                at: findings.at(place(on: platform)), notes: breakdown(on: platform, findings)))
    }

    /// The platform with the largest payload, if that exceeds a limit.
    private func largest(above limit: Int) -> (platform: Platform, size: Int)? {
        // No platform gets more than the whole message, so a small message needs no measuring.
        guard JSONValue.object(draft.json).jsonBytes > limit else { return nil }
        let content = MessageContent(draft.json)
        let sizes = Platform.allCases.map { ($0, content.largestSize(on: $0)) }
        guard let most = sizes.max(by: { $0.1 < $1.1 }), most.1 > limit else { return nil }
        return most
    }

    /// The parts that reach a platform, each with the bytes of its keys and values.
    private func parts(on platform: Platform) -> [(path: [String], bytes: Int)] {
        let android = AndroidPart(of: draft.json)
        let own: [[String]] =
            switch platform {
            case .android: [[android.rawValue, "data"], android.notification]
            case .web: [["webpush", "data"], ["webpush", "notification"]]
            case .ios: [["apns", "payload"]]
            }
        let replacesData = draft[own[0][0], "data"] != nil
        let paths = [["notification"]] + (replacesData ? [] : [["data"]]) + own
        return paths.compactMap { path in
            draft.value(at: path[...]).map { (path, $0.contentSize) }
        }
        .sorted { $0.bytes > $1.bytes }
    }

    private func place(on platform: Platform) -> TextRange {
        parts(on: platform).first.map { draft.key(at: $0.path) } ?? draft.node.range
    }

    private func breakdown(on platform: Platform, _ findings: Findings) -> [Diagnostic.Note] {
        parts(on: platform).map { part in
            .init(
                "'\(part.path.joined(separator: "."))' has \(count(part.bytes, "byte")) of keys and values",
                at: findings.at(draft.key(at: part.path)))
        }
    }
}

extension Platform {
    fileprivate var name: String {
        switch self {
        case .ios: "Apple devices"
        case .android: "Android"
        case .web: "the web"
        }
    }
}

extension JSONValue {
    /// An upper bound for the bytes of its JSON.
    var jsonBytes: Int {
        switch self {
        case .object(let members): members.reduce(2) { $0 + $1.key.jsonBytes + $1.value.jsonBytes + 2 }
        case .array(let elements): elements.reduce(2) { $0 + $1.jsonBytes + 1 }
        case .string(let text): text.jsonBytes
        case .int(let value): String(value).utf8.count
        case .double(let value): String(value).utf8.count
        case .digits(let text): text.utf8.count
        case .bool, .null: 5
        }
    }
}

extension String {
    fileprivate var jsonBytes: Int {
        var text = self
        return text.withUTF8 { bytes in
            bytes.reduce(2) { bytes, byte in
                bytes + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
            }
        }
    }
}
