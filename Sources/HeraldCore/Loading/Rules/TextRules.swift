internal import FCM

extension MessageDraft {
    /// The texts that people see. Whatever a template or a hurried writer left in them, every recipient gets.
    func checkTexts(_ findings: inout Findings) {
        for part in [node("notification"), node("android", "notification"), node("webpush", "notification")] {
            for key in ["title", "body", "ticker", "title_loc_args", "body_loc_args", "actions"] {
                check(part?.mapping?.first { $0.key == key }?.value, &findings)
            }
        }
        check(node("apns", "payload", "aps", "alert"), &findings)
    }

    /// Keys whose values are names for the app, although they are among texts for people.
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
    /// A part that is not meant for readers.
    fileprivate var leftover: String? {
        // One pass over the bytes, since nearly every text has no leftovers.
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
