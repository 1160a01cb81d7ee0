internal import FCM

/// The rules for the Apple part of a message, and for the common notification where Apple devices show it.
struct AppleRules {
    let draft: MessageDraft
    let aps: [String: JSONValue]
    let headers: [String: (value: String, range: TextRange)]

    init(_ draft: MessageDraft) {
        self.draft = draft
        aps = draft["apns", "payload", "aps"]?.object ?? [:]
        var headers: [String: (value: String, range: TextRange)] = [:]
        for entry in draft.node("apns", "headers")?.mapping ?? [] {
            headers[entry.key.lowercased()] = (entry.value.scalar?.text ?? "", entry.value.range)
        }
        self.headers = headers
    }

    func check(_ findings: inout Findings) {
        if draft.json["apns"] != nil {
            Self.headerRules.check(draft.node("apns", "headers"), &findings)
            checkValues(&findings)
            checkCollisions(&findings)
            if draft["apns", "live_activity_token"] != nil || headers["apns-push-type"]?.value == "liveactivity" {
                checkActivity(&findings)
            } else {
                checkPushType(&findings)
            }
        }
        checkReach(&findings)
    }

    // MARK: Headers

    private static let pushTypes = PushType.allCases.map(\.rawValue)

    private static let headerRules = HeaderRules(
        rule: .apnsHeader, prefix: "apns-",
        [
            "apns-push-type": .oneOf(pushTypes, words: "one of \(pushTypes.joined(separator: ", "))"),
            "apns-priority": .init(words: "\"10\", \"5\" or \"1\"") { ["10", "5", "1"].contains($0) },
            "apns-expiration": .number(
                digits: 12, words: "a moment in UNIX seconds, not a duration; delivery.expires_after works it out"),
            "apns-collapse-id": .init(words: "1 to 64 bytes long") { (1...64).contains($0.utf8.count) },
            "apns-id": .init(words: "a UUID, as in 123e4567-e89b-12d3-a456-426655440000") {
                UUID(uuidString: $0) != nil
            },
            "apns-topic": .http,
        ])

    // MARK: aps

    private func checkValues(_ findings: inout Findings) {
        checkFlags(&findings)
        check(draft.node("apns", "payload", "aps"), aps, ApsValue.keys, of: "aps", &findings)
        if let sound = aps["sound"]?.object {
            check(draft.node("apns", "payload", "aps", "sound"), sound, ApsValue.soundKeys, of: "sound", &findings)
        }
        guard let alert = aps["alert"]?.object else { return }
        check(draft.node("apns", "payload", "aps", "alert"), alert, ApsValue.alertKeys, of: "alert", &findings)
        for part in ["", "title-", "subtitle-"]
        where alert["\(part)loc-args"] != nil && (alert["\(part)loc-key"]?.string ?? "").isEmpty {
            findings.error(
                .locArgs, "'\(part)loc-args' needs '\(part)loc-key'",
                at: draft.key("apns", "payload", "aps", "alert", "\(part)loc-args"))
        }
    }

    /// Flags are sent as Apple wants them, so their author is told where that differs from what the file says.
    private func checkFlags(_ findings: inout Findings) {
        for entry in draft.node("apns", "payload", "aps")?.mapping ?? [] where ApsValue.flags.contains(entry.key) {
            guard let scalar = entry.value.scalar, scalar.isPlain, case .bool(let value) = PlainScalar(scalar.text)
            else { continue }
            if value {
                findings.warning(
                    .apsFlag, "'\(entry.key): true' is sent as 1", at: entry.value.range, help: "write 1",
                    replacement: "1")
            } else {
                findings.warning(
                    .apsFlag, "'\(entry.key): false' is not sent", at: entry.value.range,
                    help: "take it out, or write null where a locale or a variant removes it")
            }
        }
    }

    private func check(
        _ node: Node?, _ json: [String: JSONValue], _ keys: [String: ApsValue], of name: String,
        _ findings: inout Findings
    ) {
        let known = keys.keys.sorted()
        for entry in node?.mapping ?? [] {
            guard let value = json[entry.key] else { continue }
            guard let wanted = keys[entry.key] else {
                let near = findings.advice.nearest(to: entry.key.replacingUnderscores, among: known)
                findings.warning(
                    .apsKey, "'\(entry.key)' is not a key of \(name) that Apple knows", at: entry.keyRange,
                    help: near.map { "did you mean '\($0)'?" } ?? "the app's own keys belong beside 'aps'",
                    replacement: near.flatMap { json[$0] == nil ? $0 : nil })
                continue
            }
            if let fault = wanted.fault(of: value) {
                let meant = wanted.spelling(meantBy: value)
                findings.error(
                    .apsValue, "'\(entry.key)' must be \(fault)", at: entry.value.range,
                    help: meant.map { "write \($0)" }, replacement: meant)
            }
        }
    }

    /// `data` is put beside `aps`, where the payload's own keys are too.
    private func checkCollisions(_ findings: inout Findings) {
        guard let data = draft.json["data"]?.object, !data.isEmpty else { return }
        for entry in draft.node("apns", "payload")?.mapping ?? [] where entry.key != "aps" && data[entry.key] != nil {
            let note = Diagnostic.Note("also here", at: findings.at(draft.key("data", entry.key)))
            findings.diagnostics.append(
                .error(
                    .dataCollision, "'\(entry.key)' is in data too, and on Apple devices both are one key",
                    at: findings.at(entry.keyRange), notes: [note], help: "name one of them otherwise"))
        }
    }
}

extension String {
    /// Apple writes its keys with hyphens.
    fileprivate var replacingUnderscores: String { String(map { $0 == "_" ? "-" : $0 }) }
}
