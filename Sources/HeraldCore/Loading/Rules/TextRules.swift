internal import FCM

extension MessageDraft {
    /// The texts that people see. What a template or a writer in a hurry has left in them, everybody gets.
    func checkTexts(_ findings: inout Findings) {
        for part in [node("notification"), node("android", "notification"), node("webpush", "notification")] {
            for key in ["title", "body", "ticker", "title_loc_args", "body_loc_args", "actions"] {
                check(part?.mapping?.first { $0.key == key }?.value, &findings)
            }
        }
        check(node("apns", "payload", "aps", "alert"), &findings)
    }

    /// Names for the app, among texts for people.
    private static let unseen: Set<String> = [
        "action", "icon", "loc-key", "title-loc-key", "subtitle-loc-key", "action-loc-key", "launch-image",
    ]

    private func check(_ node: Node?, _ findings: inout Findings) {
        switch node?.content {
        case .scalar(let scalar):
            guard let node, let leftover = scalar.text.leftover else { return }
            findings.warning(
                .unfinishedText, "'\(leftover)' has been left in a text that people see", at: node.range,
                help: "herald fills nothing in")
        case .sequence(let nodes): for node in nodes { check(node, &findings) }
        case .mapping(let entries):
            for entry in entries where !Self.unseen.contains(entry.key) { check(entry.value, &findings) }
        case nil: break
        }
    }
}

extension String {
    /// What is not meant for readers.
    fileprivate var leftover: String? {
        // One pass over the bytes: nearly every text has none of it.
        var previous: UInt8 = 0
        var isSuspicious = false
        for byte in utf8 {
            switch (previous, byte) {
            case (UInt8(ascii: "{"), UInt8(ascii: "{")), (UInt8(ascii: "$"), UInt8(ascii: "{")),
                (UInt8(ascii: "<"), UInt8(ascii: "%")):
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
        // In capitals 'todo' is also a word of Spanish: alone, at the end or before a colon it is a note to oneself.
        for word in ["TODO", "FIXME"] {
            guard self == word || hasSuffix(" \(word)") || contains("\(word):") || contains("\(word)(") else {
                continue
            }
            return word
        }
        return nil
    }
}
