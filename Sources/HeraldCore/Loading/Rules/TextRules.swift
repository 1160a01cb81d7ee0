internal import FCM

extension MessageDraft {
    /// Finds what a template or a hurried writer left in the texts. Every recipient would get it.
    ///
    /// - Parameter isPersonal: whether herald fills in placeholders.
    func checkTexts(isPersonal: Bool = false, _ findings: inout Findings) {
        checkTexts(in: node, at: [], isPersonal, &findings)
    }

    private func checkTexts(in node: Node, at path: [String], _ isPersonal: Bool, _ findings: inout Findings) {
        switch node.content {
        case .scalar(let scalar): check(scalar.text, at: path, node.range, isPersonal, &findings)
        case .sequence(let nodes):
            for (index, node) in nodes.enumerated() {
                checkTexts(in: node, at: path + [String(index)], isPersonal, &findings)
            }
        case .mapping(let entries):
            for entry in entries { checkTexts(in: entry.value, at: path + [entry.key], isPersonal, &findings) }
        }
    }

    private func check(
        _ text: String, at path: [String], _ range: TextRange, _ isPersonal: Bool, _ findings: inout Findings
    ) {
        if !isPersonal, TextTemplate.isTemplate(text),
            Self.isShown(path) || PlaceholderPlaces.place(at: path) != .none
        {
            findings.warning(
                .unfinishedText, "'{{' is sent as it stands here", at: range,
                help: "herald fills in fields only in a campaign with 'personal'")
        } else if Self.isShown(path), let leftover = text.leftover {
            findings.warning(
                .unfinishedText, "'\(leftover)' has been left in a text that people see", at: range,
                help: "herald does not fill it in")
        }
    }

    private static let shown: Set<String> = ["title", "body", "ticker", "title_loc_args", "body_loc_args", "actions"]

    /// Keys whose values are names for the app, although they are among texts for people.
    private static let unseen: Set<String> = [
        "action", "icon", "loc-key", "title-loc-key", "subtitle-loc-key", "action-loc-key", "launch-image",
    ]

    /// Whether people see the text at the path.
    private static func isShown(_ path: [String]) -> Bool {
        if path.contains(where: unseen.contains) { return false }
        switch path.first {
        case "notification": return path.count > 1 && shown.contains(path[1])
        case "android", "webpush": return path.count > 2 && path[1] == "notification" && shown.contains(path[2])
        case "android_v2":
            let own = AndroidPart.preview.notification
            return path.count > own.count && path.starts(with: own) && shown.contains(path[own.count])
        case "apns": return path.starts(with: ["apns", "payload", "aps", "alert"])
        default: return false
        }
    }
}

extension String {
    /// A part that is not meant for readers.
    fileprivate var leftover: String? {
        // One pass over the bytes, since nearly every text has no leftovers.
        var previous: UInt8 = 0
        var isSuspicious = false
        for byte in utf8 {
            switch (previous, byte) {
            case (UInt8(ascii: "$"), UInt8(ascii: "{")), (UInt8(ascii: "<"), UInt8(ascii: "%")):
                return String(decoding: [previous, byte], as: UTF8.self)
            case (UInt8(ascii: "O"), UInt8(ascii: "D")), (UInt8(ascii: "X"), UInt8(ascii: "M")),
                (UInt8(ascii: "p"), UInt8(ascii: "s")), (UInt8(ascii: "P"), UInt8(ascii: "S")):
                isSuspicious = true
            default: break
            }
            previous = byte
        }
        guard isSuspicious else { return nil }
        if lowercased().contains("lorem ipsum") { return "lorem ipsum" }
        // 'TODO' is also a Spanish word in capitals. Alone, at the end or before a colon it is a note by the writer.
        for word in ["TODO", "FIXME"] {
            guard self == word || hasSuffix(" \(word)") || contains("\(word):") || contains("\(word)(") else {
                continue
            }
            return word
        }
        return nil
    }
}
